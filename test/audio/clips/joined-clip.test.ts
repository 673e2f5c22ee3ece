import { describe, expect, test, vi } from 'vitest';
import { clipFromPackets, createClip } from '../../../src/audio/clips/clip.ts';
import { createJoinedClip, waveformOf } from '../../../src/audio/clips/joined-clip.ts';
import { joinSamples } from '../../../src/sound/resample.ts';
import { bestLag } from '../../end-to-end/measure.ts';
import { between, packetsOf } from '../opus-sounds.ts';
import { heard, PRE_SKIP, peak, reference48k, rms, snrDb, speechLike } from '../sounds.ts';

const one = speechLike(24_000, 0.8, 1);
const two = speechLike(24_000, 0.8, 2);
const three = speechLike(24_000, 0.8, 3);

/** Stretches of silence in ms, between the first and the last sound, at least 60 ms long; by windows of 5 ms. */
function pausesMs(samples: Float32Array): number[] {
  const window = 240;
  const windows = Array.from({ length: Math.floor(samples.length / window) }, (_, i) => i * window);
  const marks = windows.map((from) => (rms(samples, from, from + window) > 0.002 ? ' ' : '.')).join('');
  const pauses = marks.slice(marks.indexOf(' '), marks.lastIndexOf(' ')).split(/ +/);
  return pauses.map(({ length }) => length * 5).filter((ms) => ms >= 60);
}

/** A joined clip that is never too long. */
const joinerOf = (onPlayed: (count: number) => void = () => undefined, create = createJoinedClip) =>
  create(Number.POSITIVE_INFINITY, onPlayed);

async function joined(parts: readonly Float32Array[], pauseAfterMs = 300) {
  const joiner = joinerOf();
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1;
    await joiner.append(clipFromPackets(await packetsOf(part)), isLast ? undefined : pauseAfterMs);
  }
  joiner.complete();
  await joiner.clip.done;
  return { ...joiner, samples: await heard(joiner.clip.packets) };
}

describe('clips joined into one', () => {
  test.each([
    ['much silence at their ends', 0.9],
    ['a little silence at their ends', 0.1],
    ['none at all', 0],
  ])('pause between each other as a speaker would, where the parts have %s', async (_, silentSeconds) => {
    const parts = [one, two, three].map((part) => between(silentSeconds, part));
    const { samples } = await joined(parts, 300);
    const pauses = pausesMs(samples);
    expect(pauses).toHaveLength(2);
    for (const ms of pauses) {
      // Packets are silent or not as a whole; the codec lets ring a little.
      expect(ms).toBeGreaterThanOrEqual(270);
      expect(ms).toBeLessThanOrEqual(330);
    }
  });

  test('are heard whole and unchanged, each in its place', async () => {
    const parts = [one, two, three].map((part) => between(0.4, part));
    const { samples, starts, clip } = await joined(parts);
    for (const [index, sound] of [one, two, three].entries()) {
      const from = (starts[index] as number) * 960;
      const wanted = reference48k(sound, 24_000).subarray(0, 9_600);
      // Where it begins within its part: after the silence that was kept, to the sample.
      const [first, last] = index === 0 ? [19_000, 20_500] : [0, 3_000];
      const { lag } = bestLag(wanted, samples.subarray(from), first, last);
      expect(snrDb(wanted, samples.subarray(from), lag)).toBeGreaterThan(12);
    }
    expect(clip.packets.length * 20).toBeLessThan(3 * 800 + 2 * 400 + 2 * 360 + 40);
  });

  test('keep the silence before the first and after the last as it is', async () => {
    const first = between(0.5, one, 0.5);
    const lone = await packetsOf(first);
    const { clip } = await joined([first]);
    expect(clip.packets).toEqual(lone);
  });

  test('keep pauses within a part as long as they are', async () => {
    const withPause = joinSamples(between(0, one, 0.8), two);
    const { samples } = await joined([withPause, three], 300);
    const [inner, seam] = pausesMs(samples);
    expect(inner).toBeGreaterThan(760);
    expect(seam).toBeLessThan(350);
  });

  test('pass each packet on as soon as it is there', async () => {
    const packets = await packetsOf(one);
    const part = createClip();
    const joiner = joinerOf();
    const appending = joiner.append(part.clip, 300);
    part.push(packets[0] as Uint8Array);
    await joiner.clip.waitFor(0);
    expect(joiner.clip.packets).toEqual([packets[0]]);
    for (const packet of packets.slice(1)) part.push(packet);
    part.complete();
    await appending;
    expect(joiner.clip.state).toBe('growing');
  });

  test('say how far they were played, by packets sent or by packets waited for', async () => {
    const onPlayed = vi.fn();
    const joiner = joinerOf(onPlayed);
    await joiner.append(clipFromPackets(await packetsOf(one)), 100);
    joiner.clip.played?.(1);
    joiner.clip.played?.(2);
    joiner.clip.played?.(1);
    expect(onPlayed.mock.calls).toEqual([[1], [2]]);
    const { length } = joiner.clip.packets;
    void joiner.clip.waitFor(length);
    expect(joiner.played).toBe(length);
  });

  test('keep the good packets of a part that breaks off, and tell why', async () => {
    const packets = await packetsOf(one);
    const part = createClip();
    for (const packet of packets.slice(0, 10)) part.push(packet);
    part.fail(new Error('cut off'));
    const joiner = joinerOf();
    await expect(joiner.append(part.clip, 300)).rejects.toThrow('cut off');
    expect(joiner.clip.packets).toHaveLength(10);
  });

  test('stop taking over a part when they are canceled', async () => {
    const part = createClip();
    const joiner = joinerOf();
    const appending = joiner.append(part.clip);
    joiner.clip.cancel();
    await expect(appending).rejects.toThrow();
    expect(joiner.canceled.aborted).toBe(true);
    expect(joiner.clip.state).toBe('failed');
  });

  test('fail with their reason where nothing can measure them, and the process goes on', async () => {
    vi.resetModules();
    vi.doMock('libopus-wasm', () => ({
      createDecoder: async () => {
        throw new Error('no memory for the decoder');
      },
    }));
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    try {
      const { createJoinedClip: create } = await import('../../../src/audio/clips/joined-clip.ts');
      joinerOf(undefined, create).fail(new Error('given up before the first part'));
      const joiner = joinerOf(undefined, create);
      await expect(joiner.append(clipFromPackets([]))).rejects.toThrow('no memory for the decoder');
      joiner.fail(new Error('it cannot be joined'));
      await new Promise((resolve) => setImmediate(resolve));
      expect(unhandled).not.toHaveBeenCalled();
    } finally {
      process.off('unhandledRejection', unhandled);
      vi.doUnmock('libopus-wasm');
    }
  });

  test('make no click at the seam', async () => {
    const { samples, starts } = await joined([between(0.3, one), between(0.3, two)]);
    const seam = (starts[1] as number) * 960;
    expect(peak(samples.subarray(seam - 4_800, seam + PRE_SKIP + 480))).toBeLessThan(0.01);
  });
});

describe('the waveform of a sound', () => {
  test('shows where it is loud and where it is silent', async () => {
    const packets = await packetsOf(between(2, speechLike(24_000, 2)));
    const waveform = await waveformOf(packets);
    const third = Math.floor(waveform.length / 3);
    expect(Math.max(...waveform.subarray(0, third - 2))).toBeLessThan(10);
    expect(Math.max(...waveform.subarray(third + 2, 2 * third - 2))).toBe(255);
    expect(Math.max(...waveform.subarray(2 * third + 3))).toBeLessThan(10);
  });

  test('has a point for each packet of a short sound, and never more than 256', async () => {
    const short = await packetsOf(speechLike(24_000, 0.5));
    expect(await waveformOf(short)).toHaveLength(short.length);
    expect(await waveformOf(await packetsOf(speechLike(24_000, 8)))).toHaveLength(256);
    expect(await waveformOf([])).toHaveLength(0);
  });
});
