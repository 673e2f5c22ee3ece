import { describe, expect, it } from 'vitest';
import { parseEnvBytes } from '../../src/process/env-file.ts';

const read = (text: string) => ({ ...parseEnvBytes(Buffer.from(text)) });

describe('a .env', () => {
  it('has comments, exports, and quoted values of several lines; the last line for a name counts', () => {
    expect(read('# A=0\r\n\r\nA=1\r\nexport B="x\nC=3"\n\n  A = 2 # two\n')).toEqual({ A: '2', B: 'x\nC=3' });
  });

  it('takes nothing from the next line where a value is empty', () => {
    expect(read('A= \nB=2\r\nC=\t\r\nD=4')).toEqual({ A: '', B: '2', C: '', D: '4' });
  });

  it('may have a colon in place of =, and lines that set nothing, which take nothing from those around them', () => {
    const text = 'A: one\nB=2\nthree\nFour: a=b\nsecret:word\nhttps://example.org\nC=3';
    expect(read(text)).toEqual({ A: 'one', B: '2', Four: 'a=b', C: '3' });
  });

  it('has no byte-order mark in its first name, and is refused in UTF-16, with a mark or without', () => {
    expect(read('\ufeffA=1')).toEqual({ A: '1' });
    const wide = Buffer.from('\ufeffA=1', 'utf16le');
    for (const bytes of [wide, Buffer.from(wide).swap16(), wide.subarray(2)]) {
      expect(() => parseEnvBytes(bytes)).toThrow('.env is in UTF-16: save it as UTF-8');
    }
  });
});
