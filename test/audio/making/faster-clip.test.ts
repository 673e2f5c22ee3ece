import { beforeAll, describe, expect, test, vi } from 'vitest';
import { type Clip, clipFromPackets, createClip } from '../../../src/audio/clips/clip.ts';
import { createAudioPipeline } from '../../../src/audio/making/pipeline.ts';
import { loadEspeak } from '../../../src/speech-service/synthesis/embedded/espeak.ts';
import { medianPitchHz, rmsDb, spectralDistance, spectrum } from '../../speech-service/measure-audio.ts';
import { heard, silentLog, wav16 } from '../sounds.ts';

const RATE_HZ = 48_000;
const TEXT = 'The quick brown fox jumps over the lazy dog, and then she sells sea shells by the sea shore.';

const pipeline = createAudioPipeline({ log: silentLog, allowLoopback: true });
let plain: Clip;
let plainSound: Float32Array;

async function* once(bytes: Uint8Array) {
  yield bytes;
}

beforeAll(async () => {
  const espeak = await loadEspeak();
  const spoken = espeak.speak({ text: TEXT, voice: 'en-us+f2', wordsPerMinute: 165, pitch: 52, pitchRange: 60 });
  const samples = Float32Array.from(spoken, (sample) => sample / 32_768);
  plain = pipeline.makeClip(once(wav16(samples, 22_050)));
  await plain.done;
  plainSound = await heard(plain.packets);
});

/** As a player takes it: packet by packet, each reported. */
async function played(clip: Clip): Promise<Uint8Array[]> {
  const packets: Uint8Array[] = [];
  for (;;) {
    await clip.waitFor(packets.length);
    const packet = clip.packets[packets.length];
    if (!packet) return packets;
    packets.push(packet);
    clip.played?.(packets.length);
  }
}

const largestStep = (samples: Float32Array) =>
  samples.reduce((most, value, at) => Math.max(most, Math.abs(value - (samples[at - 1] ?? 0))), 0);

describe('speech that is played faster', () => {
  test.each([1.1, 1.25, 1.5])(
    '%d times: as much shorter, at its pitch, loudness and timbre, without clicks',
    async (speed) => {
      const faster = pipeline.faster(plain, speed);
      const sound = await heard(await played(faster));
      expect(faster.state).toBe('complete');
      expect(plainSound.length / sound.length / speed).toBeCloseTo(1, 1);
      expect(medianPitchHz(sound, RATE_HZ) / medianPitchHz(plainSound, RATE_HZ)).toBeCloseTo(1, 1);
      expect(Math.abs(rmsDb(sound) - rmsDb(plainSound))).toBeLessThan(0.7);
      expect(largestStep(sound)).toBeLessThan(1.2 * largestStep(plainSound));
      const distance = (other: Float32Array) =>
        spectralDistance(spectrum(other, RATE_HZ), spectrum(plainSound, RATE_HZ));
      // The same made by playing the samples faster: other formants.
      const raised = plainSound.filter((_, at) => Math.floor(at / speed) !== Math.floor((at - 1) / speed));
      expect(distance(sound)).toBeLessThan(0.5 * distance(raised));
    },
  );

  test('is made as it is needed, and asks of its source no more than that', async () => {
    const source = { ...plain, waitFor: vi.fn(plain.waitFor), played: vi.fn() };
    const long = { ...source, packets: [...plain.packets, ...plain.packets, ...plain.packets] };
    const faster = pipeline.faster(long, 1.5);
    await faster.waitFor(50);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(faster.packets.length).toBeLessThan(56);
    faster.played?.(30);
    expect(source.played).toHaveBeenLastCalledWith(45);
    await faster.waitFor(80);
    faster.cancel();
  });

  test('of a sound that is still coming begins before that is complete', async () => {
    const writer = createClip();
    const faster = pipeline.faster(writer.clip, 1.25);
    for (const packet of plain.packets.slice(0, 10)) writer.push(packet);
    await faster.waitFor(3);
    expect(faster.packets.length).toBeGreaterThan(3);
    for (const packet of plain.packets.slice(10)) writer.push(packet);
    writer.complete();
    expect((await played(faster)).length).toBeGreaterThan(plain.packets.length / 1.3);
  });

  test('fails as its sound fails, behind what was good of that', async () => {
    const writer = createClip();
    for (const packet of plain.packets.slice(0, 60)) writer.push(packet);
    const broken = new Error('The rest never came');
    writer.fail(broken);
    const faster = pipeline.faster(writer.clip, 1.5);
    expect((await played(faster)).length).toBeGreaterThanOrEqual(40);
    expect(faster.error).toBe(broken);
  });

  test('ends when it is cancelled, and leaves its sound alone', async () => {
    const source = clipFromPackets(plain.packets);
    const faster = pipeline.faster(source, 1.5);
    faster.cancel();
    await expect(faster.done).rejects.toThrow('cancelled');
    expect(source.state).toBe('complete');
  });
});
