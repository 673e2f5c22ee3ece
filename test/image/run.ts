import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** What the builds of a slow machine may take, each. */
const TIMEOUT_MS = 10 * 60_000;

/** A program's standard output; rejects with all that it said where it fails. */
export async function run(
  command: string,
  args: readonly string[],
  { env = process.env, cwd }: { readonly env?: NodeJS.ProcessEnv; readonly cwd?: string } = {},
): Promise<string> {
  const options = { env, timeout: TIMEOUT_MS, maxBuffer: 64 * 2 ** 20, cwd };
  try {
    return (await promisify(execFile)(command, args, options)).stdout;
  } catch (error) {
    const { stdout, stderr, message } = error as Error & { stdout: string; stderr: string };
    throw new Error(`${[command, ...args.slice(0, 2)].join(' ')}: ${stdout}${stderr}`.trim() || message);
  }
}
