import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAudioDecoder } from '../../../src/audio/making/decoding/audio-decoder.ts';
import type { PcmStream } from '../../../src/audio/making/decoding/pcm.ts';
import { containerOf } from '../../../src/sound/containers.ts';
import { inPieces, snrDb, speechLike, wav16 } from '../sounds.ts';

// Files as they are found in the world, by somebody else's encoders, against somebody else's decoders.

const has = (what: string[], name: string) => spawnSync('ffmpeg', what).stdout?.toString().includes(name) ?? false;
const hasFfmpeg = has(['-hide_banner', '-encoders'], 'pcm_s24le');
const hasLame = hasFfmpeg && has(['-hide_banner', '-encoders'], 'libmp3lame');
if (!hasLame)
  console.warn('Files made by ffmpeg with LAME are not tried: there is none (Debian: apt-get install ffmpeg).');

const said = speechLike(24_000, 1.5);

function ffmpeg(input: Buffer, ...args: string[]): Buffer {
  const made = spawnSync('ffmpeg', ['-loglevel', 'error', '-i', 'pipe:0', ...args], {
    input,
    maxBuffer: 1e8,
  });
  if (made.status !== 0) throw new Error(made.stderr.toString());
  return made.stdout;
}

const folder = mkdtempSync(join(tmpdir(), 'crier-ffmpeg-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Into a file, where ffmpeg goes back to the header when it knows how long the sound is. */
function written(ending: string, ...args: string[]): Buffer {
  const path = join(folder, `made.${ending}`);
  ffmpeg(wav16(said, 24_000), ...args, '-y', path);
  return readFileSync(path);
}

/** Into a pipe, where it cannot: sizes of WAV are 0xFFFFFFFF then. */
const piped = (...args: string[]) => ffmpeg(wav16(said, 24_000), ...args, 'pipe:1');

/** What ffmpeg itself hears in a file, mixed down as we do. */
function reference(file: Buffer): Float32Array {
  const raw = ffmpeg(file, '-af', 'pan=mono|c0=c0', '-f', 'f32le', 'pipe:1');
  return new Float32Array(raw.buffer.slice(raw.byteOffset, raw.byteOffset + raw.length));
}

async function collect(stream: PcmStream): Promise<{ sampleRateHz: number; samples: Float32Array }> {
  const parts: number[] = [];
  let sampleRateHz = 0;
  for await (const pcm of stream) {
    sampleRateHz = pcm.sampleRateHz;
    for (const sample of pcm.samples) parts.push(sample);
  }
  return { sampleRateHz, samples: Float32Array.from(parts) };
}

test('ffmpeg with LAME is there where everything is checked', () => {
  expect(hasLame || process.env.CI !== 'true').toBe(true);
});

const decoder = createAudioDecoder();
beforeAll(() => decoder.warmUp());
afterAll(() => decoder.close());

describe.runIf(hasFfmpeg)('WAV by ffmpeg', () => {
  test.each([
    ['16 bits', ['-c:a', 'pcm_s16le', '-f', 'wav'], 80],
    ['24 bits', ['-c:a', 'pcm_s24le', '-f', 'wav'], 80],
    ['32 bits', ['-c:a', 'pcm_s32le', '-f', 'wav'], 80],
    ['32-bit floats', ['-c:a', 'pcm_f32le', '-f', 'wav'], 80],
    ['64-bit floats', ['-c:a', 'pcm_f64le', '-f', 'wav'], 80],
    ['8 bits', ['-c:a', 'pcm_u8', '-f', 'wav'], 20],
    ['stereo', ['-ac', '2', '-c:a', 'pcm_s16le', '-f', 'wav'], 60],
    ['stereo of 24 bits at 48 kHz, extensible', ['-ac', '2', '-ar', '48000', '-c:a', 'pcm_s24le', '-f', 'wav'], 60],
    ['64-bit sizes', ['-c:a', 'pcm_s16le', '-rf64', 'always', '-f', 'wav'], 80],
    ['a tag of its own', ['-metadata', 'title=Odd', '-c:a', 'pcm_s16le', '-f', 'wav'], 80],
    ['broadcast chunks', ['-write_bext', '1', '-metadata', 'description=abc', '-c:a', 'pcm_s16le', '-f', 'wav'], 80],
  ] as const)('of %s is read as ffmpeg reads it, from a file and from a pipe', async (_, args, atLeastDb) => {
    const wanted = reference(written('wav', ...args));
    expect(Math.abs(wanted.length / said.length - Math.round(wanted.length / said.length))).toBeLessThan(0.001);
    for (const file of [written('wav', ...args), piped(...args)]) {
      expect(containerOf(file)).toBe('wav');
      const { samples } = await collect(decoder.decode(inPieces(file, 4_096)));
      expect(samples).toHaveLength(wanted.length);
      expect(snrDb(wanted, samples, 0)).toBeGreaterThan(atLeastDb);
    }
  });
});

describe.runIf(hasLame)('MP3 by LAME', () => {
  test.each([
    ['constant rate, MPEG-1', ['-ar', '44100', '-b:a', '128k']],
    ['constant rate, joint stereo', ['-ar', '48000', '-ac', '2', '-b:a', '192k']],
    ['variable rate', ['-ar', '44100', '-q:a', '4']],
    ['variable rate, MPEG-2', ['-ar', '24000', '-q:a', '5']],
    ['average rate', ['-ar', '32000', '-abr', '1', '-b:a', '96k']],
    ['constant rate, MPEG-2', ['-ar', '22050', '-b:a', '64k']],
    ['MPEG-2.5', ['-ar', '12000', '-b:a', '24k']],
    ['MPEG-2.5 at 8 kHz', ['-ar', '8000', '-b:a', '16k']],
    ['no bit reservoir', ['-ar', '24000', '-b:a', '64k', '-reservoir', '0']],
    ['a picture’s worth of tags', ['-ar', '24000', '-b:a', '64k', '-metadata', `comment=${'x'.repeat(70_000)}`]],
    ['ID3v1 behind', ['-ar', '24000', '-b:a', '64k', '-write_id3v1', '1', '-metadata', 'title=End']],
  ])('of %s is read as ffmpeg reads it, without the padding at either end', async (_, args) => {
    const file = written('mp3', '-c:a', 'libmp3lame', ...args);
    expect(containerOf(file)).toBe('mp3');
    const { samples, sampleRateHz } = await collect(decoder.decode(inPieces(file, 1_000)));
    expect(samples).toHaveLength(1.5 * sampleRateHz);
    // Through a pipe ffmpeg leaves out the padding in front, not the one behind.
    const wanted = reference(file).subarray(0, samples.length);
    expect(snrDb(wanted, samples, 0)).toBeGreaterThan(60);
  });

  test('into a pipe, which leaves its tag empty, is played whole', async () => {
    const file = piped('-c:a', 'libmp3lame', '-ar', '24000', '-b:a', '64k', '-f', 'mp3');
    const { samples } = await collect(decoder.decode(inPieces(file, 1_000)));
    expect(samples.length).toBeGreaterThanOrEqual(36_000);
    expect(samples.length).toBeLessThan(36_000 + 4 * 576);
  });
});
