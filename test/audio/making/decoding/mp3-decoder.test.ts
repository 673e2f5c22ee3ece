import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { decodeAudio, warmUpMp3 } from '../../../../src/audio/making/decoding/audio-decoder.ts';
import { createAudioReader } from '../../../../src/sound/audio-reader.ts';
import { parseMp3Header } from '../../../../src/sound/mp3.ts';
import { correlation, decoded, inPieces, mp3, snrDb, speechLike, unended } from '../../sounds.ts';

const said = speechLike(24_000, 1);
let file: Buffer;
/** Encoder (LAME: 576 + 529 + 24) and decoder delay, when no tag says how much to leave out. */
const CODEC_DELAY = 1_105;

beforeAll(async () => {
  file = await mp3(said, 24_000);
  await warmUpMp3();
});

const decode = (bytes: AsyncIterable<Uint8Array>) => decoded(decodeAudio(bytes));

function id3v2(content: Buffer): Buffer {
  const size = [21, 14, 7, 0].map((shift) => (content.length >> shift) & 0x7f);
  return Buffer.concat([Buffer.from('ID3\x04\0\0', 'latin1'), Buffer.from(size), content]);
}

/** What LAME writes first: a frame without sound that says how many follow and how much of them is padding. */
function infoFrame(frames: number, delay: number, padding: number): Buffer {
  const header = file.subarray(0, 4);
  const length = parseMp3Header(header)?.bytes ?? 0;
  const frame = Buffer.alloc(length);
  header.copy(frame);
  const at = 13;
  frame.write('Info', at, 'latin1');
  frame.writeUInt32BE(1, at + 4);
  frame.writeUInt32BE(frames, at + 8);
  const lame = at + 12;
  frame.write('LAME3.100', lame, 'latin1');
  frame[lame + 21] = delay >> 4;
  frame[lame + 22] = ((delay & 0xf) << 4) | (padding >> 8);
  frame[lame + 23] = padding & 0xff;
  return frame;
}

const framesOf = (bytes: Buffer) => {
  const reader = createAudioReader();
  return [...reader.push(bytes), ...reader.end()];
};

describe('MP3', () => {
  test('is decoded: what comes out is what went in', async () => {
    const { samples, rates, error } = await decode(inPieces(file, 4_096));
    expect(error).toBeUndefined();
    expect(rates).toEqual([24_000]);
    expect(correlation(said, samples, CODEC_DELAY)).toBeGreaterThan(0.99);
    expect(snrDb(said, samples, CODEC_DELAY)).toBeGreaterThan(15);
  });

  test.each([8_000, 16_000, 22_050, 44_100, 48_000] as const)('at %i Hz keeps its rate and length', async (rateHz) => {
    const sound = speechLike(rateHz, 0.5);
    const { samples, rates, error } = await decode(inPieces(await mp3(sound, rateHz, 64), 1_000));
    expect(error).toBeUndefined();
    expect(rates).toEqual([rateHz]);
    expect(samples.length).toBeGreaterThanOrEqual(sound.length);
    expect(samples.length - sound.length).toBeLessThan(3 * 1_152);
  });

  test('yields sound before the file has arrived', async () => {
    const first = await decodeAudio(unended(file.subarray(0, 1_600)))
      [Symbol.asyncIterator]()
      .next();
    expect(first.value?.samples.length).toBeGreaterThan(0);
  });

  test('with LAME’s tag loses the padding at both ends, to the sample', async () => {
    const frames = framesOf(file).length;
    const padding = frames * 576 - said.length - 576;
    const tagged = Buffer.concat([infoFrame(frames, 576, padding), file]);
    const { samples, error } = await decode(inPieces(tagged, 5_000));
    expect(error).toBeUndefined();
    expect(samples).toHaveLength(said.length);
    expect(correlation(said.subarray(0, 480), samples, 0)).toBeGreaterThan(0.9);
    expect(snrDb(said, samples, 0)).toBeGreaterThan(15);
  });

  test('with tags before and behind (ID3v2, ID3v1) plays only the sound', async () => {
    const plain = await decode(inPieces(file, 4_096));
    const id3v1 = Buffer.concat([Buffer.from('TAG', 'latin1'), Buffer.alloc(125, 0xff)]);
    const tagged = Buffer.concat([id3v2(randomBytes(3_000)), file, id3v1]);
    for (const piece of [7, 1_000, tagged.length]) expect(await decode(inPieces(tagged, piece))).toEqual(plain);
  });

  test('behind a tag of megabytes does not keep the tag in memory', () => {
    const reader = createAudioReader();
    // Its content looks like sound.
    const tag = id3v2(Buffer.alloc(3_000_000, file));
    for (let at = 0; at < tag.length; at += 65_536) {
      expect(reader.push(tag.subarray(at, at + 65_536))).toEqual([]);
    }
    expect(reader.push(file).length).toBeGreaterThan(10);
  });

  test('whose last frame is cut off is all that was heard, with a tag that counts it or without', async () => {
    const frames = framesOf(file);
    const cut = frames.slice(0, -1).reduce((sum, { bytes }) => sum + bytes.length, 0) + 100;
    for (const before of [Buffer.alloc(0), infoFrame(frames.length, 576, 0)]) {
      const { samples, error } = await decode(inPieces(Buffer.concat([before, file.subarray(0, cut)]), 1_000));
      expect(error).toBeUndefined();
      expect(samples.length).toBeGreaterThan(said.length - 1_200);
    }
  });

  test('with fewer frames than its header declares is reported', async () => {
    const frames = framesOf(file);
    const cut = Buffer.concat([infoFrame(frames.length, 576, 0), ...frames.slice(0, 10).map(({ bytes }) => bytes)]);
    expect((await decode(inPieces(cut, 1_000))).error).toMatchObject({ kind: 'damaged' });
  });

  test('with rubbish in the middle goes on behind it', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const frames = framesOf(file);
    const cut = frames.slice(0, 20).reduce((sum, { bytes }) => sum + bytes.length, 0);
    const spoilt = Buffer.concat([file.subarray(0, cut), Buffer.alloc(5_000, 0xab), file.subarray(cut)]);
    const { samples } = await decode(inPieces(spoilt, 1_000));
    expect(samples.length).toBeGreaterThan(said.length * 0.9);
  });
});

describe('a frame header', () => {
  test.each([
    ['MPEG-1, 44.1 kHz, 128 kbit/s, stereo', 0xff_fb_90_00, [44_100, 2, 1_152, 417]],
    ['the same, padded', 0xff_fb_92_00, [44_100, 2, 1_152, 418]],
    ['MPEG-2, 24 kHz, 64 kbit/s, mono', 0xff_f3_84_c0, [24_000, 1, 576, 192]],
    ['MPEG-2.5, 8 kHz, 8 kbit/s, mono', 0xff_e3_18_c0, [8_000, 1, 576, 72]],
  ])('of %s is read', (_, bits, wanted) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(bits);
    const { sampleRateHz, channels, samples, bytes: length } = parseMp3Header(bytes) ?? {};
    expect([sampleRateHz, channels, samples, length]).toEqual(wanted);
  });

  test.each([
    ['AAC in ADTS', [0xff, 0xf1, 0x50, 0x80]],
    ['layer II', [0xff, 0xfd, 0x90, 0x00]],
    ['free format', [0xff, 0xfb, 0x00, 0x00]],
    ['a forbidden bit rate', [0xff, 0xfb, 0xf0, 0x00]],
    ['a reserved rate', [0xff, 0xfb, 0x9c, 0x00]],
    ['no sync', [0xfe, 0xfb, 0x90, 0x00]],
    ['three bytes', [0xff, 0xfb, 0x90]],
  ])('of %s is none', (_, bytes) => {
    expect(parseMp3Header(Uint8Array.from(bytes))).toBeUndefined();
  });
});
