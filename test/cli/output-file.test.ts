import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { prepareOutput, saveOutput } from '../../src/cli/speech/output-file.ts';
import { EXIT, watchInterrupts } from '../../src/cli/terminal/exit.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'voice-output-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

const SOUND = Buffer.from('sound');
const { signal } = new AbortController();

function prepare(path: string, force = false) {
  const interrupt = watchInterrupts();
  onTestFinished(() => interrupt.dispose());
  return prepareOutput(path, { force, format: 'wav' }, interrupt);
}

describe('before anything is spent', () => {
  test('an empty -o is refused: it names no file', async () => {
    await expect(prepare('', true)).rejects.toMatchObject({ exitCode: EXIT.usage });
  });

  test('so is a folder, with what to name in it, and whether there is one', async () => {
    const path = `${folder}/out/`;
    const named = `Name a file in it: -o ${join(path, 'speech.wav')}.`;
    await expect(prepare(path, true)).rejects.toMatchObject({
      exitCode: EXIT.usage,
      message: `There is no folder ${path}.`,
      hint: `Make it first. ${named}`,
    });
    mkdirSync(path);
    await expect(prepare(path, true)).rejects.toMatchObject({
      exitCode: EXIT.usage,
      message: `${path} is a folder.`,
      hint: named,
    });
  });

  test('so is a link that leads nowhere', async () => {
    symlinkSync('nowhere', join(folder, 'link.wav'));
    await expect(prepare(join(folder, 'link.wav'))).rejects.toMatchObject({ exitCode: EXIT.failed });
  });
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
