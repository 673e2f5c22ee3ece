import { spawn } from 'node:child_process';

interface ChildOptions {
  readonly timeoutMs: number;
  /** For an error, such as 'The live bot's process'. */
  readonly name: string;
}

/** What a child process sends over IPC; rejects when it ends without, or at the deadline. */
export function resultOfChild<Result>(
  [command, ...args]: [command: string, ...args: string[]],
  { timeoutMs, name }: ChildOptions,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
    child.on('message', (result) => resolve(result as Result));
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      clearTimeout(timer);
      reject(new Error(`${name} ended (${signal ?? code}) without a result`));
    });
  });
}
