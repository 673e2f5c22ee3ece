import { describe, expect, it } from 'vitest';
import { parseDemoOptions, wantsPage } from '../../../src/playground/demo/program-flags.ts';

describe("the playground's options", () => {
  it('write what is heard as WAV only', () => {
    expect(parseDemoOptions(['--say', 'Hi', '--out', 'folder/O.WAV'])).toMatchObject({ out: 'folder/O.WAV' });
    expect(() => parseDemoOptions(['--say', 'Hi', '--out', 'folder.wav/o'])).toThrow('a name that ends in .wav.');
  });

  it.each(['70000', 'x', '-1'])('refuse the port %s of the page', (port) => {
    expect(() => parseDemoOptions([`--port=${port}`])).toThrow('a port is a whole number from 0 to 65535.');
  });

  it('refuse options of the page where there is none', () => {
    expect(() => parseDemoOptions(['--no-page', '--port', '1'])).toThrow('--port needs the page: leave out --no-page.');
    expect(() => parseDemoOptions(['--say', 'Hi', '--port', '1'])).toThrow('--port needs the page: leave out --say.');
    for (const without of [['--say', 'Hi'], ['--no-page']]) {
      expect(wantsPage(parseDemoOptions([...without, '--no-open']), true)).toBe(false);
    }
  });

  it('open a page at a terminal, and from a pipe only where one is asked for', () => {
    const wants = (argv: string[], atTerminal: boolean) => wantsPage(parseDemoOptions(argv), atTerminal);
    expect(wants([], true)).toBe(true);
    expect(wants([], false)).toBe(false);
    expect(wants(['--port', '0'], false)).toBe(true);
    expect(wants(['--no-open'], false)).toBe(true);
  });

  it('choose who speaks, but not for a configured voice', () => {
    expect(parseDemoOptions(['--voice-engine', 'espeak']).voiceEngine).toBe('espeak');
    expect(() => parseDemoOptions(['--voice-engine', 'espeak', '--configured-voice'])).toThrow(/--configured-voice/);
  });

  it('send a folder for the data to --data', () => {
    expect(() => parseDemoOptions(['--set', 'DATA_DIR=kept'])).toThrow('--set DATA_DIR=kept: --data DIR is for that');
  });

  it('name the setting that was probably meant', () => {
    expect(() => parseDemoOptions(['--set', 'READ_MESAGE=on'])).toThrow('the nearest name is READ_MESSAGES');
  });
});
