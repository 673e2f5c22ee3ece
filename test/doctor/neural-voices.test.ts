import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkNeuralVoices } from '../../src/doctor/neural-voices.ts';
import { temporaryFolder } from '../temporary-folder.ts';

function dataDirWith(...names: readonly string[]): string {
  const dataDir = temporaryFolder();
  for (const name of names) {
    const folder = join(dataDir, 'voices', name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'model.onnx'), '');
    const files = { model: 'model.onnx', tokens: 'model.onnx' };
    const voices = [{ name, speaker: 0, languages: ['en'] }];
    const voice = { version: 1, name, kind: 'vits', files, memoryMb: 200, license: 'CC0', source: '', voices };
    writeFileSync(join(folder, 'voice.json'), name === 'broken' ? '{' : JSON.stringify(voice));
  }
  return dataDir;
}

test('installed voices are listed with the memory that they take, and broken ones with a remedy', () => {
  expect(checkNeuralVoices(dataDirWith('tone', 'broken'), undefined)).toMatchObject([
    { verdict: 'good', found: 'tone (about 200 MB of memory)' },
    { verdict: 'attention', found: expect.stringContaining('broken: voice.json is not JSON') },
  ]);
});

test('voices that cannot be run on this machine do not keep the bot from running', () => {
  expect(checkNeuralVoices(dataDirWith('tone'), 'The package is missing.')).toMatchObject([
    { verdict: 'attention', means: 'The package is missing. Built-in voices speak in their place.' },
  ]);
});
