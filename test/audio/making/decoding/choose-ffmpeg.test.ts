import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { chooseFfmpeg } from '../../../../src/audio/making/decoding/ffmpeg-decoder.ts';

function program(folder: string, name: string): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, name);
  writeFileSync(path, '#!/bin/sh\n');
  chmodSync(path, 0o755);
  return path;
}

/** The package may be missing in this checkout: here it is one whose binary was downloaded. */
function bundle(folder: string): string {
  const bundled = program(join(folder, 'ffmpeg-static'), 'ffmpeg');
  const entry = join(folder, 'ffmpeg-static', 'index.cjs');
  writeFileSync(entry, `module.exports = ${JSON.stringify(bundled)};\n`);
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'ffmpeg-static'
        ? { url: `file://${entry}`, format: 'commonjs', shortCircuit: true }
        : next(specifier, context),
  });
  onTestFinished(() => hooks.deregister());
  return bundled;
}

test('the ffmpeg of the settings goes first, then the system’s, then the downloaded one', () => {
  const folder = mkdtempSync(join(tmpdir(), 'crier-ffmpeg-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const bundled = bundle(folder);
  const system = join(folder, 'usr', 'bin');
  const file = process.platform === 'win32' ? 'ffmpeg.exe' : 'ffmpeg';
  program(system, file);
  const path = ['', join(folder, 'empty'), system].join(delimiter);
  expect(chooseFfmpeg('/opt/ffmpeg', path)).toBe('/opt/ffmpeg');
  expect(chooseFfmpeg(undefined, path)).toBe('ffmpeg');
  expect(chooseFfmpeg(undefined, ['', join(folder, 'empty')].join(delimiter))).toBe(bundled);
});
