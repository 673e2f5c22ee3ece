import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { GENERAL, MUSIC, played, result, settle, stage, utterance } from '../playback/speaker-stage.ts';
import { asked, by, stage as synthesisStage } from '../synthesis/synthesis-stage.ts';

const at = (ms: number) => ({ ...played, firstPacketAtMs: ms });

describe('the time to the first packet', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** An utterance that was asked for at the time 0 of the test's own clock. */
  const askedAtZero = (input: string, channelId = GENERAL) => ({ ...utterance(input, channelId), askedAtMs: 0 });

  it('is counted from the interaction, by what had to be waited for', async () => {
    const { speaker, plays, spoken, firstAudio, begin } = stage();
    void speaker.submit(askedAtZero('one')).delivery;
    await settle();
    await begin();
    plays.at(-1)?.answer(at(400));
    await settle();

    void speaker.submit(askedAtZero('two')).delivery;
    await settle();
    spoken.at(-1)?.answer(result());
    await settle();
    plays.at(-1)?.answer(at(90));
    await settle();

    void speaker.submit(askedAtZero('three')).delivery;
    await settle();
    spoken.at(-1)?.answer(result('/cached'));
    await settle();
    plays.at(-1)?.answer(at(8));
    await settle();

    expect(firstAudio).toEqual([
      { kind: 'cold', ms: 400 },
      { kind: 'joined', ms: 90 },
      { kind: 'cached', ms: 8 },
    ]);
  });

  it('has the join in it wherever there was one, the sound being there or not', async () => {
    const { speaker, plays, listeners, firstAudio, begin } = stage();
    void speaker.submit(askedAtZero('one')).delivery;
    await settle();
    await begin(GENERAL, result('/cached'));
    plays.at(-1)?.answer(at(50));
    await settle();
    listeners[GENERAL] = 0;
    void speaker.submit(askedAtZero('two', MUSIC)).delivery;
    await settle();
    await begin(MUSIC);
    plays.at(-1)?.answer(at(60));
    await settle();
    expect(firstAudio.map(({ kind }) => kind)).toEqual(['cold', 'cold']);
  });

  it('of what waited behind others is kept apart: that is their time', async () => {
    const { speaker, plays, spoken, firstAudio, begin } = stage();
    void speaker.submit(askedAtZero('one')).delivery;
    void speaker.submit(askedAtZero('two')).delivery;
    await settle();
    await begin();
    plays.at(-1)?.answer(at(300));
    await settle();
    spoken.at(-1)?.answer(result());
    await settle();
    plays.at(-1)?.answer(at(5_000));
    await settle();
    expect(firstAudio).toEqual([
      { kind: 'cold', ms: 300 },
      { kind: 'queued', ms: 5_000 },
    ]);
  });

  it('is not counted where nothing was heard', async () => {
    const { speaker, plays, firstAudio, begin } = stage();
    speaker.submit(askedAtZero('one')).delivery.catch(() => undefined);
    await settle();
    await begin();
    const nothing = { ...played, firstPacketAtMs: undefined };
    plays.at(-1)?.answer({ ...nothing, outcome: 'truncated', packetsSent: 0, error: new Error('lost') });
    await settle();
    expect(firstAudio).toEqual([]);
  });
});

describe('the wait for a later part of a long text', () => {
  it('is what its listeners hear as a gap: from the end of the part before to its first packet', async () => {
    const scene = synthesisStage({ limit: 250 });
    const sentences = Array.from({ length: 12 }, (_, i) => `Fox ${100 + i} jumps over the lazy dog, again and again.`);
    const synthesis = scene.synthesizer.render(asked(sentences.join(' ')), by('alice'));
    await scene.settled();
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
    await scene.make(1);
    await vi.waitFor(() => expect(clip.packets.length).toBeGreaterThan(ofFirst));
    expect(scene.partWaitsMs).toEqual([]);
    // 20 ms after the last packet of the first part would have been in time.
    playedAt(ofFirst + 1, 2_055);
    playedAt(ofFirst + 2, 2_075);
    expect(scene.partWaitsMs).toEqual([35]);
    await synthesis.end();
  });
});
