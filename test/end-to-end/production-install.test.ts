import { execFileSync } from 'node:child_process';
import {
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startBotProcess } from '../../src/playground/demo/bot/bot-process.ts';
import { startWorld } from '../../src/playground/world/world.ts';
import { takeRealTime } from '../pace/paced-clock.ts';
import { root, trackedFiles } from '../repository/tracked-files.ts';
import { installTinyVoice } from '../speech-service/synthesis/neural/tiny-voice.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { inVoice, textOf } from './scene.ts';

/** As `du -m` and Docker's tools round: 2 to the 20th bytes. */
const MB = 2 ** 20;
/** debian:bookworm-slim, which the base image is made from, with the user and the files that Node's image adds to it. */
const DEBIAN_SLIM_MB = 80;

/** ffmpeg-static's, where its download is not blocked: 6.1.1 for Linux x64 has so much, rounded up. */
const FFMPEG_MB = 80;
const FFMPEG = (folder: string) => join(folder, 'node_modules', 'ffmpeg-static', 'ffmpeg');

/** What a folder or a file takes on the disk, as `du` counts it. */
function sizeMb(path: string): number {
  const { blocks } = lstatSync(path);
  const inside = lstatSync(path).isDirectory() ? readdirSync(path, { recursive: true, encoding: 'utf8' }) : [];
  const all = inside.reduce((sum, entry) => sum + lstatSync(join(path, entry)).blocks, blocks);
  return (all * 512) / MB;
}

/** A checkout of its own with what `npm ci --omit=dev` installs, as its operator and the Dockerfile call it. */
function install(): string {
  const folder = mkdtempSync(join(tmpdir(), 'crier-production-'));
  const isCopied = (file: string) => /^(package(-lock)?\.json|LICENSE|NOTICE|scripts\/.*|src\/.*)$/.test(file);
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const installed = Object.entries<{ readonly dev?: boolean }>(packages)
    .filter(([path, { dev = false }]) => path !== '' && !dev && existsSync(join(root, path)))
    .map(([path]) => path);
  const isOutermost = (path: string) => !installed.some((other) => path.startsWith(`${other}/`));
  for (const path of [...trackedFiles().filter(isCopied), ...installed.filter(isOutermost)]) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(root, path), join(folder, path), { recursive: true });
  }
  // As npm does at the end of an install.
  execFileSync(process.execPath, [join(folder, 'scripts', 'prepare.mjs')], { cwd: folder });
  return folder;
}

describe('a production install', () => {
  let folder: string;
  beforeAll(() => {
    folder = install();
    return () => rmSync(folder, { recursive: true, force: true });
  });

  test('takes no more than 200 MB with ffmpeg, or with the Node that it brings where the machine’s is too old', () => {
    const nodeMb = statSync(process.execPath).size / MB;
    const ffmpegMb = existsSync(FFMPEG(folder)) ? sizeMb(FFMPEG(folder)) : 0;
    const packagesMb = sizeMb(join(folder, 'node_modules')) - ffmpegMb;
    expect(packagesMb + FFMPEG_MB).toBeLessThan(200);
    expect(packagesMb + nodeMb).toBeLessThan(200);
    // The image: the same packages, and one Node, on Debian.
    expect(DEBIAN_SLIM_MB + nodeMb + packagesMb + sizeMb(join(folder, 'src'))).toBeLessThan(300);
  });

  test('speaks in a voice channel with its own voice and with an installed voice, and with end-to-end encryption', async () => {
    const dataDir = temporaryFolder();
    installTinyVoice(dataDir);
    // A process that was killed while it unpacked the runtime has left this.
    mkdirSync(join(dataDir, 'voices', '.unpacking-killed'));
    utimesSync(join(dataDir, 'voices', '.unpacking-killed'), 0, 0);
    const isRoot = process.getuid?.() === 0;
    if (isRoot) chownSync(dataDir, 1234, 5678);
    // The bot is a process of its own.
    onTestFinished(takeRealTime());
    const world = await startWorld();
    const bot = startBotProcess({ env: { ...world.botEnv, DATA_DIR: dataDir }, main: join(folder, 'src', 'main.ts') });
    onTestFinished(async () => {
      await bot.stop();
      await world.close();
    });
    await world.botReady({ timeoutMs: 45_000 });
    const alice = inVoice(world);
    const sent = await alice.types('/say text:Nothing is missing here. 👍');
    const spoken = await textOf(sent);
    expect(spoken).toContain('Spoken in');
    expect(spoken).not.toMatch(/credit|free/i);
    expect(bot.log.filter(({ msg }) => /Using the built-in voice/.test(msg ?? ''))).toHaveLength(1);
    expect((await alice.listener.utterance()).endToEndEncrypted).toBe(true);
    const list = await (await alice.types('/voices search:orpheus')).reply();
    const row = await alice.presses(list, 'Listen to these in a row');
    expect(await textOf(row, /That was/)).toMatch(/ivy.*jasper.*rowan.*wren/);
    const sample = row.replies.find(({ voiceMessage }) => voiceMessage);
    expect(sample?.files[0]?.durationSeconds).toBeGreaterThan(3);
    // The first text for an installed voice unpacks the runtime.
    const other = await alice.types('/say text:Nothing is missing here either. voice:tina');
    expect(await textOf(other)).toContain('with tina');
    const [runtime = '', ...others] = readdirSync(join(dataDir, 'voices'));
    expect([runtime, ...others]).toEqual([expect.stringMatching(/^\.runtime-\d/), 'tiny']);
    if (isRoot) expect(statSync(join(dataDir, 'voices', runtime))).toMatchObject({ uid: 1234, gid: 5678 });
  });
});
