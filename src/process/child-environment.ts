const SYSTEM = ['PATH', 'HOME', 'TMPDIR', 'TZ', 'LANG', 'LC_ALL', 'LD_LIBRARY_PATH', 'SystemRoot'];
const NODE = ['NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS', 'NODE_COMPILE_CACHE'];

/** What a child process needs of our environment; never a token or a key. */
export function childEnvironment(): Record<string, string> {
  return Object.fromEntries(
    [...SYSTEM, ...NODE].flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
  );
}
