import { describe, expect, it, vi } from 'vitest';
import { GENERAL, MUSIC, played, result, settle, stage, utterance } from '../playback/speaker-stage.ts';
import { stage as synthesisStage } from '../synthesis/synthesis-stage.ts';

describe('the time to the first packet', () => {
  /** An utterance that was asked for at the time 0 of the test's own clock. */
  const askedAtZero = (input: string, channelId = GENERAL) => ({ ...utterance(input, channelId), askedAtMs: 0 });

  /** Answers the synthesis, if it is waited for, and then the playing of it. */
  async function isHeard(at: ReturnType<typeof stage>, ms: number, audio?: ReturnType<typeof result>) {
    if (audio) at.spoken.at(-1)?.answer(audio);
    await settle();
    at.plays.at(-1)?.answer({ ...played, firstPacketAtMs: ms });
    await settle();
  }

  it('is counted from the interaction, by what had to be waited for', async () => {
    const scene = stage();
    const { speaker, listeners, firstAudio, begin } = scene;
    const submit = async (input: string, channelId?: string) => {
      void speaker.submit(askedAtZero(input, channelId)).delivery;
      await settle();
    };
    await submit('one');
    await begin();
    await isHeard(scene, 400);
    await submit('two');
    await isHeard(scene, 90, result());
    await submit('three');
    await isHeard(scene, 8, result('/cached'));
    // The join is in it, though the audio was there.
    listeners[GENERAL] = 0;
    await submit('four', MUSIC);
    await begin(MUSIC, result('/cached'));
    await isHeard(scene, 60);
    expect(firstAudio).toEqual([
      { kind: 'cold', ms: 400 },
      { kind: 'joined', ms: 90 },
      { kind: 'cached', ms: 8 },
      { kind: 'cold', ms: 60 },
    ]);
  });

  it('of what waited behind others is kept apart: that is their time', async () => {
    const scene = stage();
    for (const input of ['one', 'two']) void scene.speaker.submit(askedAtZero(input)).delivery;
    await settle();
    await scene.begin();
    await isHeard(scene, 300);
    await isHeard(scene, 5_000, result());
    expect(scene.firstAudio).toEqual([
      { kind: 'cold', ms: 300 },
      { kind: 'queued', ms: 5_000 },
    ]);
  });
});

it('the wait for a later part is heard as a gap: from the end of the part before to its first packet', async () => {
  const scene = synthesisStage({ limit: 250 });
  const sentences = Array.from({ length: 12 }, (_, i) => `Fox ${100 + i} jumps over the lazy dog, again and again.`);
  const synthesis = await scene.asks('alice', sentences.join(' '));
  await scene.make();
  const clip = await synthesis.clip;
  await vi.waitFor(() => expect(scene.billed.length).toBeGreaterThan(1));
  const ofFirst = clip.packets.length;
  const playedAt = (count: number, ms: number) => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(ms);
    clip.played?.(count);
    now.mockRestore();
  };
  playedAt(1, 1_000);
  playedAt(ofFirst, 2_000);
  await scene.make();
  await vi.waitFor(() => expect(clip.packets.length).toBeGreaterThan(ofFirst));
  expect(scene.partWaitsMs).toEqual([]);
  // 20 ms after the last packet of the first part would have been in time.
  playedAt(ofFirst + 1, 2_055);
  playedAt(ofFirst + 2, 2_075);
  expect(scene.partWaitsMs).toEqual([35]);
  await synthesis.end();
});
