import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { VoiceFile } from '../../src/speech-service/synthesis/neural/installed-voices.ts';

const fileOf = (name: string) => readFileSync(join(import.meta.dirname, 'tiny', name));

/**
 * A voice model of 0.6 kB that the neural runtime loads: an ONNX graph of the kind `vits` that repeats the number of
 * each letter 1,200 times and takes the sine, which is one tone for each letter, at 16 kHz.
 */
export const TINY_MODEL: Readonly<Record<'tone.onnx' | 'tokens.txt', Buffer>> = {
  'tone.onnx': fileOf('tone.onnx'),
  'tokens.txt': fileOf('tokens.txt'),
};

/** The description of the tiny model in its folder. */
export const TONE: VoiceFile = {
  version: 1,
  name: 'tone',
  kind: 'vits',
  files: { model: 'tone.onnx', tokens: 'tokens.txt' },
  memoryMb: 40,
  license: 'CC0',
  source: 'https://example.com/tone',
  voices: [{ name: 'tone', speaker: 0, gender: 'female', languages: ['en-US'] }],
};
