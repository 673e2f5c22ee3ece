import { describe, expect, test } from 'vitest';
import { waveformOf } from '../../../src/audio/clips/joined-clip.ts';
import { between, packetsOf } from '../opus-sounds.ts';
import { speechLike } from '../sounds.ts';

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

  test('of silence is flat', async () => {
    expect(Math.max(...(await waveformOf(await packetsOf(new Float32Array(24_000)))))).toBe(0);
  });

  test('is given up when it is no longer wanted', async () => {
    const packets = await packetsOf(speechLike(24_000, 8));
    await expect(waveformOf([...packets, ...packets, ...packets], AbortSignal.abort(new Error('no')))).rejects.toThrow(
      'no',
    );
  });
});
