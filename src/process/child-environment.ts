const SYSTEM = ['PATH', 'HOME', 'TMPDIR', 'TZ', 'LANG', 'LC_ALL', 'LD_LIBRARY_PATH', 'SystemRoot'];
const NODE = ['NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS', 'NODE_COMPILE_CACHE'];
/** With these variables, the playground makes the built-in speech service fail, or selects its engine. */
const PLAYGROUND = ['SPEECH_SERVICE_FAULTS', 'SPEECH_VOICE_ENGINE'];

/** Returns the environment variables that a child process needs. Never contains a token or a key. */
export function childEnvironment(): Record<string, string> {
  return Object.fromEntries(
    [...SYSTEM, ...NODE, ...PLAYGROUND].flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
  );
}

/** Settings such as VOICE_API_KEY, which other programs must not get. */
const OF_VOICE = /^VOICE_/i;

/** The environment for a program that the user chose, such as a player or an editor. */
export function environmentWithoutVoice(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !OF_VOICE.test(name)));
}

/** The library that `start` calls passes the environment to another program, which must not get the API key. */
export async function withoutVoiceVariables<T>(start: () => Promise<T>): Promise<T> {
  const hidden = Object.entries(process.env).filter(([name]) => OF_VOICE.test(name));
  for (const [name] of hidden) delete process.env[name];
  try {
    return await start();
  } finally {
    for (const [name, value] of hidden) process.env[name] = value;
  }
}

/**
 * These flags are also in package.json, Dockerfile and deploy/. With Node's default of 16 MB for young objects, no
 * packet leaves a single core for up to 16 ms at a time. With 2 MB and 600 speakers on one core, 100 % of packets are
 * on time instead of 91 to 95 %. Helper threads that mark garbage delayed first packets by 15 to 30 ms; the main thread
 * marks in short steps.
 */
export const NODE_FLAGS: readonly string[] = ['--max-semi-space-size=2', '--no-concurrent-marking'];
