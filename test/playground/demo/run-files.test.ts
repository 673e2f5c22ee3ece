import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { RunFiles } from '../../../src/playground/demo/run-files.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

it('logs and numbered recordings of runs a week ago are removed, the other files stay', () => {
  const before = process.cwd();
  process.chdir(temporaryFolder());
  onTestFinished(() => process.chdir(before));
  const folder = join('data', 'playground');
  const names = ['bot-1.log', 'bot-2.log', 'heard-1.wav', 'heard-2.wav', 'heard-it.wav'];
  mkdirSync(folder, { recursive: true });
  const monthAgo = new Date(Date.now() - 30 * 24 * 60 * 60_000);
  for (const name of names) {
    writeFileSync(join(folder, name), '');
    if (!name.includes('2')) utimesSync(join(folder, name), monthAgo, monthAgo);
  }
  new RunFiles();
  const left = names.filter((name) => existsSync(join(folder, name)));
  expect(left).toEqual(['bot-2.log', 'heard-2.wav', 'heard-it.wav']);
});
