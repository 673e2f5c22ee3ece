const SYSTEM = ['PATH', 'HOME', 'TMPDIR', 'TZ', 'LANG', 'LC_ALL', 'LD_LIBRARY_PATH', 'SystemRoot'];
const NODE = ['NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS', 'NODE_COMPILE_CACHE'];
/** The playground can let the embedded speech service fail. */
const PLAYGROUND = ['SPEECH_SERVICE_FAULTS'];

/** What a child process needs of our environment; never a token or a key. */
export function childEnvironment(): Record<string, string> {
  return Object.fromEntries(
    [...SYSTEM, ...NODE, ...PLAYGROUND].flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
  );
}

/** Variables of the voice command line: they hold a key. */
const OF_VOICE = /^VOICE_/i;

/** Our environment for a program of the person's own choice: a player or an editor. It needs no key. */
export function environmentWithoutVoice(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !OF_VOICE.test(name)));
}

/** Runs `start` without those variables in our own environment, for a library that hands it on as it is. */
export async function withoutVoiceVariables<T>(start: () => Promise<T>): Promise<T> {
  const hidden = Object.entries(process.env).filter(([name]) => OF_VOICE.test(name));
  for (const [name] of hidden) delete process.env[name];
  try {
    return await start();
  } finally {
    for (const [name, value] of hidden) process.env[name] = value;
  }
}
