import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { prepareOutput, saveOutput } from '../../src/cli/speech/files.ts';
import { EXIT, watchInterrupts } from '../../src/cli/terminal/terminal.ts';
import { voiceProgram } from './voice-program.ts';

let folder: string;
beforeEach(() => {
  folder = voiceProgram().home;
});

const SOUND = Buffer.from('sound');
const { signal } = new AbortController();

function prepare(path: string, force = false) {
  const interrupt = watchInterrupts();
  onTestFinished(() => interrupt.dispose());
  return prepareOutput(path, { force, format: 'wav' }, interrupt);
}

test.each([
  ['', EXIT.usage, /needs the name of a file/, undefined],
  [
    'out/',
    EXIT.usage,
    /^There is no folder .*out\/\.$/,
    /^Make it first\. Name a file in it: -o .*out\/speech\.wav\.$/,
  ],
  ['link.wav', EXIT.failed, /is a link to a file that does not exist/, undefined],
])('-o %j is refused before anything is spent', async (name, exitCode, message, hint) => {
  symlinkSync('nowhere', join(folder, 'link.wav'));
  const error = await prepare(name && `${folder}/${name}`).then(String, (thrown: unknown) => thrown);
  expect(error).toMatchObject({ exitCode, message: expect.stringMatching(message) });
  if (hint) expect(error).toMatchObject({ hint: expect.stringMatching(hint) });
});

describe('billed audio', () => {
  test('is saved under a name as long as a name may be', async () => {
    const path = join(folder, `${'n'.repeat(251)}.wav`);
    expect(await saveOutput(await prepare(path), SOUND, signal)).toBe(path);
    expect(readFileSync(path)).toEqual(SOUND);
  });

  test('goes beside a file that has appeared meanwhile, which is not overwritten', async () => {
    const path = join(folder, 'a.b.wav');
    const output = await prepare(path);
    writeFileSync(path, 'mine');
    writeFileSync(join(folder, 'a.b-2.wav'), 'mine too');
    expect(await saveOutput(output, SOUND, signal)).toBe(join(folder, 'a.b-3.wav'));
    expect(readFileSync(path, 'utf8')).toBe('mine');
    expect(readFileSync(join(folder, 'a.b-3.wav'))).toEqual(SOUND);
    expect(readdirSync(folder)).toHaveLength(3);
  });

  test('replaces with --force a file that has appeared meanwhile', async () => {
    const path = join(folder, 'a.wav');
    const output = await prepare(path, true);
    writeFileSync(path, 'mine');
    expect(await saveOutput(output, SOUND, signal)).toBe(path);
    expect(readFileSync(path)).toEqual(SOUND);
  });

  test.each([
    ['private', 0o600],
    ['shared', 0o666],
  ])('is as %s as the file it replaces', async (_how, mode) => {
    const path = join(folder, 'a.wav');
    writeFileSync(path, 'mine');
    chmodSync(path, mode);
    await saveOutput(await prepare(path, true), SOUND, signal);
    expect(statSync(path).mode & 0o777).toBe(mode);
  });
});
