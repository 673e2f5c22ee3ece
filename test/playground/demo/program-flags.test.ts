import { describe, expect, it } from 'vitest';
import { parseDemoOptions, wantsPage } from '../../../src/playground/demo/program-flags.ts';

describe("the playground's options", () => {
  const noPort = 'a port is a whole number from 0 to 65535.';
  it.each([
    ['--say Hi --out folder.wav/o', 'a name that ends in .wav.'],
    ['--port=70000', noPort],
    ['--port=x', noPort],
    ['--port=-1', noPort],
    ['--no-page --port 1', '--port needs the page: leave out --no-page.'],
    ['--say Hi --port 1', '--port needs the page: leave out --say.'],
    ['--voice-engine espeak --configured-voice', 'leave out --configured-voice.'],
    ['--set DATA_DIR=kept', '--set DATA_DIR=kept: --data DIR is for that'],
    ['--set READ_MESAGE=on', 'the nearest name is READ_MESSAGES'],
  ])('%s is refused with what to do', (line, told) => {
    expect(() => parseDemoOptions(line.split(' '))).toThrow(told);
  });

  it('choose who speaks, and where what is heard is written', () => {
    const options = ['--voice-engine', 'espeak', '--say', 'Hi', '--out', 'folder/O.WAV'];
    expect(parseDemoOptions(options)).toMatchObject({ voiceEngine: 'espeak', out: 'folder/O.WAV' });
  });

  it('open a page at a terminal, and from a pipe only where one is asked for', () => {
    const wants = (argv: string[], atTerminal: boolean) => wantsPage(parseDemoOptions(argv), atTerminal);
    expect(wants([], true)).toBe(true);
    expect(wants([], false)).toBe(false);
    expect(wants(['--port', '0'], false)).toBe(true);
    expect(wants(['--no-open'], false)).toBe(true);
    for (const without of [['--say', 'Hi'], ['--no-page']]) expect(wants([...without, '--no-open'], true)).toBe(false);
  });
});
