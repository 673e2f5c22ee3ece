import { spawn, spawnSync } from 'node:child_process';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { NODE_FLAGS } from '../src/process/child-environment.ts';

/** The listening process runs on one core, the speaking process on the other. */
export const SINK_CORE = 0;
export const BOT_CORE = 1;

const hasTaskset = spawnSync('taskset', ['--version'], { stdio: 'ignore' }).status === 0;

/**
 * Starts a bench program with the bot's Node flags. Pins it to these cores if `taskset` exists and there are several
 * cores.
 */
export function startChild(program: string, args: readonly string[], cores: readonly number[], flags: string[] = []) {
  const node = [...NODE_FLAGS, ...flags, fileURLToPath(new URL(program, import.meta.url)), ...args];
  const pin = hasTaskset && cpus().length > 1 ? ['taskset', '-c', cores.join(',')] : [];
  const [command = '', ...rest] = [...pin, process.execPath, ...node];
  return spawn(command, rest, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
}

interface AskOptions {
  /** Default: four minutes. */
  readonly timeoutMs?: number;
  /** Default: both cores, even if the parent process is pinned to a single core. */
  readonly cores?: readonly number[];
  readonly flags?: string[];
}

/**
 * Runs a bench program with a request. Resolves with the answer over IPC; rejects if the program ends without an
 * answer, or at the deadline.
 */
export function ask<Result>(
  program: string,
  request: unknown,
  { timeoutMs = 4 * 60_000, cores = [SINK_CORE, BOT_CORE], flags }: AskOptions = {},
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const child = startChild(program, [JSON.stringify(request)], cores, flags);
    const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
    child.on('message', (result) => resolve(result as Result));
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      clearTimeout(timer);
      reject(new Error(`${program} ended (${signal ?? code}) without a result`));
    });
  });
}

/** Answers the request that this process was started with by `ask`, then lets the process end. */
export async function answer<Request>(work: (request: Request) => Promise<unknown>): Promise<void> {
  const result = await work(JSON.parse(process.argv[2] ?? '{}') as Request);
  process.send?.(result, () => process.disconnect());
}
