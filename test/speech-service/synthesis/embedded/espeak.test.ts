import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { openEspeakProgram } from '../../../../src/speech-service/synthesis/embedded/espeak.ts';

const FILE = join(dirname(createRequire(import.meta.url).resolve('espeak-ng')), 'espeak-ng.wasm');
/** Where this version of the package has its table, as its JavaScript says. */
const TABLE = 18_226_032;

test('the language data stay on the disk, byte for byte', () => {
  const espeak = openEspeakProgram(FILE);
  expect(espeak.program.length).toBeLessThan(400_000);
  const files = espeak.readTable(TABLE);
  expect(files.length).toBeGreaterThan(400);

  const memory = Buffer.alloc(32 * 1024 * 1024);
  espeak.fill(memory, files);
  const nameOf = (address: number) => memory.toString('utf8', address, memory.indexOf(0, address));
  const english = files.find(({ nameAddress }) => nameOf(nameAddress).endsWith('/en_dict'));
  if (english === undefined) throw new Error('There is no dictionary of English');
  expect(memory.subarray(english.address, english.address + english.length).every((byte) => byte === 0)).toBe(true);
  const whole = readFileSync(FILE);
  const onDisk = whole.subarray(english.position, english.position + english.length);
  expect(espeak.read(english.position, english.length).equals(onDisk)).toBe(true);

  // With nothing left out, the memory is what the program itself would make of it.
  espeak.fill(memory, []);
  expect(memory.subarray(english.address, english.address + english.length).equals(onDisk)).toBe(true);
});
