import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { readAudio } from '../../src/sound/audio-file.ts';
import { removeVoice } from '../../src/voices/install.ts';
import { tryVoice } from '../../src/voices/try.ts';
import { installTinyVoice } from '../speech-service/synthesis/neural/tiny-voice.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const signal = AbortSignal.timeout(60_000);

let dataDir: string;
beforeEach(() => {
  dataDir = temporaryFolder();
  installTinyVoice(dataDir);
});

const speak = (speaker?: string, output = join(dataDir, 'speech.wav')) =>
  tryVoice('tiny', 'Dinner is ready.', { dataDir, signal, speaker, output });

test('an installed voice speaks into a file, and is removed', async () => {
  const spoken = await speak();
  expect(spoken).toMatchObject({ file: join(dataDir, 'speech.wav'), voice: 'tina' });
  const audio = readAudio(readFileSync(spoken.file));
  expect(audio.format).toBe('wav');
  // The model of the test speaks 1,200 samples a letter, 16,000 a second.
  expect(audio.seconds).toBeCloseTo((16 * 1_200) / 16_000, 1);
  removeVoice('tiny', dataDir);
  await expect(speak()).rejects.toThrow('tiny is not installed: npm run -s voices -- add tiny installs it');
});

test('a name that is none of the model’s, and a file that cannot be written, are told in words', async () => {
  await expect(speak('bell')).rejects.toThrow('tiny has no voice bell: its voices are: tina');
  const output = join(dataDir, 'nowhere', 'speech.wav');
  await expect(speak('tina', output)).rejects.toThrow(`${output} cannot be written (ENOENT)`);
  expect(existsSync(output)).toBe(false);
});

test('a model that the runtime cannot load is told in words', async () => {
  writeFileSync(join(dataDir, 'voices', 'tiny', 'tone.onnx'), 'no model');
  await expect(speak()).rejects.toThrow(/^The voice tiny does not load: /);
});
