import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { delimiter, join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { chooseFfmpeg, decodeWithFfmpeg } from '../../../../src/audio/making/decoding/ffmpeg-decoder.ts';
import { createAudioPipeline } from '../../../../src/audio/making/pipeline.ts';
import { bestLag } from '../../../end-to-end/measure.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { isFfmpegMissing } from '../../ffmpeg.ts';
import { clipOf, decoded, inPieces, reference48k, silentLog, speechLike, unended, wav16 } from '../../sounds.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

const said = speechLike(24_000, 1);

/** The speech in another format, made by ffmpeg itself. */
function encoded(...codec: string[]): Buffer {
  const args = ['-loglevel', 'error', '-i', 'pipe:0', ...codec, 'pipe:1'];
  const made = spawnSync('ffmpeg', args, { input: wav16(said, 24_000), maxBuffer: 1e8 });
  if (made.status !== 0) throw new Error(made.stderr.toString());
  return made.stdout;
}

const decode = (bytes: Uint8Array, ffmpegPath?: string) =>
  decoded(decodeWithFfmpeg(inPieces(bytes, 4_096), ffmpegPath));

/** A program in this folder. */
function program(inside: string, name: string, ...lines: string[]): string {
  const path = join(inside, name);
  mkdirSync(inside, { recursive: true });
  writeFileSync(path, ['#!/bin/sh', ...lines, ''].join('\n'), { mode: 0o755 });
  return path;
}

describe.skipIf(isFfmpegMissing)('through ffmpeg', () => {
  test.each([
    ['Ogg Opus', ['-c:a', 'libopus', '-b:a', '64k', '-f', 'ogg'], 0.95],
    ['FLAC', ['-f', 'flac'], 0.999],
    ['AAC', ['-c:a', 'aac', '-b:a', '96k', '-f', 'adts'], 0.9],
    ['a-law WAV', ['-c:a', 'pcm_alaw', '-f', 'wav'], 0.99],
  ])('%s is read', async (_, codec, atLeast) => {
    const { samples, rates, error } = await decode(encoded(...codec));
    expect([error, rates]).toEqual([undefined, [48_000]]);
    const wanted = reference48k(said, 24_000);
    expect(Math.abs(samples.length - wanted.length)).toBeLessThan(48_000 * 0.12);
    const { correlation } = bestLag(wanted.subarray(4_800, 9_600), samples, 4_800, 7_200, 4);
    expect(correlation).toBeGreaterThan(atLeast - 0.05);
  });

  test('a playlist cannot make ffmpeg open other files or addresses', async () => {
    const secret = join(folder, 'secret.wav');
    writeFileSync(secret, wav16(said, 24_000));
    for (const playlist of [`#EXTM3U\n#EXTINF:1,\nfile://${secret}\n`, `ffconcat version 1.0\nfile '${secret}'\n`]) {
      const { samples, error } = await decode(Buffer.from(playlist));
      expect(samples).toHaveLength(0);
      expect(error).toMatchObject({ kind: 'not-audio' });
    }
  });
});

describe('an ffmpeg that is none', () => {
  /** A program in its place; `$HERE` is where it can leave what it knows. */
  const standIn = (...lines: string[]) => program(folder, 'ffmpeg', `HERE=${folder}`, ...lines);

  function isRunning(pidFile: string): boolean {
    try {
      return process.kill(Number(readFileSync(join(folder, pidFile), 'utf8')), 0);
    } catch {
      return false;
    }
  }

  test('is told neither token nor key', async () => {
    vi.stubEnv('DISCORD_TOKEN', 'a-token');
    vi.stubEnv('VOICE_API_KEY', 'a-key');
    await decode(Buffer.from('OggS'), standIn('env > "$HERE/told"; cat > /dev/null'));
    const told = readFileSync(join(folder, 'told'), 'utf8');
    expect(told).toContain(`PATH=${process.env.PATH}`);
    expect(told).not.toMatch(/TOKEN|KEY|a-token|a-key/);
  });

  test.each([
    ['reads everything, and then neither writes nor ends', 'cat > /dev/null', 'exec sleep 600'],
    ['has a child of its own that holds its output', 'cat > /dev/null', 'sleep 5'],
    ['closes its output and stays', 'cat > /dev/null', 'exec sleep 600 >&- 2>&-'],
    ['reads nothing', '', 'exec sleep 600'],
  ])('is given up when it %s', async (_, first, last) => {
    const ffmpegPath = standIn(first, 'echo $$ > "$HERE/pid"', last);
    const decoding = decodeWithFfmpeg(inPieces(Buffer.alloc(300_000), 4_096), ffmpegPath, undefined, 300);
    const timeout = { name: 'AudioError', kind: 'timeout' };
    await expect(decoding[Symbol.asyncIterator]().next()).rejects.toMatchObject(timeout);
    await expect.poll(() => isRunning('pid')).toBe(false);
  });

  test('is not given up while it waits for a slow source, or its reader', async () => {
    const ffmpegPath = standIn('exec cat');
    const { promise: isSlow, resolve: goOn } = Promise.withResolvers<void>();
    async function* source(): AsyncIterable<Uint8Array> {
      yield Buffer.alloc(4_000);
      await isSlow;
      yield Buffer.alloc(4_000);
    }
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const decoding = decodeWithFfmpeg(source(), ffmpegPath, undefined, 15_000)[Symbol.asyncIterator]();
    let samples = (await decoding.next()).value?.samples.length ?? 0;
    vi.advanceTimersByTime(60_000);
    const second = decoding.next();
    vi.advanceTimersByTime(60_000);
    goOn();
    for (let next = await second; !next.done; next = await decoding.next()) samples += next.value.samples.length;
    expect(samples).toBe(2_000);
  });

  test('ends when its reader leaves', async () => {
    const ffmpegPath = standIn('echo $$ > "$HERE/pid"', 'exec cat');
    const decoding = decodeWithFfmpeg(unended(Buffer.alloc(4_000)), ffmpegPath)[Symbol.asyncIterator]();
    await decoding.next();
    expect(isRunning('pid')).toBe(true);
    await decoding.return?.();
    await expect.poll(() => isRunning('pid')).toBe(false);
  });

  test('ends when its clip is canceled', async () => {
    const ffmpegPath = standIn('echo $$ > "$HERE/pid"', 'exec sleep 600');
    const pipeline = createAudioPipeline({ log: silentLog, allowLoopback: true, ffmpegPath });
    const clip = await clipOf(pipeline, inPieces(Buffer.alloc(4_000), 4_000));
    await expect.poll(() => existsSync(join(folder, 'pid'))).toBe(true);
    clip.cancel();
    await expect.poll(() => isRunning('pid')).toBe(false);
    await pipeline.close();
  });
});

test('with no file descriptor left for it the sound fails, and not the process (a child without pipes)', () => {
  const decoder = new URL('../../../../src/audio/making/decoding/ffmpeg-decoder.ts', import.meta.url);
  const script = `
    import { openSync } from 'node:fs';
    import { decodeWithFfmpeg } from '${decoder.href}';
    const decoding = decodeWithFfmpeg([new Uint8Array(4)], '/bin/cat');
    try { for (;;) openSync('/dev/null'); } catch {}
    await decoding.next().catch(({ kind, message }) => process.stdout.write(kind + ': ' + message));`;
  const limited = ['-c', 'ulimit -n 64 && exec "$0" --input-type=module -e "$1"', process.execPath, script];
  const { status, stdout, stderr } = spawnSync('sh', limited, { encoding: 'utf8', timeout: 20_000 });
  expect(status, stderr).toBe(0);
  expect(stdout).toMatch(/^ffmpeg-missing: .*too many files are open.*\/bin\/cat/);
});

test('without ffmpeg the error says which setting helps', async () => {
  const { error } = await decode(Buffer.from('OggS'), join(folder, 'no-such-ffmpeg'));
  expect(error).toMatchObject({ kind: 'ffmpeg-missing', message: expect.stringContaining('FFMPEG_BIN') });
});

test('the ffmpeg of the settings goes first, then the system’s, then the downloaded one', () => {
  // The package may be missing in this checkout: here it is one whose binary was downloaded.
  const bundled = program(join(folder, 'ffmpeg-static'), 'ffmpeg');
  const entry = join(folder, 'ffmpeg-static', 'index.cjs');
  writeFileSync(entry, `module.exports = ${JSON.stringify(bundled)};\n`);
  const its = { url: `file://${entry}`, format: 'commonjs', shortCircuit: true };
  const hooks = registerHooks({
    resolve: (specifier, context, next) => (specifier === 'ffmpeg-static' ? its : next(specifier, context)),
  });
  onTestFinished(() => hooks.deregister());
  const system = join(folder, 'usr', 'bin');
  const file = process.platform === 'win32' ? 'ffmpeg.exe' : 'ffmpeg';
  program(system, file);
  const without = ['', join(folder, 'empty')].join(delimiter);
  const path = [without, system].join(delimiter);
  expect(chooseFfmpeg('/opt/ffmpeg', path)).toBe('/opt/ffmpeg');
  expect(chooseFfmpeg(undefined, path)).toBe('ffmpeg');
  expect(chooseFfmpeg(undefined, without)).toBe(bundled);
});
