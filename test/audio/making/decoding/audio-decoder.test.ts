import { spawnSync } from 'node:child_process';
import type { ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { decodeAudio } from '../../../../src/audio/making/decoding/audio-decoder.ts';
import { createAudioPipeline } from '../../../../src/audio/making/pipeline.ts';
import { readConfig } from '../../../../src/config/config.ts';
import { serverThat } from '../../../loopback-server.ts';
import { isFfmpegMissing } from '../../ffmpeg.ts';
import { correlation, decoded, inPieces, mp3, silentLog, speechLike, WHOLE, wav16 } from '../../sounds.ts';

const decode = (bytes: AsyncIterable<Uint8Array>) => decoded(decodeAudio(bytes));

const RATE_HZ = 24_000;
const [first, second] = [speechLike(RATE_HZ, 0.5), speechLike(RATE_HZ, 0.4, 7)];

/** With a size of that, as servers send it that do not know how much there will be. */
function unsized(file: Buffer, size: number): Buffer {
  const bytes = Buffer.from(file);
  bytes.writeUInt32LE(size, 40);
  return bytes;
}

const wavs = [first, second].map((samples) => wav16(samples, RATE_HZ)) as [Buffer, Buffer];
const list = Buffer.concat([Buffer.from('LIST\x06\0\0\0INFOab', 'latin1')]);
const atAnotherRate = wav16(speechLike(48_000, 0.4, 7), 48_000);

describe('several files in one answer are all heard', () => {
  test.each([
    ['two whole WAVs', [...wavs]],
    ['with chunks and padding behind each', [wavs[0], list, Buffer.alloc(3), wavs[1], list]],
    ['the first without a size', [unsized(wavs[0], 0xffff_ffff), wavs[1]]],
    ['none with a size', wavs.map((file) => unsized(file, 0))],
    ['the first with a size that is too large', [unsized(wavs[0], 1_000_000), wavs[1]]],
    ['the second at another rate', [wavs[0], atAnotherRate]],
  ])('%s', async (_, files) => {
    const bytes = Buffer.concat(files);
    for (const piece of [7, 1_000, bytes.length]) {
      const { samples, rates, error } = await decode(inPieces(bytes, piece));
      expect(error).toBeUndefined();
      expect(rates).toEqual([RATE_HZ]);
      expect(Math.abs(samples.length - first.length - second.length)).toBeLessThan(10);
      expect(correlation(first, samples, 0)).toBeGreaterThan(0.99);
      if (!files.includes(atAnotherRate)) expect(correlation(second, samples, first.length)).toBeGreaterThan(0.99);
    }
  });

  test('WAV and MP3, MP3 of two rates, and MP3 and WAV', async () => {
    const [own, other] = [await mp3(second, RATE_HZ), await mp3(speechLike(44_100, 0.4), 44_100)];
    for (const files of [
      [wavs[0], own],
      [own, other],
      [own, own],
      [own, wavs[0], other],
    ]) {
      const bytes = Buffer.concat(files);
      const { samples, error } = await decode(inPieces(bytes, 4_096));
      expect(error).toBeUndefined();
      const seconds = files.reduce((sum, file) => sum + (file === wavs[0] ? 0.5 : 0.4), 0);
      expect(samples.length / RATE_HZ).toBeGreaterThan(seconds - 0.01);
      expect(samples.length / RATE_HZ).toBeLessThan(seconds + 0.2);
    }
  });

  test.skipIf(isFfmpegMissing)('Ogg behind WAV', async () => {
    const args = ['-loglevel', 'error', '-f', 'wav', '-i', '-', '-c:a', 'libopus', '-f', 'ogg', '-'];
    const { stdout: ogg } = spawnSync('ffmpeg', args, { input: wavs[1] });
    const { samples, error } = await decode(inPieces(Buffer.concat([wavs[0], ogg]), 1_000));
    expect(error).toBeUndefined();
    expect(samples.length / RATE_HZ).toBeCloseTo(0.9, 1);
  });
});

test('sound before a header that makes no sense is heard, then the damage is told', async () => {
  const broken = Buffer.from(wavs[1]);
  broken.writeUInt32LE(7, 24);
  const { samples, error } = await decode(inPieces(Buffer.concat([wavs[0], broken]), 100_000));
  expect(samples).toHaveLength(first.length);
  expect(error).toMatchObject({ kind: 'damaged' });
});

/** Moves the time of undici, by which it ends silent connections; in a file of its own, since it is one for all connections. */
const undiciTime = createRequire(import.meta.url)('undici/lib/util/timers.js') as { tick(ms?: number): void };

const file = wav16(speechLike(24_000, 2), 24_000);
const half = file.length / 2;

test.each([
  ['is waited for with the built-in voice, whose engine may still speak', {}, 'complete'],
  ['ends it with a service', { VOICE_API_URL: 'https://voice.example.com', VOICE_API_KEY: 'key-1' }, 'failed'],
])('a minute of silence between two pieces of a sound %s', async (_, environment, state) => {
  const begun = Promise.withResolvers<ServerResponse>();
  const url = await serverThat((_, response) => response.write(file.subarray(0, half), () => begun.resolve(response)));
  const read = readConfig({ DISCORD_TOKEN: 'MTAwMDAwMDAwMDAwMDAwMDAx.fake.token', ...environment });
  if (!read.ok) throw new Error('These settings are complete');
  const pipeline = createAudioPipeline({ log: silentLog, allowLoopback: true, ...read.config.audio });
  onTestFinished(() => pipeline.close());
  const clip = await pipeline.fetchClip(new URL(url), WHOLE);
  const response = await begun.promise;
  await vi.waitFor(() => expect(clip.durationMs).toBeGreaterThan(900), { timeout: 60_000 });
  // The first one begins what was set since the last.
  undiciTime.tick();
  undiciTime.tick(60_000);
  response.end(file.subarray(half));
  await clip.done.catch(() => undefined);
  expect(clip.state).toBe(state);
});
