import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

const { PATH = '', NODE_COMPILE_CACHE } = process.env;

/**
 * For a program under test, which gets none of our settings. Node need not compile the same program at each of its many
 * starts.
 */
export const programEnv: Readonly<Record<string, string>> = {
  PATH,
  ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }),
};

/** A Node program, run to its end, below the command `prefix`. Node 22 and 23 warn of their own SQLite in every one. */
export async function runProgram(
  args: readonly string[],
  { env = {}, cwd = undefined as string | undefined, prefix = [] as readonly string[] } = {},
): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
  const [command = '', ...before] = [...prefix, process.execPath, '--disable-warning=ExperimentalWarning'];
  const child = spawn(command, [...before, ...args], {
    cwd,
    env: { ...programEnv, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code, stdout, stderr };
}
