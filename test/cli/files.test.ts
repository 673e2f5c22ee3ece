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
  ['', EXIT.usage, /needs the name of a file/],
  ['out/', EXIT.usage, /^There is no folder .*out\/\.$/],
  ['link.wav', EXIT.failed, /is a link to a file that does not exist/],
])('-o %j is refused before anything is spent', async (name, exitCode, message) => {
  symlinkSync('nowhere', join(folder, 'link.wav'));
  const refused = { exitCode, message: expect.stringMatching(message) };
  await expect(prepare(name && `${folder}/${name}`)).rejects.toMatchObject(refused);
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

  test.each([
    ['private', 0o600],
    ['shared', 0o666],
  ])('is as %s as the file it replaces with --force, also one that has appeared meanwhile', async (_how, mode) => {
    const path = join(folder, 'a.wav');
    const output = await prepare(path, true);
    writeFileSync(path, 'mine');
    chmodSync(path, mode);
    expect(await saveOutput(output, SOUND, signal)).toBe(path);
    expect(readFileSync(path)).toEqual(SOUND);
    expect(statSync(path).mode & 0o777).toBe(mode);
  });
});
