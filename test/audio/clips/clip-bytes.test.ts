import { Buffer } from 'node:buffer';
import { describe, expect, test } from 'vitest';
import { packClip, unpackClip } from '../../../src/audio/clips/clip-bytes.ts';

const packets = [Buffer.from([1, 2, 3]), Buffer.from([]), Buffer.alloc(1275, 7), Buffer.from([0xf8, 0xff, 0xfe])];

describe('a packed clip', () => {
  test('comes out as it went in', () => {
    expect(unpackClip(packClip(packets))).toEqual(packets);
    expect(unpackClip(packClip([]))).toEqual([]);
  });

  test('is nothing when any of its bytes was changed', () => {
    const whole = packClip(packets);
    for (let at = 0; at < whole.length; at++) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] as number) ^ 0x20;
      expect(unpackClip(damaged)).toBeUndefined();
    }
  });

  test('is nothing when it was cut off anywhere, or when something follows it', () => {
    const whole = packClip(packets);
    for (let length = 0; length < whole.length; length++) expect(unpackClip(whole.subarray(0, length))).toBeUndefined();
    expect(unpackClip(Buffer.concat([whole, Buffer.from([0])]))).toBeUndefined();
  });
});
