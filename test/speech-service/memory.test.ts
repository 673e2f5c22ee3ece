import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { request } from 'undici';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { NODE_FLAGS } from '../../src/process/child-environment.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { bearer, start } from './program.ts';
import { send } from './running-service.ts';

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
    const env = { SPEECH_SERVICE_KEY: KEY, LOG_LEVEL: 'warn' };
    // As the bot starts it.
    const { child, addresses } = await start(temporaryFolder(), ['--exit-with-parent'], env, NODE_FLAGS);
    let madeBytes = 0;
    for (let index = 0; index < REQUESTS; index++) {
      // A minute of speech.
      const input = `Fox ${index} jumps over the lazy dog, again and again. `.repeat(30).slice(0, 990);
      const asked = { input, voice: 'aria', model: 'gpro38' };
      const { body } = await send('POST', `${addresses.url}/api/v1/speech`, bearer(KEY), asked);
      madeBytes += (await (await request(body.url)).body.arrayBuffer()).byteLength;
    }
    expect(madeBytes).toBeGreaterThan(50 * MIB);
    // The most that was resident, as a container's limit counts it.
    const peakKib = Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]);
    expect(peakKib / 1024).toBeGreaterThan(50);
    expect(peakKib / 1024).toBeLessThan(limitMib() - LEFT_FOR_THE_BOT_MIB);
  },
  240_000,
);
