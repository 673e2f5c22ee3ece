import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { onTestFinished, vi } from 'vitest';
import { createProgram, run } from '../../src/cli/program.ts';
import type { Ended, RunOptions, VoiceProgram } from './voice-program.ts';

/*
 * The commands in the test's own process, which has no terminal: what does not depend on how the program is packed and
 * started is tested in a twentieth of the time. One command line at a time, and none beside it that looks at the environment.
 */

/** A home of its own for this test; `run` as with the installed program. */
export async function voiceInside(
  env: Readonly<Record<string, string>> = {},
): Promise<Pick<VoiceProgram, 'home' | 'env' | 'run'>> {
  const home = await mkdtemp(join(tmpdir(), 'voice-inside-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  return { home, env, run: (args, options) => inside(args, home, { ...options, env: { ...env, ...options?.env } }) };
}

/** The same with a settings file in it, and that file's path. */
export async function withSettings(text: string) {
  const voice = await voiceInside();
  const file = join(voice.home, '.voice', 'voice.toml');
  await mkdir(dirname(file), { mode: 0o700 });
  await writeFile(file, text, { mode: 0o600 });
  return { voice, file };
}

const OWN_VARIABLES = [
  'VOICE_API_URL',
  'VOICE_API_KEY',
  'VOICE_AUTH_HEADER_PREFIX',
  'VOICE_ALLOW_HTTP',
  'VISUAL',
  'EDITOR',
  'NO_COLOR',
];

/** Runs one command line in a home that is there. */
export async function inside(
  args: readonly string[],
  home: string,
  { env = {}, input = '', cwd = home }: RunOptions = {},
): Promise<Ended> {
  for (const name of OWN_VARIABLES) vi.stubEnv(name, undefined);
  for (const [name, value] of Object.entries({ HOME: home, ...env })) vi.stubEnv(name, value);
  const written: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] };
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((chunk, encodingOrDone, done?) => {
      written[name].push(Buffer.from(chunk as Uint8Array));
      const told = typeof encodingOrDone === 'function' ? encodingOrDone : done;
      told?.(null);
      return true;
    }),
  );
  const stdin = vi.spyOn(process, 'stdin', 'get').mockReturnValue(Readable.from([Buffer.from(input)]) as never);
  const before = process.cwd();
  process.chdir(cwd);
  try {
    const code = await run(createProgram('0.0.0'), args);
    const [bytes, stderr] = [Buffer.concat(written.stdout), Buffer.concat(written.stderr).toString('utf8')];
    return { code, bytes, stdout: bytes.toString('utf8'), stderr };
  } finally {
    process.chdir(before);
    vi.unstubAllEnvs();
    for (const spy of [...spies, stdin]) spy.mockRestore();
  }
}
