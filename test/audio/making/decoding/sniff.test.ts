import { describe, expect, test } from 'vitest';
import { sniffFormat } from '../../../../src/audio/making/decoding/sniff.ts';
import { mp3, speechLike, wav16 } from '../../sounds.ts';

const latin1 = (text: string) =>
  Buffer.concat([Buffer.from(text, 'latin1'), Buffer.alloc(Math.max(0, 64 - text.length))]);

describe('the first bytes', () => {
  test('of a WAV and of an MP3 decide, whatever name and type say', async () => {
    expect(sniffFormat(wav16(speechLike(24_000, 0.1), 24_000).subarray(0, 64))).toBe('wav');
    expect(sniffFormat((await mp3(speechLike(24_000, 0.1), 24_000)).subarray(0, 64))).toBe('mp3');
    expect(sniffFormat(latin1('ID3\x04\0\0'))).toBe('mp3');
  });

  test.each([
    ['Ogg', 'OggS\0\x02'],
    ['FLAC', 'fLaC\0\0'],
    ['MP4', '\0\0\0\x20ftypM4A '],
    ['WebM', '\x1a\x45\xdf\xa3'],
    ['AAC', '\xff\xf1\x50\x80'],
    ['a picture', '\x89PNG\r\n\x1a\n'],
    ['RIFF that is no WAVE', 'RIFF\0\0\0\0AVI '],
  ])('of %s are left to ffmpeg', (_, text) => {
    expect(sniffFormat(latin1(text))).toBe('other');
  });

  test('of a WAV with compressed sound are left to ffmpeg', () => {
    const file = wav16(speechLike(24_000, 0.1), 24_000);
    file.writeUInt16LE(7, 20);
    expect(sniffFormat(file.subarray(0, 64))).toBe('other');
  });

  test.each([
    '<!DOCTYPE html><html><head><title>Not found</title></head><body></body></html>',
    '{"error":{"message":"gone"}}',
    '\n\n  <?xml version="1.0"?>',
  ])('of text are no sound: %s', (text) => {
    expect(() => sniffFormat(Buffer.from(text).subarray(0, 64))).toThrow(
      expect.objectContaining({ kind: 'not-audio' }),
    );
  });

  test('of nothing are no sound', () => {
    expect(() => sniffFormat(new Uint8Array(0))).toThrow(expect.objectContaining({ kind: 'not-audio' }));
  });
});
