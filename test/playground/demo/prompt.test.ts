import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadHistory, saveHistory } from '../../../src/playground/demo/prompt.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crier-prompt-'));
  file = join(folder, 'data', 'history');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("the prompt's history", () => {
  it('is empty at the first start', () => {
    expect(loadHistory(file)).toEqual([]);
  });

  it('comes back newest first, as it was, and lies in the file in the order of typing', () => {
    saveHistory(file, ['/skip', '/say Hello', 'join General']);
    expect(readFileSync(file, 'utf8')).toBe('join General\n/say Hello\n/skip\n');
    expect(loadHistory(file)).toEqual(['/skip', '/say Hello', 'join General']);
  });

  it('keeps the newest 500 lines', () => {
    const newestFirst = Array.from({ length: 501 }, (_, index) => `line ${501 - index}`);
    saveHistory(file, newestFirst);
    expect(loadHistory(file)).toEqual(newestFirst.slice(0, 500));
  });

  it('of nothing is nothing, not an empty line', () => {
    saveHistory(file, []);
    expect(loadHistory(file)).toEqual([]);
  });

  it('skips empty lines of an edited file', () => {
    saveHistory(file, ['b']);
    writeFileSync(file, 'a\n\nb\n');
    expect(loadHistory(file)).toEqual(['b', 'a']);
  });

  it('is readable by its owner alone: it holds typed lines', () => {
    saveHistory(file, ['/say Between us']);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});
