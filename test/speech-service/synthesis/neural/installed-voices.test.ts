import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { installedVoices, VOICE_FILE } from '../../../../src/speech-service/synthesis/neural/installed-voices.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { TONE } from '../../../voices/tiny-model.ts';

function dataDirWith(folders: Readonly<Record<string, { voice?: unknown; files?: readonly string[] }>>) {
  const dataDir = temporaryFolder();
  for (const [name, { voice, files = ['tone.onnx', 'tokens.txt'] }] of Object.entries(folders)) {
    const folder = join(dataDir, 'voices', name);
    mkdirSync(folder, { recursive: true });
    for (const file of files) writeFileSync(join(folder, file), '');
    if (voice !== undefined) writeFileSync(join(folder, VOICE_FILE), JSON.stringify(voice));
  }
  return dataDir;
}

test('tells of a folder that cannot be read', () => {
  const dataDir = dataDirWith({});
  const folder = join(dataDir, 'voices');
  writeFileSync(folder, '');
  expect(installedVoices(dataDir)).toEqual({ voices: [], problems: [`${folder} cannot be read (ENOTDIR)`] });
});

test.each([
  ['no description', { voice: undefined }, 'voice.json is missing'],
  [
    'a file outside of its folder',
    { voice: { ...TONE, files: { model: '../../secret', tokens: 'tokens.txt' } } },
    'voice.json: files.model must be a path in the folder',
  ],
  ['another model’s description', { voice: { ...TONE, name: 'bell' } }, 'voice.json is that of the voice bell'],
  ['a missing model', { voice: TONE, files: ['tokens.txt'] }, 'tone.onnx missing'],
])('tells of a folder with %s, and reads the others', (_, folder, problem) => {
  const dataDir = dataDirWith({ tone: folder, bell: { voice: { ...TONE, name: 'bell' } }, '.download': {} });
  const { voices, problems } = installedVoices(dataDir);
  expect(voices.map(({ name }) => name)).toEqual(['bell']);
  expect(problems).toEqual([`${join(dataDir, 'voices', 'tone')}: ${problem}`]);
});
