import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { createProgram, run } from '../../src/cli/program.ts';

/* The commands in the test's own process, which has no terminal: for what does not depend on how it is started. */

/** A home of its own for this test, with a settings file when there is a text for it; resolves with that file's path. */
export async function withHome(settings?: string): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'voice-inside-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  vi.stubEnv('HOME', home);
  for (const name of ['VOICE_API_URL', 'VOICE_API_KEY', 'VOICE_AUTH_HEADER_PREFIX']) vi.stubEnv(name, undefined);
  const path = join(home, '.voice', 'voice.toml');
  if (settings !== undefined) {
    await mkdir(join(home, '.voice'), { mode: 0o700 });
    await writeFile(path, settings, { mode: 0o600 });
  }
  return path;
}

/** Runs one command line; commands that read standard input or write audio to standard output have to be started for that. */
export async function inside(args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const written = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((chunk) => {
      written[name] += chunk;
      return true;
    }),
  );
  try {
    const code = await run(createProgram('0.0.0'), args);
    return { code, ...written };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}
