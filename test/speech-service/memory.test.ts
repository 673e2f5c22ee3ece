import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { request } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { NODE_FLAGS } from '../../src/process/node-flags.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const KEY = 'crier_sk_a_key_for_the_test_of_its_memory';
const MIB = 1024 * 1024;
/** For the bot itself: at its peak it had 180 MiB in the end-to-end tests. */
const LEFT_FOR_THE_BOT_MIB = 256;
/** 64 MiB of audio are made, twice what is kept: afterwards the process grows no more. */
const REQUESTS = 10;

const limitMib = () => {
  const { mem_limit } = parse(readFileSync(join(ROOT, 'deploy', 'compose.yaml'), 'utf8')).services.crier;
  return Number(/^\$\{MEMORY_LIMIT:-(\d+)m\}$/.exec(mem_limit)?.[1]);
};

test.runIf(existsSync('/proc/self/status'))(
  'the built-in voice and the bot fit together under the limit of deploy/, however much was spoken',
  async () => {
    const service = await startProcess();
    let madeBytes = 0;
    for (let index = 0; index < REQUESTS; index++) madeBytes += await service.speak(index);
    expect(madeBytes).toBeGreaterThan(50 * MIB);
    const peakMib = service.peakBytes() / MIB;
    expect(peakMib).toBeGreaterThan(50);
    expect(peakMib).toBeLessThan(limitMib() - LEFT_FOR_THE_BOT_MIB);
  },
  240_000,
);

/** As the bot starts it. */
async function startProcess() {
  const main = join(ROOT, 'src', 'speech-service', 'main.ts');
  const args = [...NODE_FLAGS, main, '--json', '--port', '0', '--data', temporaryFolder(), '--exit-with-parent'];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, SPEECH_SERVICE_KEY: KEY, LOG_LEVEL: 'warn' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(async () => {
    child.stdin.end();
    if (child.exitCode === null) await once(child, 'exit');
  });
  const [line] = await once(createInterface({ input: child.stdout }), 'line', { signal: AbortSignal.timeout(60_000) });
  const { url } = JSON.parse(line);

  return {
    /** A minute of speech; the bytes of its audio. */
    async speak(index: number): Promise<number> {
      const input = `Fox ${index} jumps over the lazy dog, again and again. `.repeat(30).slice(0, 990);
      const answer = await request(new URL('/api/v1/speech', url), {
        method: 'POST',
        headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
        body: JSON.stringify({ input, voice: 'aria', model: 'gpro38' }),
      });
      const { url: audioUrl } = (await answer.body.json()) as { url: string };
      const audio = await request(audioUrl);
      return (await audio.body.arrayBuffer()).byteLength;
    },
    /** The most that was resident, as a container's limit counts it. */
    peakBytes: () => Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) * 1024,
  };
}
