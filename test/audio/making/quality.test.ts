import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Application, createEncoder } from 'libopus-wasm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CEILING } from '../../../src/audio/making/clip-encoder.ts';
import { createAudioDecoder } from '../../../src/audio/making/decoding/audio-decoder.ts';
import { loadNativeOpus, toInt16, wasmOpus } from '../../../src/audio/making/opus-encoder.ts';
import type { AudioPipeline } from '../../../src/audio/making/pipeline.ts';
import { createAudioPipeline } from '../../../src/audio/making/pipeline.ts';
import { type SoundDistance, soundDistance } from '../sound-distance.ts';
import { correlation, heard, inPieces, PRE_SKIP, reference48k, rms, silentLog } from '../sounds.ts';

// The sound of every model family of the embedded service, as the bot makes it, against encodes by others.

const TEXT = 'Six swift ships sailed past; why? Put the kettle on.';
const KEY = 'quality-test-key-0123456789';
const FAMILIES = [
  { name: 'gpro, WAV at 24 kHz', voice: { model: 'gpro', voice: 'dorian' } },
  { name: 'gpro31, WAV at 24 kHz', voice: { model: 'gpro31', voice: 'aria' } },
  { name: 'gpro38, WAV at 44.1 kHz', voice: { model: 'gpro38', voice: 'garnet' } },
  { name: 'ext, MP3 at 24 kHz', voice: { model: 'ext', voice: 'ash', response_format: 'mp3' } },
  { name: 'ext, WAV at 24 kHz', voice: { model: 'ext', voice: 'echo', response_format: 'wav' } },
  { name: 'orpheus, MP3 at 24 kHz', voice: { model: 'orpheus', voice: 'ivy' } },
] as const;

const native = loadNativeOpus();
const libraries = [wasmOpus, ...('library' in native ? [native.library] : [])];
const hasFfmpeg = spawnSync('ffmpeg', ['-hide_banner', '-encoders']).stdout?.toString().includes('libopus') ?? false;
if (!hasFfmpeg) console.warn('No encode by ffmpeg to compare with: there is none (Debian: apt-get install ffmpeg).');

interface Source {
  name: string;
  file: Uint8Array;
  /** What the file says, by the decoders that have tests of their own. */
  samples: Float32Array;
  sampleRateHz: number;
  /** The same at 48 kHz, by an exact and slow resampler. */
  wanted: Float32Array;
}

const folder = mkdtempSync(join(tmpdir(), 'crier-quality-'));
const sources: Source[] = [];

/** Has the embedded service speak, in a process of its own as the bot has it. */
async function synthesise(): Promise<void> {
  const service = spawn(
    process.execPath,
    ['src/speech-service/main.ts', '--port', '0', '--data', folder, '--json', '--exit-with-parent'],
    { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, SPEECH_SERVICE_KEY: KEY, LOG_LEVEL: 'error' } },
  );
  const ended = once(service, 'exit');
  try {
    const [line] = (await once(createInterface(service.stdout), 'line')) as [string];
    const { url } = JSON.parse(line) as { url: string };
    const decoder = createAudioDecoder();
    for (const { name, voice } of FAMILIES) {
      const answer = await fetch(new URL('/api/v1/speech', url), {
        method: 'POST',
        headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
        body: JSON.stringify({ input: TEXT, ...voice }),
      });
      const { url: audioUrl } = (await answer.json()) as { url: string };
      const file = new Uint8Array(await (await fetch(audioUrl)).arrayBuffer());
      const parts: number[] = [];
      let sampleRateHz = 0;
      for await (const pcm of decoder.decode(inPieces(file, 8_192))) {
        sampleRateHz = pcm.sampleRateHz;
        for (const sample of pcm.samples) parts.push(sample);
      }
      const samples = Float32Array.from(parts);
      sources.push({ name, file, samples, sampleRateHz, wanted: reference48k(samples, sampleRateHz) });
    }
    decoder.close();
  } finally {
    service.stdin.end();
    await ended;
  }
}

const guide: SoundDistance[] = [];
const ffmpegs: SoundDistance[] = [];

beforeAll(async () => {
  await synthesise();
  for (const source of sources) {
    const { wanted } = source;
    guide.push(soundDistance(wanted, await guideEncode(wanted), PRE_SKIP));
    if (hasFfmpeg) ffmpegs.push(soundDistance(wanted, ffmpegEncode(source), 0));
  }
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The pattern of the library's guide: 48 kHz, stereo, at the encoder's own rate for that and at full search. */
async function guideEncode(wanted: Float32Array): Promise<Float32Array> {
  const encoder = await createEncoder({
    sampleRate: 48_000,
    channels: 2,
    application: Application.Audio,
    bitrate: 99_000,
    complexity: 10,
  });
  const mono = new Int16Array(Math.ceil(wanted.length / 960 + 1) * 960);
  toInt16(wanted, mono.subarray(0, wanted.length));
  const packets: Uint8Array[] = [];
  for (let at = 0; at < mono.length; at += 960) {
    packets.push(encoder.encode(Int16Array.from({ length: 1_920 }, (_, i) => mono[at + (i >> 1)] ?? 0)));
  }
  encoder.free();
  return heard(packets);
}

/** libopus as ffmpeg uses it, and its decoder. */
function ffmpegEncode({ samples, sampleRateHz }: Source): Float32Array {
  const run = (input: Uint8Array, ...args: string[]) => {
    const { status, stdout, stderr } = spawnSync('ffmpeg', ['-loglevel', 'error', ...args], { input, maxBuffer: 1e8 });
    if (status !== 0) throw new Error(stderr.toString());
    return stdout;
  };
  const raw = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
  const rate = String(sampleRateHz);
  const ogg = run(
    raw,
    '-f',
    'f32le',
    '-ar',
    rate,
    '-ac',
    '1',
    '-i',
    '-',
    '-c:a',
    'libopus',
    '-b:a',
    '64k',
    '-f',
    'ogg',
    '-',
  );
  const back = run(ogg, '-i', '-', '-ar', '48000', '-ac', '1', '-f', 'f32le', '-');
  return new Float32Array(back.buffer.slice(back.byteOffset, back.byteOffset + back.length));
}

function mean(distances: readonly SoundDistance[], of: keyof SoundDistance): number {
  return distances.reduce((sum, distance) => sum + distance[of], 0) / distances.length;
}

/** Over all families together by every measure, and close to it for each by itself. */
function expectNoWorse(ours: readonly SoundDistance[], reference: readonly SoundDistance[]): void {
  expect(mean(ours, 'snrDb')).toBeGreaterThanOrEqual(mean(reference, 'snrDb'));
  expect(mean(ours, 'segmentalSnrDb')).toBeGreaterThanOrEqual(mean(reference, 'segmentalSnrDb'));
  expect(mean(ours, 'spectralDb')).toBeLessThanOrEqual(mean(reference, 'spectralDb'));
  expect(mean(ours, 'worstNoiseDb')).toBeLessThanOrEqual(mean(reference, 'worstNoiseDb') + 0.5);
  for (const [i, distance] of ours.entries()) {
    expect(distance.snrDb).toBeGreaterThan((reference[i]?.snrDb ?? 0) - 1.5);
    expect(distance.spectralDb).toBeLessThan((reference[i]?.spectralDb ?? 0) + 0.3);
  }
}

test('the encoders to compare with are there where everything is checked', () => {
  expect(process.env.CI !== 'true' || (hasFfmpeg && libraries.length === 2)).toBe(true);
});

describe.each(libraries)('as heard through $name', (opus) => {
  let pipeline: AudioPipeline;
  const sounds: Float32Array[] = [];
  const ours: SoundDistance[] = [];

  beforeAll(async () => {
    pipeline = createAudioPipeline({ log: silentLog, allowLoopback: true, opus });
    for (const { file, wanted } of sources) {
      const clip = pipeline.makeClip(inPieces(file, 65_536));
      await clip.done;
      const sound = await heard(clip.packets);
      sounds.push(sound);
      ours.push(soundDistance(wanted, sound, PRE_SKIP));
    }
  }, 60_000);
  afterAll(() => pipeline.close());

  test('every family is no further from its source than the guide’s encode', () => expectNoWorse(ours, guide));

  test.runIf(hasFfmpeg)('nor than ffmpeg’s', () => expectNoWorse(ours, ffmpegs));

  describe.each(FAMILIES.map(({ name }, index) => ({ name, index })))('$name', ({ index }) => {
    const both = () => ({ source: sources[index] as Source, sound: sounds[index] as Float32Array });

    test('is whole: the first and the last 20 ms of speech are there', () => {
      const { wanted } = both().source;
      const { sound } = both();
      expect(sound.length).toBeGreaterThanOrEqual(wanted.length + PRE_SKIP);
      expect(sound.length).toBeLessThan(wanted.length + PRE_SKIP + 2 * 960);
      const threshold = 0.03 * wanted.reduce((max, sample) => Math.max(max, Math.abs(sample)), 0);
      const first = wanted.findIndex((sample) => Math.abs(sample) > threshold);
      const last = wanted.findLastIndex((sample) => Math.abs(sample) > threshold);
      for (const from of [first, last - 960]) {
        const piece = wanted.subarray(from, from + 960);
        expect(correlation(piece, sound, from + PRE_SKIP)).toBeGreaterThan(0.9);
        expect(rms(sound, from + PRE_SKIP, from + PRE_SKIP + 960) / rms(piece)).toBeGreaterThan(0.8);
      }
    });

    test('has no clicks, neither anywhere nor where packets meet', () => {
      const { source, sound } = both();
      expect(ours[index]?.worstNoiseDb).toBeLessThan(-8);
      const noise = source.wanted.map((sample, i) => sample - (sound[i + PRE_SKIP] ?? 0));
      const near = (offset: number) => {
        let sum = 0;
        for (let at = 960 - PRE_SKIP + offset; at + 48 < noise.length; at += 960)
          sum += rms(noise, at - 48, at + 48) ** 2;
        return sum;
      };
      const elsewhere = [192, 384, 576, 768].reduce((sum, offset) => sum + near(offset) / 4, 0);
      expect(near(0) / elsewhere).toBeLessThan(2);
    });

    test('is not clipped and stands on no offset', () => {
      const { sound } = both();
      const peak = sound.reduce((max, sample) => Math.max(max, Math.abs(sample)), 0);
      // The codec overshoots what the limiter lets through.
      expect(peak).toBeLessThan(CEILING * 1.1);
      // The source may; the encoder takes it out.
      expect(Math.abs(sound.reduce((sum, sample) => sum + sample, 0) / sound.length)).toBeLessThan(0.001);
    });
  });
});
