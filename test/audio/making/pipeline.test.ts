import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type AudioPipeline, createAudioPipeline } from '../../../src/audio/making/pipeline.ts';
import { serverThat } from '../../loopback-server.ts';
import { clipOf, inPieces, silentLog, speechLike, unended, WHOLE, wav16 } from '../sounds.ts';

const said = speechLike(24_000, 2);
const file = wav16(said, 24_000);
let pipeline: AudioPipeline;

beforeAll(async () => {
  pipeline = createAudioPipeline({ log: silentLog, allowLoopback: true, limits: { maxDurationMs: 5_000 } });
  await pipeline.warmUp();
});
afterAll(() => pipeline.close());

/** Makes each look at the clock a tenth of a millisecond later than the last, on a machine of any speed: a frame takes as long. */
function frameTakesTenthOfMs(): void {
  let looks = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => ++looks / 10);
}

/** Repeats the bytes, from `hasCome` on, until the reader leaves. */
async function* endless(bytes: Uint8Array, closed: () => void, hasCome = Promise.resolve()): AsyncIterable<Uint8Array> {
  try {
    await hasCome;
    for (;;) yield bytes;
  } finally {
    closed();
  }
}

describe('from a URL to a clip', () => {
  test('resolves with the headers; the first packet is there before the second second is sent', async () => {
    const { promise: mayFinish, resolve: finish } = Promise.withResolvers<void>();
    async function* sent(): AsyncIterable<Uint8Array> {
      yield file.subarray(0, 5_000);
      await mayFinish;
      yield file.subarray(5_000);
    }
    const clip = await clipOf(pipeline, sent());
    await clip.waitFor(0);
    expect(clip.state).toBe('growing');
    expect(clip.packets.length).toBeLessThan(10);
    finish();
    await clip.done;
    expect(clip.durationMs).toBeGreaterThanOrEqual(2_000);
  });

  test('encoding never holds up the event loop: a millisecond or so, then everything else has its turn', async () => {
    frameTakesTenthOfMs();
    const long = wav16(speechLike(24_000, 4), 24_000);
    const clips = await Promise.all(Array.from({ length: 5 }, () => clipOf(pipeline, inPieces(long, 65_536))));
    const made = () => clips.reduce((sum, clip) => sum + clip.packets.length, 0);
    const perRound: number[] = [];
    while (clips.some(({ state }) => state === 'growing')) {
      const before = made();
      await setImmediate();
      perRound.push(made() - before);
    }
    expect(Math.max(...perRound)).toBeLessThanOrEqual(12);
    expect(perRound.length).toBeGreaterThan(80);
  });
});

describe('what cannot be played', () => {
  test.each([
    ['a file of nothing', Buffer.alloc(0)],
    ['a WAV without sound', wav16(new Float32Array(0), 24_000)],
  ])('%s is no audio', async (_, bytes) => {
    const clip = await clipOf(pipeline, inPieces(bytes, 1_000));
    await expect(clip.done).rejects.toMatchObject({ kind: 'not-audio' });
  });

  test.each([
    ['text instead of sound', Buffer.from('<html>maintenance'), 'not-audio'],
    ['a WAV header that makes no sense', wav16(said, 1), 'damaged'],
  ])('what its first bytes refuse is not fetched further: %s', async (_, firstBytes, kind) => {
    const closed = vi.fn();
    const clip = await clipOf(pipeline, endless(firstBytes, closed));
    await expect(clip.done).rejects.toMatchObject({ kind });
    await expect.poll(() => closed.mock.calls.length).toBe(1);
  });

  test('more sound than its text can take is cut there, and said to be endless', async () => {
    const bytes = inPieces(wav16(speechLike(8_000, 6), 8_000), 65_536);
    const clip = await clipOf(pipeline, bytes, { maxDurationMs: 2_000 });
    await expect(clip.done).rejects.toMatchObject({ kind: 'endless' });
    expect(clip.durationMs).toBe(2_000);
  });
});

describe('stopping', () => {
  test.each([
    ['three seconds of silence', new Float32Array(72_000), 300, 'failed'],
    ['a tenth of a second', said.subarray(0, 2_400), 300, 'failed'],
    ['as much sound as its text takes', said.subarray(0, 9_600), 300, 'complete'],
    ['silence where nothing need be said', new Float32Array(2_400), 0, 'complete'],
  ])('%s, for a text that takes so much sound', async (_, samples, minSoundMs, state) => {
    const clip = await clipOf(pipeline, inPieces(wav16(samples, 24_000), 1_000), { minSoundMs });
    await clip.done.catch(() => undefined);
    expect(clip.state).toBe(state);
    if (state === 'failed') expect(clip.error).toMatchObject({ kind: 'too-short' });
  });

  test('canceling a clip before its decoder is chosen closes its source', async () => {
    const closed = vi.fn();
    const { promise: hasCome, resolve: come } = Promise.withResolvers<void>();
    const clip = await clipOf(pipeline, endless(Buffer.from('OggS'.repeat(20)), closed, hasCome));
    clip.cancel();
    come();
    await expect.poll(() => closed.mock.calls.length).toBe(1);
  });

  test('the caller’s signal ends the wait for the headers, and cancels a clip whose file is on its way', async () => {
    const [before, after] = [new AbortController(), new AbortController()];
    const silent = new URL(await serverThat(() => before.abort(new Error('stop'))));
    await expect(pipeline.fetchClip(silent, { ...WHOLE, signal: before.signal })).rejects.toThrow('stop');
    const clip = await clipOf(pipeline, unended(file.subarray(0, 5_000)), { signal: after.signal });
    after.abort();
    await expect(clip.done).rejects.toMatchObject({ name: 'ClipCanceledError' });
  });

  test('closing ends the clips in progress, twice without harm, and accepts no new ones', async () => {
    const own = createAudioPipeline({ log: silentLog, allowLoopback: true });
    const clip = await clipOf(own, unended(file.subarray(0, 5_000)));
    await own.close();
    await own.close();
    expect(clip.state).toBe('failed');
    await expect(own.fetchClip(new URL('http://127.0.0.1/x'), WHOLE)).rejects.toThrow('closed');
  });
});
