import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Clip } from '../../../src/audio/clips/clip.ts';
import {
  CEILING,
  createLoudnessMeter,
  createVoiceGains,
  type Loudness,
  MAX_GAIN_DB,
  TARGET_LUFS,
} from '../../../src/audio/making/loudness.ts';
import { type AudioPipeline, type ClipOptions, createAudioPipeline } from '../../../src/audio/making/pipeline.ts';
import { clipOf, heard, inPieces, peak, reference48k, silentLog, speechLike, tone, unended, wav16 } from '../sounds.ts';

const said = speechLike(24_000, 3);
let pipeline: AudioPipeline;

beforeAll(() => {
  pipeline = createAudioPipeline({ log: silentLog, allowLoopback: true });
});
afterAll(() => pipeline.close());

/** The same speech, so many dB louder. */
const at = (db: number) => said.map((sample) => sample * 10 ** (db / 20));

/** Slowly: the rest comes when the first packet is there. */
async function speak(samples: Float32Array, options: Partial<ClipOptions>, slowly = false): Promise<Float32Array> {
  const wav = wav16(samples, 24_000);
  const begin = 44 + 2 * 7_200;
  async function* bytes(): AsyncIterable<Uint8Array> {
    yield* inPieces(wav.subarray(0, begin), 8_192);
    if (slowly) await (await fetching).waitFor(0);
    yield* inPieces(wav.subarray(begin), 8_192);
  }
  const fetching: Promise<Clip> = clipOf(pipeline, bytes(), options);
  const clip = await fetching;
  await clip.done;
  return heard(clip.packets);
}

function measure(samples: Float32Array, sampleRateHz: number): Loudness | undefined {
  const meter = createLoudnessMeter(sampleRateHz);
  meter.push(samples);
  return meter.loudness();
}

const lufs = (samples: Float32Array) => measure(samples, 48_000)?.lufs ?? Number.NEGATIVE_INFINITY;

describe('loudness of clips', () => {
  test('all of a voice are at the target, the first one too: quiet voices and loud ones', async () => {
    for (const db of [-16, -8, 0]) {
      const voiceKey = `voice at ${db}`;
      const wanted = Math.min(TARGET_LUFS, lufs(reference48k(at(db), 24_000)) + MAX_GAIN_DB);
      for (let clip = 0; clip < 2; clip++) {
        expect(Math.abs(lufs(await speak(at(db), { voiceKey })) - wanted)).toBeLessThan(1);
      }
    }
  });

  test('the first of a voice goes out as it comes where too little of it comes in time', async () => {
    const sound = await speak(at(-10), { voiceKey: 'slow' }, true);
    expect(Math.abs(lufs(sound) - lufs(reference48k(at(-10), 24_000)))).toBeLessThan(0.5);
  });

  test('a new voice whose audio breaks off is heard as far as it came', async () => {
    const cut = wav16(at(-10), 24_000).subarray(0, 24_000);
    const clip = await clipOf(pipeline, inPieces(cut, 8_192), { voiceKey: 'new and broken' });
    await expect(clip.done).rejects.toMatchObject({ kind: 'damaged' });
    expect(clip.durationMs).toBeGreaterThanOrEqual(480);
  });

  test('a new voice’s audio that is too long ends, though the rest never comes', async () => {
    const bytes = unended(wav16(said, 24_000).subarray(0, 24_000 * 2 * 2));
    const clip = await clipOf(pipeline, bytes, { voiceKey: 'new and long', maxDurationMs: 1_000 });
    await expect(clip.done).rejects.toMatchObject({ kind: 'endless' });
  });

  test('clips without a voice are left as they are', async () => {
    for (let i = 0; i < 2; i++) {
      expect(Math.abs(lufs(await speak(at(-10), {})) - lufs(reference48k(at(-10), 24_000)))).toBeLessThan(0.5);
    }
  });

  test('the parts of one utterance are equally loud, though the voice is learned between them', async () => {
    const options = { voiceKey: 'in parts', utterance: {} };
    const [first, second] = [await speak(at(-10), options, true), await speak(at(-10), options)];
    expect(Math.abs(lufs(first) - lufs(second))).toBeLessThan(0.3);
    const next = await speak(at(-10), { voiceKey: 'in parts', utterance: {} });
    expect(lufs(next) - lufs(first)).toBeGreaterThan(2);
  });

  test('what a loud source or a large gain would clip is turned down before it is encoded', async () => {
    const quietWithCry = at(-14);
    quietWithCry.set(at(0).subarray(24_000, 36_000), 24_000);
    await speak(at(-14), { voiceKey: 'cries' });
    for (const sound of [await speak(quietWithCry, { voiceKey: 'cries' }), await speak(at(4), {})]) {
      // The codec overshoots by a little.
      expect(peak(sound)).toBeLessThan(CEILING * 1.1);
    }
  });
});

describe('the gain of a voice', () => {
  test.each([
    ['quiet', TARGET_LUFS - 5, 5],
    ['loud', TARGET_LUFS + 4, -4],
    ['whisper', -50, MAX_GAIN_DB],
    ['shout', -2, -MAX_GAIN_DB],
  ])('brings each voice to the target by its measured loudness, within bounds: %s', (voiceKey, lufs, gainDb) => {
    const gains = createVoiceGains();
    gains.learn(voiceKey, { lufs, seconds: 3 });
    expect(gains.get(voiceKey)).toBeCloseTo(gainDb);
    expect(gains.get('other')).toBe(0);
  });

  test('is not learned from one short cry', () => {
    const gains = createVoiceGains();
    gains.learn('aria', { lufs: -8, seconds: 0.4 });
    expect(gains.get('aria')).toBe(0);
    gains.learn('aria', { lufs: -24, seconds: 4 });
    expect(gains.get('aria')).toBeGreaterThan(3);
  });

  test('stays where it is for less than 1 dB', () => {
    const gains = createVoiceGains();
    gains.learn('aria', { lufs: -22, seconds: 10 });
    const before = gains.get('aria');
    gains.learn('aria', { lufs: -23, seconds: 10 });
    expect(gains.get('aria')).toBe(before);
  });

  test('follows a voice that has changed for good, not one odd clip', () => {
    const gains = createVoiceGains();
    for (let i = 0; i < 20; i++) gains.learn('aria', { lufs: -20, seconds: 5 });
    gains.learn('aria', { lufs: -30, seconds: 5 });
    expect(gains.get('aria')).toBeLessThan(3.5);
    for (let i = 0; i < 60; i++) gains.learn('aria', { lufs: -28, seconds: 5 });
    expect(gains.get('aria')).toBeGreaterThan(8.9);
  });
});

/** Response at 48 kHz of the two filters as BS.1770 prints them. */
function standardWeightDb(hertz: number): number {
  const filters = [
    { b: [1.53512485958697, -2.69169618940638, 1.19839281085285], a: [1, -1.69065929318241, 0.73248077421585] },
    { b: [1, -2, 1], a: [1, -1.99004745483398, 0.99007225036621] },
  ];
  const w = (2 * Math.PI * hertz) / 48_000;
  const power = (c: number[]) =>
    c.reduce((sum, value, n) => sum + value * Math.cos(n * w), 0) ** 2 +
    c.reduce((sum, value, n) => sum + value * Math.sin(n * w), 0) ** 2;
  return filters.reduce((sum, { b, a }) => sum + 10 * Math.log10(power(b) / power(a)), 0);
}

describe('loudness', () => {
  // The standard's own example.
  test.each([8_000, 16_000, 22_050, 24_000, 44_100, 48_000])('of a tone of 997 Hz is right at %i Hz', (rateHz) => {
    const { lufs, seconds } = measure(tone(997, rateHz, 1, 3), rateHz) ?? { lufs: 0, seconds: 0 };
    expect(lufs).toBeCloseTo(-3.01, 1);
    expect(seconds).toBeGreaterThan(2.5);
  });

  test.each([40, 100, 500, 2_000, 8_000])('weighs %i Hz as the standard’s table of coefficients does', (hertz) => {
    const { lufs } = measure(tone(hertz, 48_000, 0.5, 4), 48_000) ?? { lufs: 0 };
    expect(lufs).toBeCloseTo(20 * Math.log10(0.5) - 3.01 - 0.691 + standardWeightDb(hertz), 1);
  });

  test('leaves pauses out, however long', () => {
    const said = speechLike(24_000, 3);
    const paused = new Float32Array(24_000 * 12);
    paused.set(said, 24_000 * 2);
    // A pause is never quite silent.
    for (const [i, sample] of paused.entries()) paused[i] = sample + (i % 2 === 0 ? 1e-4 : -1e-4);
    const [alone, among] = [measure(said, 24_000), measure(paused, 24_000)];
    expect(Math.abs((alone?.lufs ?? 0) - (among?.lufs ?? 0))).toBeLessThan(0.6);
    expect(among?.seconds).toBeLessThan(4);
  });

  test('of silence, of nothing and of a blink is unknown', () => {
    expect(measure(new Float32Array(48_000), 24_000)).toBeUndefined();
    expect(measure(new Float32Array(0), 24_000)).toBeUndefined();
    expect(measure(speechLike(24_000, 0.3), 24_000)).toBeUndefined();
  });
});
