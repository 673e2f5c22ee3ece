import { expect, it } from 'vitest';
import { describeMessage } from '../../../src/playground/demo/show.ts';
import type { VisibleMessage } from '../../../src/playground/world/world.ts';

const shown = (name: string, voiceMessage: boolean) =>
  describeMessage(
    {
      author: 'bob',
      ephemeral: false,
      voiceMessage,
      lines: [voiceMessage ? '[voice message: 3 s]' : `[file: ${name}]`],
      files: [{ name, size: 4, durationSeconds: 3 }],
    } as unknown as VisibleMessage,
    'en-US',
  );

it('an attached sound is a file; only a recorded one is a voice message', () => {
  expect(shown('song.mp3', false)).toBe('  bob\n    [file: song.mp3, 4 bytes]');
  expect(shown('voice.ogg', true)).toBe('  bob\n    [voice message: 3.0 s, 4 bytes]');
});
