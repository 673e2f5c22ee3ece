import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { LiveRequest, LiveUtterance } from './live-bot.ts';
import { pinnedNode, SINK_CORE } from './machine.ts';

const TIMEOUT_MS = 120_000;

/** Utterances through the real bot, its process on one core and everything around it on the other. */
export function speakLive(request: LiveRequest): Promise<LiveUtterance[]> {
  return new Promise((resolve, reject) => {
    const file = fileURLToPath(new URL('./live-bot.ts', import.meta.url));
    const [command, ...args] = pinnedNode(SINK_CORE, file, JSON.stringify(request));
    const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    const timer = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS);
    child.on('message', (utterances) => resolve(utterances as LiveUtterance[]));
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      clearTimeout(timer);
      reject(new Error(`The live bot's process ended (${signal ?? code}) without a result`));
    });
  });
}
