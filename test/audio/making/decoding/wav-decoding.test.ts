import { describe, expect, test } from 'vitest';
import { decodeAudio } from '../../../../src/audio/making/decoding/audio-decoder.ts';
import { decoded, inPieces, mp3, speechLike, unended, wav16 } from '../../sounds.ts';

type Write = (target: Buffer, at: number, value: number) => number;
/** The bytes of a sample, and how one is written. */
const ENCODINGS = {
  u8: [1, (target, at, value) => target.writeUInt8(Math.round(value * 127) + 128, at)],
  s16: [2, (target, at, value) => target.writeInt16LE(Math.round(value * 32_767), at)],
  s24: [3, (target, at, value) => target.writeIntLE(Math.round(value * 8_388_607), at, 3)],
  s32: [4, (target, at, value) => target.writeInt32LE(Math.round(value * 2_147_483_647), at)],
  f32: [4, (target, at, value) => target.writeFloatLE(value, at)],
  f64: [8, (target, at, value) => target.writeDoubleLE(value, at)],
} satisfies Record<string, [number, Write]>;

interface WavOptions {
  encoding?: keyof typeof ENCODINGS;
  channels?: Float32Array[];
  sampleRateHz?: number;
  extensible?: boolean;
  /** Chunks between the format and the data, and before the format. */
  between?: Buffer[];
  before?: Buffer[];
  after?: Buffer[];
  dataSize?: number;
}

function chunk(tag: string, body: Buffer, size = body.length): Buffer {
  const header = Buffer.alloc(8);
  header.write(tag, 0, 'latin1');
  header.writeUInt32LE(size, 4);
  return Buffer.concat([header, body, Buffer.alloc(body.length % 2)]);
}

const RIFF = Buffer.from('RIFF\0\0\0\0WAVE', 'latin1');
const said = speechLike(24_000, 0.05);

function wav(options: WavOptions = {}): Buffer {
  const { encoding = 's16', channels = [said], sampleRateHz = 24_000, extensible = false } = options;
  const { before = [], between = [], after = [] } = options;
  const [bytes, write] = ENCODINGS[encoding];
  const tag = encoding.startsWith('f') ? 3 : 1;
  const format = Buffer.alloc(extensible ? 40 : 16);
  format.writeUInt16LE(extensible ? 0xfffe : tag, 0);
  format.writeUInt16LE(channels.length, 2);
  format.writeUInt32LE(sampleRateHz, 4);
  format.writeUInt32LE(sampleRateHz * bytes * channels.length, 8);
  format.writeUInt16LE(bytes * channels.length, 12);
  format.writeUInt16LE(8 * bytes, 14);
  if (extensible) {
    format.writeUInt16LE(22, 16);
    format.writeUInt16LE(8 * bytes, 18);
    format.writeUInt16LE(tag, 24);
  }
  const length = channels[0]?.length ?? 0;
  const data = Buffer.alloc(length * bytes * channels.length);
  for (let i = 0; i < length; i++) {
    for (const [c, channel] of channels.entries()) {
      write(data, (i * channels.length + c) * bytes, channel[i] ?? 0);
    }
  }
  const sound = chunk('data', data, options.dataSize);
  return Buffer.concat([RIFF, ...before, chunk('fmt ', format), ...between, sound, ...after]);
}

const decode = (file: Uint8Array, piece = 1_000) => decoded(decodeAudio(inPieces(file, piece)));

function expectSame(actual: Float32Array, wanted: Float32Array, tolerance: number): void {
  expect(actual).toHaveLength(wanted.length);
  const worst = wanted.reduce((max, value, i) => Math.max(max, Math.abs(value - (actual[i] ?? 0))), 0);
  expect(worst).toBeLessThan(tolerance);
}

describe('WAV', () => {
  test.each([
    ['u8', 0.02],
    ['s16', 1e-4],
    ['s24', 1e-6],
    ['s32', 1e-6],
    ['f32', 1e-7],
    ['f64', 1e-7],
  ] as const)('of %s samples is read', async (encoding, tolerance) => {
    for (const extensible of [false, true]) {
      const { samples, rates, error } = await decode(wav({ encoding, extensible }));
      expect(error).toBeUndefined();
      expect(rates).toEqual([24_000]);
      expectSame(samples, said, tolerance);
    }
  });

  test('in stereo becomes the mean of both sides', async () => {
    const right = speechLike(24_000, 0.05, 5);
    const { samples } = await decode(wav({ channels: [said, right] }));
    const mean = said.map((value, i) => (value + (right[i] ?? 0)) / 2);
    expectSame(samples, mean, 1e-4);
  });

  test('with odd chunks, LIST and pictures before the data is read', async () => {
    const list = chunk('LIST', Buffer.from('INFOISFT\x05\0\0\0Lavf\0', 'latin1'));
    const odd = chunk('odd ', Buffer.from('abc'));
    const between = [list, odd, chunk('junk', Buffer.alloc(70_001))];
    const { samples, error } = await decode(wav({ before: [odd], between }));
    expect(error).toBeUndefined();
    expectSame(samples, said, 1e-4);
  });

  test('with a chunk behind its data is no longer for it, not even where that looks like sound', async () => {
    const { samples, error } = await decode(wav({ after: [chunk('id3 ', await mp3(said, 24_000)), Buffer.alloc(3)] }));
    expect(error).toBeUndefined();
    expectSame(samples, said, 1e-4);
  });

  test('is complete with its last sample, though the connection stays open behind it', async () => {
    let count = 0;
    for await (const pcm of decodeAudio(unended(wav()))) count += pcm.samples.length;
    expect(count).toBe(said.length);
  });

  test.each([0, 0xffff_ffff, 0xffff_ffff - 36, 0x7fff_ffff])('of unknown size (%i) is whole', async (dataSize) => {
    const { samples, error } = await decode(wav({ dataSize }));
    expect(error).toBeUndefined();
    expectSame(samples, said, 1e-4);
  });

  test('that is cut off is played as far as it goes, then reported', async () => {
    const file = wav16(said, 24_000);
    const { samples, error } = await decode(file.subarray(0, 44 + 1_001));
    expect(samples).toHaveLength(500);
    expect(error).toMatchObject({ name: 'AudioError', kind: 'damaged' });
  });

  test('floats that are no numbers are silence', async () => {
    const file = wav({ encoding: 'f32', channels: [Float32Array.of(0.5, Number.NaN, Number.POSITIVE_INFINITY, -0.5)] });
    expect([...(await decode(file)).samples]).toEqual([0.5, 0, 0, -0.5]);
  });

  test.each([
    ['no data', wav().subarray(0, 30)],
    ['no format before the data', Buffer.concat([RIFF, chunk('data', Buffer.alloc(100))])],
    ['no channels', wav({ channels: [] })],
    ['an absurd rate', wav({ sampleRateHz: 7 })],
    ['endless empty chunks', wav({ between: Array.from({ length: 1_000 }, () => chunk('junk', Buffer.alloc(0))) })],
    ['an endless header', wav({ between: [chunk('junk', Buffer.alloc(5 * 1024 * 1024))] })],
  ])('with %s is refused as damaged', async (_, file) => {
    expect((await decode(file, 65_536)).error).toMatchObject({ kind: 'damaged' });
  });
});
