import type { RequestListener } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type AudioPipeline, createAudioPipeline } from '../../../src/audio/making/pipeline.ts';
import { serverThat } from '../../loopback-server.ts';
import {
  correlation,
  heard,
  inPieces,
  PRE_SKIP,
  reference48k,
  silentLog,
  snrDb,
  speechLike,
  WHOLE,
  wav16,
} from '../sounds.ts';

const said = speechLike(24_000, 2);
const wanted = reference48k(said, 24_000);
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

const url = async (answer: RequestListener) => new URL(await serverThat(answer));

describe('from a URL to a clip', () => {
  test('a WAV at 24 kHz is heard as it was, whole, first and last 20 ms included', async () => {
    const clip = await pipeline.fetchClip(await url((_, response) => response.end(file)), WHOLE);
    await clip.done;
    expect(clip.state).toBe('complete');
    expect(clip.durationMs).toBeGreaterThanOrEqual(2_000);
    expect(clip.durationMs).toBeLessThan(2_060);
    const sound = await heard(clip.packets);
    expect(correlation(wanted, sound, PRE_SKIP)).toBeGreaterThan(0.99);
    expect(snrDb(wanted, sound, PRE_SKIP)).toBeGreaterThan(20);
    for (const from of [0, wanted.length - 960]) {
      expect(correlation(wanted.subarray(from, from + 960), sound, PRE_SKIP + from)).toBeGreaterThan(0.9);
    }
  });

  test('resolves with the headers; the first packet is there before the second second is sent', async () => {
    const { promise: mayFinish, resolve: finish } = Promise.withResolvers<void>();
    const clip = await pipeline.fetchClip(
      await url(async (_, response) => {
        response.write(file.subarray(0, 5_000));
        await mayFinish;
        response.end(file.subarray(5_000));
      }),
      WHOLE,
    );
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
    const clips = Array.from({ length: 5 }, () => pipeline.makeClip(inPieces(long, 65_536), WHOLE));
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
  test('fails with its kind: status, text instead of sound, nothing at all', async () => {
    const missing = await url((_, response) => response.writeHead(404).end());
    await expect(pipeline.fetchClip(missing, WHOLE)).rejects.toMatchObject({ kind: 'http-status', status: 404 });
    const html = await pipeline.fetchClip(await url((_, response) => response.end('<html>maintenance</html>')), WHOLE);
    await expect(html.done).rejects.toMatchObject({ kind: 'not-audio' });
    const nothing = await pipeline.fetchClip(await url((_, response) => response.end()), WHOLE);
    await expect(nothing.done).rejects.toMatchObject({ kind: 'not-audio' });
    const silent = await pipeline.fetchClip(
      await url((_, response) => response.end(wav16(new Float32Array(0), 24_000))),
      WHOLE,
    );
    await expect(silent.done).rejects.toMatchObject({ kind: 'not-audio' });
  });

  test.each([
    ['text instead of sound', Buffer.from('<html>maintenance'), 'not-audio'],
    ['a WAV header that makes no sense', wav16(said, 1), 'damaged'],
  ])('what its first bytes refuse is not fetched further: %s', async (_, firstBytes, kind) => {
    let isClosed = false;
    async function* endless(): AsyncIterable<Uint8Array> {
      try {
        for (;;) yield firstBytes;
      } finally {
        isClosed = true;
      }
    }
    await expect(pipeline.makeClip(endless(), WHOLE).done).rejects.toMatchObject({ kind });
    expect(isClosed).toBe(true);
  });

  test('more sound than its text can take is cut there, and said to be endless', async () => {
    const bytes = inPieces(wav16(speechLike(8_000, 6), 8_000), 65_536);
    const clip = pipeline.makeClip(bytes, { ...WHOLE, maxDurationMs: 2_000 });
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
    const clip = pipeline.makeClip(inPieces(wav16(samples, 24_000), 1_000), { ...WHOLE, minSoundMs });
    await clip.done.catch(() => undefined);
    expect(clip.state).toBe(state);
    if (state === 'failed') expect(clip.error).toMatchObject({ kind: 'too-short' });
  });

  test('canceling a clip before its decoder is chosen closes its source', async () => {
    let isClosed = false;
    const { promise: hasCome, resolve: come } = Promise.withResolvers<void>();
    async function* slow(): AsyncIterable<Uint8Array> {
      try {
        await hasCome;
        for (;;) yield Buffer.from('OggS'.repeat(20));
      } finally {
        isClosed = true;
      }
    }
    const clip = pipeline.makeClip(slow(), WHOLE);
    clip.cancel();
    come();
    await expect.poll(() => isClosed).toBe(true);
  });

  test('the caller’s signal does the same, before and after the headers', async () => {
    const before = new AbortController();
    const waiting = pipeline.fetchClip(await url(() => undefined), { ...WHOLE, signal: before.signal });
    setTimeout(() => before.abort(new Error('stop')), 30);
    await expect(waiting).rejects.toThrow('stop');
    const after = new AbortController();
    const clip = await pipeline.fetchClip(await url((_, response) => void response.write(file.subarray(0, 5_000))), {
      ...WHOLE,
      signal: after.signal,
    });
    after.abort();
    await expect(clip.done).rejects.toMatchObject({ name: 'ClipCanceledError' });
  });

  test('closing ends the clips in progress, twice without harm, and accepts no new ones', async () => {
    const own = createAudioPipeline({ log: silentLog, allowLoopback: true });
    const clip = await own.fetchClip(await url((_, response) => void response.write(file.subarray(0, 5_000))), WHOLE);
    await own.close();
    await own.close();
    expect(clip.state).toBe('failed');
    await expect(own.fetchClip(new URL('http://127.0.0.1/x'), WHOLE)).rejects.toThrow('closed');
  });
});
