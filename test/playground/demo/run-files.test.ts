import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openRunFiles } from '../../../src/playground/demo/run-files.ts';

it('logs of runs a week ago are removed, recordings and the other files stay', () => {
  const before = process.cwd();
  const cwd = mkdtempSync(join(tmpdir(), 'crier-run-files-'));
  process.chdir(cwd);
  onTestFinished(() => {
    process.chdir(before);
    rmSync(cwd, { recursive: true, force: true });
  });
  const folder = join('data', 'playground');
  mkdirSync(folder, { recursive: true });
  const monthAgo = new Date(Date.now() - 30 * 24 * 60 * 60_000);
  for (const name of ['bot-1.log', 'bot-2.log', 'heard-1.wav', 'history']) {
    writeFileSync(join(folder, name), '');
    if (name !== 'bot-2.log') utimesSync(join(folder, name), monthAgo, monthAgo);
  }
  openRunFiles();
  const left = ['bot-1.log', 'bot-2.log', 'heard-1.wav', 'history'].filter((name) => existsSync(join(folder, name)));
  expect(left).toEqual(['bot-2.log', 'heard-1.wav', 'history']);
});
