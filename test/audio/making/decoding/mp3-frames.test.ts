import { expect, it } from 'vitest';
import { declaredFrames } from '../../../../src/audio/making/decoding/mp3-frames.ts';
import { parseMp3Header } from '../../../../src/sound/mp3-header.ts';

it('declares no frames where a Xing tag has no room for their number', () => {
  // MPEG-2, layer III, 22.05 kHz, stereo, 8 kbit/s.
  const frame = new Uint8Array(26);
  frame.set([0xff, 0xf3, 0x10, 0x00]);
  const header = parseMp3Header(frame);
  expect(header).toMatchObject({ bytes: 26, tagOffset: 21 });
  frame.set(Buffer.from('Xing'), 21);
  expect(header && declaredFrames(frame, header)).toBeUndefined();
});
