import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { VoiceFile } from '../../../../src/speech-service/synthesis/neural/installed-voices.ts';
import { TINY_MODEL, TONE } from '../../../voices/tiny-model.ts';

/** Installs a voice of one speaker, who speaks one tone for each letter, in DATA_DIR/voices; returns its folder. */
export function installTinyVoice(dataDir: string, model = TINY_MODEL['tone.onnx'], name = 'tiny'): string {
  const folder = join(dataDir, 'voices', name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'tokens.txt'), TINY_MODEL['tokens.txt']);
  writeFileSync(join(folder, 'tone.onnx'), model);
  const tina = { name: 'tina', speaker: 0, gender: 'female' as const, accent: 'Irish', languages: ['en-IE'] };
  const described: VoiceFile = { ...TONE, name, memoryMb: 90, voices: [tina] };
  writeFileSync(join(folder, 'voice.json'), JSON.stringify(described));
  return folder;
}

/** The runtime ends its process at a model that lacks the sample rate. */
export const WITHOUT_SAMPLE_RATE = Buffer.from(
  TINY_MODEL['tone.onnx'].toString('latin1').replace('sample_rate', 'simple_rate'),
  'latin1',
);
