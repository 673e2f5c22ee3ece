import { Buffer } from 'node:buffer';
import { describe, expect, test } from 'vitest';
import { oggOpusFile, packClip, unpackClip } from '../../../src/audio/clips/clip-files.ts';
import { decodeWithFfmpeg } from '../../../src/audio/making/decoding/ffmpeg-decoder.ts';
import { isFfmpegMissing } from '../ffmpeg.ts';
import { packetsOf } from '../opus-sounds.ts';
import { correlation, decoded, inPieces, reference48k, speechLike } from '../sounds.ts';

const packets = [Buffer.from([1, 2, 3]), Buffer.from([]), Buffer.alloc(1275, 7), Buffer.from([0xf8, 0xff, 0xfe])];

describe('a packed clip', () => {
  test('comes out as it went in', () => {
    expect(unpackClip(packClip(packets))).toEqual(packets);
    expect(unpackClip(packClip([]))).toEqual([]);
  });

  test('is nothing when any of its bytes was changed, when it was cut off anywhere, or when something follows it', () => {
    const whole = packClip(packets);
    for (let at = 0; at < whole.length; at++) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] as number) ^ 0x20;
      expect([unpackClip(damaged), unpackClip(whole.subarray(0, at))]).toEqual([undefined, undefined]);
    }
    expect(unpackClip(Buffer.concat([whole, Buffer.from([0])]))).toBeUndefined();
  });
});

const said = speechLike(24_000, 2.5);

/** Read by the letter of RFC 3533, bit by bit where the writer uses a table. */
function pagesOf(file: Buffer) {
  const pages = [];
  for (let at = 0; at < file.length; ) {
    expect(file.toString('latin1', at, at + 4)).toBe('OggS');
    const lacing = [...file.subarray(at + 27, at + 27 + file.readUInt8(at + 26))];
    const length = 27 + lacing.length + lacing.reduce((sum, value) => sum + value, 0);
    const page = Buffer.from(file.subarray(at, at + length));
    const stated = page.readUInt32LE(22);
    page.writeUInt32LE(0, 22);
    let checksum = 0;
    for (const byte of page) {
      checksum ^= byte << 24;
      for (let bit = 0; bit < 8; bit++) checksum = checksum < 0 ? (checksum << 1) ^ 0x04c11db7 : checksum << 1;
    }
    expect(checksum >>> 0).toBe(stated);
    const packets: Buffer[] = [];
    let start = 27 + lacing.length;
    let size = 0;
    for (const value of lacing) {
      size += value;
      if (value === 255) continue;
      packets.push(page.subarray(start, start + size));
      start += size;
      size = 0;
    }
    pages.push({
      flags: page.readUInt8(5),
      granule: page.readBigUInt64LE(6),
      sequence: page.readUInt32LE(18),
      packets,
    });
    at += length;
  }
  return pages;
}

describe('an Ogg Opus file', () => {
  test('has its headers alone on the first pages, every packet once and in order, and positions that count up', async () => {
    const packets = await packetsOf(said);
    const pages = pagesOf(oggOpusFile(packets));
    expect(pages.map(({ sequence }) => sequence)).toEqual(pages.map((_, index) => index));
    expect(pages.map(({ flags }) => flags)).toEqual([2, ...new Array(pages.length - 2).fill(0), 4]);
    const [head, tags, ...sound] = pages;
    expect(head?.packets[0]?.toString('latin1', 0, 8)).toBe('OpusHead');
    expect(head?.packets[0]?.readUInt8(9)).toBe(1);
    expect(head?.packets[0]?.readUInt16LE(10)).toBe(312);
    expect(tags?.packets[0]?.toString('latin1', 0, 8)).toBe('OpusTags');
    expect(sound.flatMap((page) => page.packets)).toEqual(packets);
    expect(sound.at(-1)?.granule).toBe(BigInt(packets.length * 960));
    expect(sound.length).toBe(Math.ceil(packets.length / 42));
  });

  test('carries packets of every size that Opus has, also such that fill a segment', () => {
    const packets = [1, 254, 255, 256, 510, 1275, ...new Array(300).fill(1275)].map((size) => Buffer.alloc(size, 9));
    const pages = pagesOf(oggOpusFile(packets));
    expect(pages.slice(2).flatMap((page) => page.packets)).toEqual(packets);
  });

  test.skipIf(isFfmpegMissing)('is decoded by ffmpeg to what was said, to the sample', async () => {
    const file = oggOpusFile(await packetsOf(said));
    const { samples } = await decoded(decodeWithFfmpeg(inPieces(file, 4_096), undefined));
    const wanted = reference48k(said, 24_000);
    expect(correlation(wanted, samples, 0)).toBeGreaterThan(0.97);
    expect(correlation(wanted, samples, 48)).toBeLessThan(0.9);
    expect(samples.length).toBeGreaterThanOrEqual(wanted.length);
    expect(samples.length).toBeLessThan(wanted.length + 960 + 312);
  });
});
