import { expect, it } from 'vitest';
import { createAudioReader } from '../../src/sound/audio-reader.ts';
import { parseMp3Header } from '../../src/sound/mp3.ts';

it('reads no number of frames where a Xing tag has no room for it', () => {
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
