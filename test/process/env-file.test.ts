import { describe, expect, it } from 'vitest';
import { parseEnvBytes, parseEnvText } from '../../src/process/env-file.ts';

describe('the text of a .env', () => {
  it('keeps the line of each assignment, quoted values of several lines counted in', () => {
    const { values, assignments, others } = parseEnvText(
      '# a comment\r\n\r\nA=1\r\nexport B="x\nC=3"\n\n  A = 2 # two\n',
    );
    expect({ ...values }).toEqual({ A: '2', B: 'x\nC=3' });
    expect(assignments).toMatchObject([
      { line: 3, name: 'A' },
      { line: 4, name: 'B' },
      { line: 7, name: 'A' },
    ]);
    expect(others).toEqual([]);
  });

  it('takes nothing from the next line where a value is empty', () => {
    expect({ ...parseEnvText('A= \nB=2\r\nC=\t\r\nD=4').values }).toEqual({ A: '', B: '2', C: '', D: '4' });
  });

  it('tells the lines that set nothing, which take nothing from the lines around them', () => {
    const { values, others } = parseEnvText('A: one\nB=2\nthree\nFour: a=b\nC=3');
    expect({ ...values }).toEqual({ B: '2', C: '3' });
    expect(others).toEqual([
      { line: 1, beforeColon: 'A' },
      { line: 3, beforeColon: undefined },
      { line: 4, beforeColon: 'Four' },
    ]);
  });

  it('has no byte-order mark in its first name, and is refused in UTF-16, with a mark or without', () => {
    expect({ ...parseEnvBytes(Buffer.from('\ufeffA=1')).values }).toEqual({ A: '1' });
    const wide = Buffer.from('\ufeffA=1', 'utf16le');
    for (const bytes of [wide, Buffer.from(wide).swap16(), wide.subarray(2)]) {
      expect(() => parseEnvBytes(bytes)).toThrow('.env is in UTF-16: save it as UTF-8');
    }
  });
});
