import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';
import { SILENCE_PACKET } from '../../../src/audio/clips/clip.ts';
import {
  chooseOpus,
  loadNativeOpus,
  OPUS_RATES_HZ,
  type OpusLibrary,
  toInt16,
  wasmOpus,
} from '../../../src/audio/making/opus-encoder.ts';
import { isMissing } from '../../missing-program.ts';
import { packetsOf } from '../opus-sounds.ts';
import { correlation, heard, PRE_SKIP, peak, reference48k, rms, silentLog, snrDb, speechLike } from '../sounds.ts';

const native = loadNativeOpus();
isMissing(
  'library' in native,
  `The native Opus encoder is missing (${'reason' in native && native.reason}): npm run build:opus builds it`,
);
const libraries: OpusLibrary[] = [wasmOpus, ...('library' in native ? [native.library] : [])];

describe.each(libraries)('$name', (library) => {
  test.each(OPUS_RATES_HZ)('encodes mono at %i Hz: what is heard is what was said', async (rateHz) => {
    const said = speechLike(rateHz, 1);
    const sound = await heard(await packetsOf(said, rateHz, library));
    const wanted = reference48k(said, rateHz);
    expect(correlation(wanted, sound, PRE_SKIP)).toBeGreaterThan(0.99);
    expect(snrDb(wanted, sound, PRE_SKIP)).toBeGreaterThan(18);
  });

  test('keeps the first and the last 20 ms, which a missing look-ahead would cut', async () => {
    const said = speechLike(24_000, 0.605);
    const packets = await packetsOf(said, 24_000, library);
    const sound = await heard(packets);
    const wanted = reference48k(said, 24_000);
    // 605 ms and the look-ahead of 6.5 ms fill 31 packets.
    expect(packets).toHaveLength(31);
    for (const from of [0, wanted.length - 960]) {
      const piece = wanted.subarray(from, from + 960);
      expect(correlation(piece, sound, from + PRE_SKIP)).toBeGreaterThan(0.9);
      const ratio = rms(sound, from + PRE_SKIP, from + PRE_SKIP + 960) / rms(piece);
      expect(ratio).toBeGreaterThan(0.7);
      expect(ratio).toBeLessThan(1.3);
    }
  });

  test('packets are 20 ms and mono, and even of sound this tonal take no more than twice the 80 kbit/s asked for', async () => {
    const packets = await packetsOf(speechLike(24_000, 2), 24_000, library);
    const bytes = packets.reduce((sum, packet) => sum + packet.length, 0);
    const kbps = (bytes * 8) / (packets.length * 20);
    expect(kbps).toBeGreaterThan(55);
    expect(kbps).toBeLessThan(160);
    // RFC 6716, 3.1: bit 2 of the first byte is the stereo flag, the two lowest bits are 0 for one frame.
    for (const packet of packets) expect((packet[0] ?? 0) & 0b111).toBe(0);
  });

  test('gives each packet memory of its own', async () => {
    const encoder = await library.createEncoder(24_000);
    const loud = speechLike(24_000, 0.02);
    const first = encoder.encode(loud);
    const before = Buffer.from(first);
    for (let i = 0; i < 20; i++) encoder.encode(loud);
    encoder.close();
    expect(first.equals(before)).toBe(true);
  });
});

/** How far the first 60 ms are from their source, in dB below it; the overlap with what was heard before left out. */
function beginning(said: Float32Array, sound: Float32Array): { noiseDb: number; peak: number } {
  const [from, to] = [240, 3 * 960 - PRE_SKIP];
  const noise = said.map((sample, i) => sample - (sound[i + PRE_SKIP] ?? 0));
  const noiseDb = 20 * Math.log10(rms(noise, from, to) / rms(said, from, to));
  return { noiseDb, peak: peak(sound.subarray(from, to)) };
}

describe.each(libraries)('over the borders of clips from $name', (library) => {
  const SOUNDS = [24_000, 48_000].flatMap((rateHz) =>
    Array.from({ length: 8 }, (_, i) => {
      const gain = [1, 0.3, 2, 0.05][i % 4] as number;
      return { rateHz, said: speechLike(rateHz, 0.3 + 0.05 * i, i + 1).map((sample) => sample * gain) };
    }),
  );

  test.each([
    { border: 'one clip after the other at once', silence: 0, played: 1 },
    { border: 'five frames of silence between them', silence: 5, played: 1 },
    { border: 'each clip stopped in the middle', silence: 0, played: 0.5 },
  ])('no beginning is damaged: $border', async ({ silence, played }) => {
    const clips = await Promise.all(
      SOUNDS.map(async ({ rateHz, said }) => {
        const packets = await packetsOf(said, rateHz, library);
        const wanted = reference48k(said, rateHz);
        return { packets, wanted, alone: beginning(wanted, await heard(packets)) };
      }),
    );
    const stream: Uint8Array[] = [];
    const starts = clips.map(({ packets }) => {
      stream.push(...new Array<Uint8Array>(silence).fill(SILENCE_PACKET));
      const start = stream.length;
      stream.push(...packets.slice(0, Math.ceil(packets.length * played)));
      return start * 960;
    });
    const sound = await heard(stream);
    const damaged = clips.flatMap(({ wanted, alone }, i) => {
      const among = beginning(wanted, sound.subarray(starts[i]));
      return among.noiseDb > alone.noiseDb + 1 || among.peak > 1.2 * alone.peak ? [{ i, alone, among }] : [];
    });
    expect(damaged).toEqual([]);
  });
});

const outdated = () => {
  throw new Error('was compiled against a different Node.js version using NODE_MODULE_VERSION 115.\nThis version …');
};

test.each([
  ['is built for another Node', outdated, 'was compiled against a different Node.js version'],
  ['is missing', () => createRequire(import.meta.url)('@discordjs/no-such-opus'), 'not built'],
  ['lacks the encoder', () => ({}), 'not a constructor'],
])('the choice of encoder falls back to WASM where the native one %s', async (_, load, reason) => {
  const broken = loadNativeOpus(load);
  expect(broken).toMatchObject({ reason: expect.stringContaining(reason) });
  const chosen = chooseOpus(silentLog, broken);
  expect(chosen.name).toBe('libopus-wasm');
  expect((await packetsOf(speechLike(24_000, 0.1), 24_000, chosen)).length).toBe(6);
});

test('samples to 16 bits come out as a 16-bit source had them, louder ones are clipped', () => {
  const target = new Int16Array(6);
  toInt16(Float32Array.from([-1, -12_345 / 32_768, 0, 12_345 / 32_768, 1, -1.7]), target);
  expect([...target]).toEqual([-32_768, -12_345, 0, 12_345, 32_767, -32_768]);
});
