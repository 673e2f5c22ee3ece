import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Clip } from '../../../src/audio/clips/clip.ts';
import { MAX_GAIN_DB, TARGET_LUFS } from '../../../src/audio/making/loudness-gains.ts';
import { CEILING } from '../../../src/audio/making/loudness-limiter.ts';
import { createLoudnessMeter } from '../../../src/audio/making/loudness-meter.ts';
import type { AudioPipeline, ClipOptions } from '../../../src/audio/making/pipeline.ts';
import { createAudioPipeline } from '../../../src/audio/making/pipeline.ts';
import { heard, inPieces, PRE_SKIP, reference48k, silentLog, snrDb, speechLike, wav16 } from '../sounds.ts';

const said = speechLike(24_000, 3);
let pipeline: AudioPipeline;

beforeAll(() => {
  pipeline = createAudioPipeline({ log: silentLog, allowLoopback: true });
});
afterAll(() => pipeline.close());

/** The same speech, so many dB louder. */
const at = (db: number) => said.map((sample) => sample * 10 ** (db / 20));

async function speak(samples: Float32Array, options: ClipOptions): Promise<Float32Array> {
  const clip = pipeline.makeClip(inPieces(wav16(samples, 24_000), 8_192), options);
  await clip.done;
  return heard(clip.packets);
}

/** Its rest comes when its first packet is there. */
async function speakSlowly(samples: Float32Array, options: ClipOptions): Promise<Float32Array> {
  const wav = wav16(samples, 24_000);
  async function* slow(): AsyncIterable<Uint8Array> {
    yield wav.subarray(0, 44 + 2 * 7_200);
    await clip.waitFor(0);
    yield wav.subarray(44 + 2 * 7_200);
  }
  const clip: Clip = pipeline.makeClip(slow(), options);
  await clip.done;
  return heard(clip.packets);
}

function lufs(samples: Float32Array): number {
  const meter = createLoudnessMeter(48_000);
  meter.push(samples);
  return meter.loudness()?.lufs ?? Number.NEGATIVE_INFINITY;
}

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
    const sound = await speakSlowly(at(-10), { voiceKey: 'slow' });
    expect(Math.abs(lufs(sound) - lufs(reference48k(at(-10), 24_000)))).toBeLessThan(0.5);
  });

  test('a new voice whose audio breaks off is heard as far as it came', async () => {
    const cut = wav16(at(-10), 24_000).subarray(0, 24_000);
    const clip = pipeline.makeClip(inPieces(cut, 8_192), { voiceKey: 'new and broken' });
    await expect(clip.done).rejects.toMatchObject({ kind: 'damaged' });
    expect(clip.durationMs).toBeGreaterThanOrEqual(480);
  });

  test('a new voice’s audio that is too long ends, though the rest never comes', async () => {
    async function* stuck(): AsyncIterable<Uint8Array> {
      yield wav16(said, 24_000).subarray(0, 24_000 * 2 * 2);
      await new Promise(() => undefined);
    }
    const clip = pipeline.makeClip(stuck(), { voiceKey: 'new and long', maxDurationMs: 1_000 });
    await expect(clip.done).rejects.toMatchObject({ kind: 'endless' });
  });

  test('the gain is the same from the first sample of a clip to its last', async () => {
    await speak(at(-6), { voiceKey: 'constant' });
    const sound = await speak(at(-6), { voiceKey: 'constant' });
    // A gain that changed would show as noise against the source scaled by one factor.
    expect(snrDb(reference48k(said, 24_000), sound, PRE_SKIP)).toBeGreaterThan(20);
  });

  test('clips without a voice are left as they are', async () => {
    for (let i = 0; i < 2; i++) {
      expect(Math.abs(lufs(await speak(at(-10), {})) - lufs(reference48k(at(-10), 24_000)))).toBeLessThan(0.5);
    }
  });

  test('the parts of one utterance are equally loud, though the voice is learned between them', async () => {
    const options = { voiceKey: 'in parts', utterance: {} };
    const [first, second] = [await speakSlowly(at(-10), options), await speak(at(-10), options)];
    expect(Math.abs(lufs(first) - lufs(second))).toBeLessThan(0.3);
    const next = await speak(at(-10), { voiceKey: 'in parts', utterance: {} });
    expect(lufs(next) - lufs(first)).toBeGreaterThan(2);
  });

  test('the voices of one utterance are within 1 LU of each other, the first as they are known', async () => {
    for (const [voiceKey, db] of [
      ['quiet', -9],
      ['loud', 3],
    ] as const)
      await speak(at(db), { voiceKey });
    const utterance = {};
    const [quiet, loud, quietAgain] = [
      lufs(await speak(at(-9), { voiceKey: 'quiet', utterance })),
      lufs(await speak(at(3), { voiceKey: 'loud', utterance })),
      lufs(await speak(at(-9), { voiceKey: 'quiet', utterance })),
    ];
    expect(Math.abs(quiet - loud)).toBeLessThan(1);
    expect(Math.abs(quiet - quietAgain)).toBeLessThan(0.3);
  });

  test('what a loud source or a large gain would clip is turned down before it is encoded', async () => {
    const quietWithCry = at(-14);
    quietWithCry.set(at(0).subarray(24_000, 36_000), 24_000);
    await speak(at(-14), { voiceKey: 'cries' });
    for (const sound of [await speak(quietWithCry, { voiceKey: 'cries' }), await speak(at(4), {})]) {
      // The codec overshoots by a little.
      expect(sound.reduce((max, sample) => Math.max(max, Math.abs(sample)), 0)).toBeLessThan(CEILING * 1.1);
    }
  });

  test('the first packet does not wait for what follows it', async () => {
    async function* stuck(): AsyncIterable<Uint8Array> {
      yield wav16(said, 24_000).subarray(0, 44 + 2 * 720);
      await new Promise(() => undefined);
    }
    const clip = pipeline.makeClip(stuck(), { voiceKey: 'early' });
    await clip.waitFor(0);
    expect(clip.packets).toHaveLength(1);
    clip.cancel();
  });

  test('a clip that breaks off teaches what it can', async () => {
    const cut = wav16(at(-10), 24_000).subarray(0, 24_000 * 2 * 2);
    const clip = pipeline.makeClip(inPieces(cut, 8_192), { voiceKey: 'broken' });
    await expect(clip.done).rejects.toMatchObject({ kind: 'damaged' });
    const before = lufs(reference48k(at(-10), 24_000));
    expect(lufs(await speak(at(-10), { voiceKey: 'broken' })) - before).toBeGreaterThan(2);
  });
});
