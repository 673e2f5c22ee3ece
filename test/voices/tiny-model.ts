import type { VoiceFile } from '../../src/speech-service/synthesis/neural/installed-voices.ts';

/*
 * A voice model of 0.6 kB that the neural runtime loads: it speaks one tone for each letter. The file is ONNX, which is a
 * message in protocol buffers: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
 */

const ONNX_FLOAT = 1;
const ONNX_INT64 = 7;

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest % 128) + 128);
  }
}

const int = (field: number, value: number) => Buffer.concat([varint(field * 8), varint(value)]);
function message(field: number, ...parts: readonly (string | Buffer)[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)));
  return Buffer.concat([varint(field * 8 + 2), varint(content.length), content]);
}

const node = (operator: string, inputs: readonly string[], output: string, ...attributes: readonly Buffer[]) =>
  message(1, ...inputs.map((input) => message(1, input)), message(2, output), message(4, operator), ...attributes);
const tensor = (name: string, type: number, dims: readonly number[], values: NodeJS.ArrayBufferView<ArrayBuffer>) =>
  message(5, ...dims.map((dim) => int(1, dim)), int(2, type), message(8, name), message(9, Buffer.from(values.buffer)));

function value(field: number, name: string, type: number, dims: readonly (number | string)[]): Buffer {
  const shape = dims.map((dim) => message(1, typeof dim === 'number' ? int(1, dim) : message(2, dim)));
  return message(field, message(1, name), message(2, message(1, int(1, type), message(2, ...shape))));
}

const GRAPH = [
  node('Cast', ['input'], 'letters', message(5, message(1, 'to'), int(3, ONNX_FLOAT), int(20, 2))),
  node('Tile', ['letters', 'repeats'], 'samples'),
  node('Mul', ['samples', 'pitch'], 'phase'),
  node('Sin', ['phase'], 'wave'),
  node('Mul', ['wave', 'gain'], 'quiet'),
  node('Unsqueeze', ['quiet', 'axis'], 'y'),
  message(2, 'tiny'),
  tensor('repeats', ONNX_INT64, [2], BigInt64Array.of(1n, 1200n)),
  tensor('pitch', ONNX_FLOAT, [1], Float32Array.of(0.9)),
  tensor('gain', ONNX_FLOAT, [1], Float32Array.of(0.3)),
  tensor('axis', ONNX_INT64, [1], BigInt64Array.of(1n)),
  value(11, 'input', ONNX_INT64, ['N', 'T']),
  value(11, 'input_lengths', ONNX_INT64, ['N']),
  value(11, 'scales', ONNX_FLOAT, [3]),
  value(12, 'y', ONNX_FLOAT, ['N', 1, 'L']),
];

/** What the runtime wants to know about a model of the kind `vits`. */
const METADATA = {
  model_type: 'vits',
  comment: 'coqui',
  language: 'English',
  add_blank: '0',
  n_speakers: '1',
  sample_rate: '16000',
  frontend: 'characters',
  punctuation: ', . ! ?',
  use_eos_bos: '0',
  blank_id: '0',
  bos_id: '1',
  eos_id: '2',
  pad_id: '0',
};

const TOKENS = ['_', '^', '$', ' ', ..."abcdefghijklmnopqrstuvwxyz,.!?'"];

export const TINY_MODEL: Readonly<Record<'tone.onnx' | 'tokens.txt', Buffer>> = {
  'tone.onnx': Buffer.concat([
    int(1, 8),
    message(8, message(1, ''), int(2, 13)),
    message(7, ...GRAPH),
    ...Object.entries(METADATA).map(([name, content]) => message(14, message(1, name), message(2, content))),
  ]),
  'tokens.txt': Buffer.from(TOKENS.map((token, index) => `${token} ${index}\n`).join('')),
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
