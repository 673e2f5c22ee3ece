import { expect, it } from 'vitest';
import { describeHeard, describeMessage, reportHeard } from '../../../src/playground/demo/show.ts';
import type { Heard } from '../../../src/playground/voice/types.ts';
import type { Person, VisibleMessage } from '../../../src/playground/world/world.ts';

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

it('signs that are escaped stand without their backslash, and code as it is', () => {
  const say = (...lines: string[]) =>
    describeMessage({ author: 'Crier', lines, files: [] } as unknown as VisibleMessage, 'en-US', '#general');
  expect(say('**Said:** \\*hi\\* \\_you\\_ C:\\dir', '`a\\*b` ``c\\` `` \\# 1')).toBe(
    '  Crier in #general\n    Said: *hi* _you_ C:\\dir\n    `a\\*b` ``c\\` `` # 1',
  );
});

it('a frame that could not be decrypted is no frame in the clear', () => {
  const said = (change: Partial<Heard>) => {
    const packets = [{ atMs: 120, audible: true, encrypted: true }] as unknown as Heard['packets'];
    const heard = {
      packets,
      seconds: 1,
      firstAudibleAtMs: 120,
      isInTheClear: false,
      undecryptableFrames: 0,
      ...change,
    };
    const report = reportHeard(heard as Heard, 100, 'heard.wav');
    return describeHeard(report, { name: 'frank', voiceChannel: 'General' } as Person, 'command')[0];
  };
  expect(said({})).toContain('1 packets, end-to-end encrypted, the first 20 ms');
  expect(said({ undecryptableFrames: 1 })).toContain(
    'end-to-end encrypted (1 frame could not be decrypted), the first',
  );
  expect(said({ isInTheClear: true })).toContain('NOT end-to-end encrypted');
});
