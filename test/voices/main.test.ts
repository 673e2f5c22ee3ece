import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeEach, expect, test } from 'vitest';
import { canMount, onSmallDisk } from '../faults/disk-troubles.ts';
import { programEnv, runProgram } from '../program-environment.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { archived, releaseServer } from './release.ts';

const PROGRAM = join(import.meta.dirname, '..', '..', 'src', 'voices', 'main.ts');

let root: string;
beforeEach(() => {
  root = temporaryFolder();
});

/** Runs the program in a folder without `.env`. */
const voices = (args: readonly string[], { release = 'http://127.0.0.1:2' } = {}) =>
  runProgram([PROGRAM, ...args], { cwd: root, env: { DATA_DIR: join(root, 'data'), VOICES_URL: release } });

const KITTEN = 'kitten-nano-en-v0_2-fp16';
const kitten = () => releaseServer(archived(KITTEN), { name: KITTEN });

test('adds a voice of the catalog, lists it and removes it', async () => {
  const { address: release } = await kitten();
  expect((await voices(['list'])).stdout).toMatch(/^kitten +en-US +4 female, 4 male +27 MB +130 MB +Apache-2\.0$/m);
  expect(await voices(['add', 'kitten'], { release })).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Installed kitten: expr-voice-2-f, .*\nRestart the bot to use it\.\n/),
    stderr: `Downloading kitten, 27 MB, from ${release}; it takes about 130 MB of memory while it speaks.\n`,
  });
  expect((await voices(['list'])).stdout).toMatch(/^kitten .* installed$/m);
  const removed = await voices(['remove', 'kitten']);
  expect(removed).toMatchObject({ code: 0, stdout: 'Removed kitten. Restart the bot if it runs.\n' });
  expect((await voices(['list'])).stdout).not.toContain('installed');
});

test('tells of a server that is not there, and of a name that is none', async () => {
  expect(await voices(['add', 'kitten'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(
      'http://127.0.0.1:2/checksum.txt cannot be reached (ECONNREFUSED): try again later; a download goes on where it stopped\n',
    ),
  });
  const misspelled = await voices(['add', 'kiten']);
  expect(misspelled).toMatchObject({ code: 1, stderr: 'there is no voice kiten: did you mean kitten?\n' });
  const elsewhere = await voices(['add', 'kitten'], { release: 'ftp://mirror' });
  expect(elsewhere).toMatchObject({ code: 1, stderr: 'VOICES_URL must be a web address\n' });
  expect(await voices(['add'])).toMatchObject({ code: 2, stderr: expect.stringContaining('Name a voice.') });
});

test.runIf(process.platform !== 'win32')('Ctrl-C keeps what has arrived for the next time', async () => {
  const server = await kitten();
  server.hangAfter = 100;
  const env = { ...programEnv, DATA_DIR: join(root, 'data'), VOICES_URL: server.address };
  const program = spawn(process.execPath, [PROGRAM, 'add', 'kitten'], { cwd: root, env });
  const [ended, stderr] = [once(program, 'close'), text(program.stderr)];
  await server.hanging;
  program.kill('SIGINT');
  expect(await ended).toEqual([130, null]);
  expect(await stderr).toContain('Interrupted. npm run -s voices -- add kitten goes on where it stopped.\n');
  expect(readdirSync(join(root, 'data', 'voices'))).toContain('.kitten.tar.bz2');
});

test.runIf(canMount())('tells of a full disk and leaves nothing on it', async () => {
  const { address } = await releaseServer(archived('six-megabytes'));
  const dataDir = join(root, 'data');
  const script = join(import.meta.dirname, 'add-tone.ts');
  const { stdout } = await runProgram([script, dataDir, address], { prefix: onSmallDisk(dataDir) });
  expect(stdout).toBe(`the disk of ${join(dataDir, 'voices')} is full: nothing was kept; make room\n.lock\n`);
  expect(readdirSync(dataDir)).toEqual([]);
});
