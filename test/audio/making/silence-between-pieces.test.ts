import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createAudioPipeline } from '../../../src/audio/making/pipeline.ts';
import { readConfig } from '../../../src/config/config.ts';
import { silentLog, speechLike, wav16 } from '../sounds.ts';

/** Moves the time of undici, by which it ends silent connections; in a file of its own, since it is one for all connections. */
const undiciTime = createRequire(import.meta.url)('undici/lib/util/timers.js') as { tick(ms?: number): void };

const file = wav16(speechLike(24_000, 2), 24_000);
const half = file.length / 2;

test.each([
  ['is waited for with the local voice, whose engine may still speak', {}, 'complete'],
  ['ends it with a service', { VOICE_API_URL: 'https://voice.example.com', VOICE_API_KEY: 'key-1' }, 'failed'],
])('a minute of silence between two pieces of a sound %s', async (_, environment, state) => {
  const begun = Promise.withResolvers<ServerResponse>();
  const server = createServer((_, response) => response.write(file.subarray(0, half), () => begun.resolve(response)));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close().closeAllConnections());
  const read = readConfig({ DISCORD_TOKEN: 'MTAwMDAwMDAwMDAwMDAwMDAx.fake.token', ...environment });
  if (!read.ok) throw new Error('These settings are complete');
  const pipeline = createAudioPipeline({ log: silentLog, allowLoopback: true, ...read.config.audio });
  onTestFinished(() => pipeline.close());
  const clip = await pipeline.fetchClip(new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  const response = await begun.promise;
  await vi.waitFor(() => expect(clip.durationMs).toBeGreaterThan(900));
  // The first one begins what was set since the last.
  undiciTime.tick();
  undiciTime.tick(60_000);
  response.end(file.subarray(half));
  await clip.done.catch(() => undefined);
  expect(clip.state).toBe(state);
});
