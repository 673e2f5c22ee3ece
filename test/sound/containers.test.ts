import { describe, expect, test } from 'vitest';
import { createAudioReader } from '../../src/sound/audio-reader.ts';
import { containerOf } from '../../src/sound/containers.ts';
import { parseMp3Header } from '../../src/sound/mp3.ts';
import { mp3, speechLike, wav16 } from '../audio/sounds.ts';

const latin1 = (text: string) =>
  Buffer.concat([Buffer.from(text, 'latin1'), Buffer.alloc(Math.max(0, 64 - text.length))]);

const kindsOf = (bytes: Uint8Array) => {
  const reader = createAudioReader();
  return new Set([...reader.push(bytes), ...reader.end()].map(({ kind }) => kind));
};

describe('the first bytes', () => {
  test('of a WAV and of an MP3 decide, whatever name and type say', async () => {
    const [wav, speech] = [wav16(speechLike(24_000, 0.1), 24_000), await mp3(speechLike(24_000, 0.1), 24_000)];
    expect([wav, speech, latin1('ID3\x04\0\0')].map((bytes) => containerOf(bytes))).toEqual(['wav', 'mp3', 'mp3']);
    expect([kindsOf(wav), kindsOf(speech)]).toEqual([new Set(['wav']), new Set(['mp3'])]);
  });

  test.each([
    ['Ogg', 'OggS\0\x02', 'ogg'],
    ['FLAC', 'fLaC\0\0', 'flac'],
    ['AAC', '\xff\xf1\x50\x80', 'aac'],
    ['MP4', '\0\0\0\x20ftypM4A ', undefined],
    ['WebM', '\x1a\x45\xdf\xa3', undefined],
    ['a picture', '\x89PNG\r\n\x1a\n', undefined],
    ['RIFF that is no WAVE', 'RIFF\0\0\0\0AVI ', undefined],
  ])('of %s are left to ffmpeg', (_, text, container) => {
    expect(containerOf(latin1(text))).toBe(container);
    expect(kindsOf(latin1(text))).toEqual(new Set(['other']));
  });

  test('of a WAV with compressed sound are left to ffmpeg', () => {
    const file = wav16(speechLike(24_000, 0.1), 24_000);
    file.writeUInt16LE(7, 20);
    expect(kindsOf(file)).toEqual(new Set(['other']));
  });
});

test('reads no number of frames where a Xing tag has no room for it', () => {
  // MPEG-2, layer III, 22.05 kHz, stereo, 8 kbit/s.
  const frame = new Uint8Array(26);
  frame.set([0xff, 0xf3, 0x10, 0x00]);
  expect(parseMp3Header(frame)).toMatchObject({ bytes: 26, tagOffset: 21 });
  const tagged = Uint8Array.from(frame);
  tagged.set(Buffer.from('Xing'), 21);
  const reader = createAudioReader();
  const pieces = [...reader.push(Buffer.concat([tagged, frame, frame])), ...reader.end()];
  expect(pieces.map((piece) => piece.kind === 'mp3' && piece.isDescription)).toEqual([true, false, false]);
  expect(reader.problem).toBeUndefined();
});
