import { describe, expect, test } from 'vitest';
import { asOneFile, joinAudio, readAudio } from '../../src/sound/audio-file.ts';
import { wav16 } from '../audio/sounds.ts';

/** A WAV file with 16-bit mono samples; extra chunks where other programs put them. */
function wav(
  samples: readonly number[],
  { rate = 24_000, before = Buffer.alloc(0), declared = samples.length * 2 } = {},
) {
  const scaled = Float32Array.from(samples, (sample) => sample / 32_767);
  const plain = wav16(scaled, rate);
  plain.writeUInt32LE(declared, 40);
  const file = Buffer.concat([plain.subarray(0, 36), before, plain.subarray(36)]);
  file.writeUInt32LE(file.length - 8, 4);
  return file;
}

/** One MPEG-2 layer III frame of 24 kHz mono at 128 kbit/s: 384 bytes. */
function frame(fill: number, tag?: string): Buffer {
  const bytes = Buffer.alloc(384, fill);
  Buffer.from([0xff, 0xf3, 0xc4, 0xc4]).copy(bytes);
  if (tag !== undefined) {
    bytes.fill(0, 4);
    bytes.write(tag, 13);
  }
  return bytes;
}
const id3 = Buffer.concat([Buffer.from('ID3\x04\0\0\0\0\0\x14', 'latin1'), Buffer.alloc(20, 0xff)]);
const id3v1 = Buffer.concat([Buffer.from('TAG'), Buffer.alloc(125)]);

describe('joined WAV files', () => {
  test('have one header with the length of all sound, and every sample of every part', () => {
    const loud = Array.from({ length: 2_400 }, () => 12_000);
    const list = Buffer.concat([Buffer.from('LIST'), Buffer.from([4, 0, 0, 0]), Buffer.from('INFO')]);
    const joined = joinAudio([readAudio(wav(loud)), readAudio(wav(loud, { before: list })), readAudio(wav(loud))]);
    const bytes = Buffer.from(joined?.bytes ?? []);
    expect(bytes.readUInt32LE(4)).toBe(bytes.length - 8);
    expect(bytes.readUInt32LE(40)).toBe(3 * 4_800);
    expect(bytes.length).toBe(44 + 3 * 4_800);
    expect(joined?.seconds).toBeCloseTo(0.3);
  });

  test('have no step at a joint that would be heard as a click', () => {
    const joined = joinAudio([wav(Array(2_400).fill(20_000)), wav(Array(2_400).fill(-20_000))].map(readAudio));
    const samples = new Int16Array(Uint8Array.from(joined?.bytes ?? []).buffer, 44);
    const steps = samples.slice(1).map((sample, index) => Math.abs(sample - (samples[index] ?? 0)));
    expect(Math.max(...steps)).toBeLessThan(400);
    // The ends of the file itself are left alone.
    expect([samples[0], samples.at(-1)]).toEqual([20_000, -20_000]);
  });

  test('are not made of parts with different formats, nor of a part that was cut off or has no sound', () => {
    expect(joinAudio([readAudio(wav([1, 2])), readAudio(wav([1, 2], { rate: 44_100 }))])).toBeUndefined();
    expect(joinAudio([readAudio(wav([1, 2])), readAudio(Buffer.concat([frame(1), frame(2)]))])).toBeUndefined();
    const cut = wav(Array(2_400).fill(1)).subarray(0, -2_400);
    expect(() => readAudio(cut)).toThrow('it ends 50 ms before its header says');
    expect(readAudio(wav([0])).seconds).toBeCloseTo(1 / 24_000);
    for (const declared of [0, 0xffffffff]) expect(() => readAudio(wav([], { declared }))).toThrow('it holds no sound');
  });
});

const firstMp3 = Buffer.concat([id3, frame(0, 'Info'), frame(1), frame(2), id3v1]);

describe('joined MP3 files', () => {
  test('are whole frames in a row without tags between them, and say in front how many frames and bytes there are', () => {
    const second = Buffer.concat([id3, frame(0, 'Xing'), frame(3), id3v1]);
    const joined = joinAudio([readAudio(firstMp3), readAudio(second)]);
    const bytes = Buffer.from(joined?.bytes ?? []);
    expect(bytes.subarray(384)).toEqual(Buffer.concat([frame(1), frame(2), frame(3)]));
    expect(joined?.seconds).toBeCloseTo((3 * 576) / 24_000);
    // Players take the real length from there.
    expect(bytes.subarray(0, 4)).toEqual(frame(1).subarray(0, 4));
    expect(bytes.toString('latin1', 13, 17)).toBe('Info');
    expect([bytes.readUInt32BE(17), bytes.readUInt32BE(21), bytes.readUInt32BE(25)]).toEqual([3, 3, bytes.length]);
  });

  test('are whole without a last frame that is cut off', () => {
    const cut = Buffer.concat([frame(1), frame(2), frame(3)]).subarray(0, -10);
    expect(readAudio(cut).seconds).toBeCloseTo(1_152 / 24_000);
  });
});

describe('a single file', () => {
  test('stays as it came, tags and all', () => {
    const bytes = Buffer.concat([id3, frame(1), frame(2)]);
    expect(joinAudio([readAudio(bytes)])?.bytes).toBe(bytes);
  });

  test('that is neither WAV nor MP3 is refused', () => {
    for (const text of ['OggS', '<html>', '']) expect(() => readAudio(Buffer.from(text))).toThrow(RangeError);
  });

  test.each([0, 0xffffffff, 1_000])('of WAV with a declared size of %i has the true one from then on', (declared) => {
    const bytes = Buffer.from(readAudio(wav(Array(500).fill(9), { declared })).bytes);
    expect([bytes.readUInt32LE(4), bytes.readUInt32LE(40), bytes.length]).toEqual([1_036, 1_000, 1_044]);
  });

  test('is made of several complete ones in a row, WAV or MP3', () => {
    const [first, second] = [wav(Array(500).fill(9)), wav(Array(700).fill(9), { declared: 0xffffffff })];
    const joined = readAudio(Buffer.concat([first, second, first]));
    expect(joined.seconds).toBeCloseTo(1_700 / 24_000);
    expect(Buffer.from(joined.bytes).readUInt32LE(40)).toBe(3_400);
    const joinedMp3 = readAudio(Buffer.concat([firstMp3, firstMp3]));
    expect(Buffer.from(joinedMp3.bytes).readUInt32BE(21)).toBe(4);
  });

  test('is not made of several rates, which stay as they came', () => {
    const bytes = Uint8Array.from(Buffer.concat([wav([1, 2]), wav([1, 2], { rate: 44_100 })]));
    expect(() => readAudio(bytes)).toThrow('its sound has several formats');
    expect(asOneFile(bytes)).toBe(bytes);
  });
});
