import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { programEnv } from '../program-environment.ts';

export const MAIN = fileURLToPath(new URL('../../src/speech-service/main.ts', import.meta.url));

/** Node 22 and 23 warn of their own SQLite in every program. */
const QUIET = ['--disable-warning=ExperimentalWarning'];

/** The service as a process of its own, which ends with the test. */
export function program(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  flags: readonly string[] = [],
) {
  const child = spawn(process.execPath, [...QUIET, ...flags, MAIN, ...args], { env: { ...programEnv, ...env } });
  onTestFinished(() => void child.kill('SIGKILL'));
  const written = { stdout: '', stderr: '' };
  const { promise: firstLine, resolve, reject } = Promise.withResolvers<string>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    written.stdout += text;
    if (written.stdout.includes('\n')) resolve(written.stdout.split('\n')[0] ?? '');
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    written.stderr += text;
  });
  const exit = once(child, 'exit').then(([code, signal]) => ({ code, signal }));
  void exit.then(() => reject(new Error(`ended without a line: ${written.stderr}`)));
  firstLine.catch(() => {});
  return { child, stdout: () => written.stdout, stderr: () => written.stderr, exit, firstLine };
}

export async function start(dataDir: string, args: readonly string[] = [], env = {}, flags: readonly string[] = []) {
  const running = program(['--port', '0', '--data', dataDir, '--json', ...args], env, flags);
  return { ...running, addresses: JSON.parse(await running.firstLine) as Record<string, string> };
}

export const bearer = (key: string) => ({ authorization: `Bearer ${key}`, 'content-type': 'application/json' });
