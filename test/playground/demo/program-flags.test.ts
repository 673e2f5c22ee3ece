import { describe, expect, it } from 'vitest';
import { parseDemoOptions } from '../../../src/playground/demo/program-flags.ts';

describe("the playground's options", () => {
  it.each(['o.mp3', 'o', 'wav', 'folder.wav/o.ogg'])('refuse to write a WAV into %s', (out) => {
    expect(() => parseDemoOptions(['--say', 'Hi', '--out', out])).toThrow(
      `--out ${out}: what is heard is written as WAV; choose a name that ends in .wav.`,
    );
  });

  it.each(['o.wav', 'folder/O.WAV'])('take %s for a WAV', (out) => {
    expect(parseDemoOptions(['--say', 'Hi', '--out', out])).toMatchObject({ out });
  });

  it('name the setting that was probably meant, and none where no name is near', () => {
    expect(() => parseDemoOptions(['--set', 'READ_MESAGE=on'])).toThrow(
      '--set READ_MESAGE: the bot has no such setting; the nearest name is READ_MESSAGES; .env.example lists all of them.',
    );
    expect(() => parseDemoOptions(['--set', 'FOO=1'])).toThrow(
      '--set FOO: the bot has no such setting; .env.example lists all of them.',
    );
  });
});
