import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { planParts } from '../../src/services/synthesis/parts.ts';
import { alignedCorrelation, type Sound, speechSpan } from './measure.ts';
import { soundOf } from './same-speech.ts';
import { newGuest, openScene, type Scene } from './scene.ts';

const ANSWERED = { timeoutMs: 60_000 };
const LIMIT = 1_000;

/** Sentences of which no two are the same, each beginning with a word of its own. */
function longText(count: number, theme: string): string {
  const openings = [
    'Today',
    'Later',
    'Slowly',
    'Never',
    'Perhaps',
    'Often',
    'Sometimes',
    'Finally',
    'Somewhere',
    'Almost',
  ];
  return Array.from(
    { length: count },
    (_, i) => `${openings[i % openings.length]} number ${i + 1} of the ${theme} walks by.`,
  ).join(' ');
}

const partsOf = (input: string) =>
  planParts({ input, voice: { kind: 'id', voiceId: 'any', model: 'gpro' } }, LIMIT).map(({ request }) => request.input);

function cut({ samples, sampleRateHz }: Sound, fromSeconds: number, toSeconds: number): Sound {
  return {
    samples: samples.subarray(
      Math.max(0, Math.round(fromSeconds * sampleRateHz)),
      Math.round(toSeconds * sampleRateHz),
    ),
    sampleRateHz,
  };
}

describe('a long text', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene();
  });
  afterAll(() => scene.close());

  const caller = () => newGuest(scene.world, 'General');
  const billed = () => scene.service.ledger.charges(100).length;

  /** Every time a part is billed, until `count` of them are. */
  async function untilBilled(before: number, count: number): Promise<void> {
    const endsAtMs = performance.now() + 30_000;
    while (billed() - before < count) {
      if (performance.now() > endsAtMs) throw new Error(`Only ${billed() - before} parts were asked for`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  it('is heard whole, part after part, with a speaker’s pause between them and no other gap', async () => {
    const input = longText(8, 'penguins');
    const parts = partsOf(input);
    expect(parts.length).toBeGreaterThanOrEqual(3);
    const before = billed();
    const reader = caller();
    const sent = await reader.types(`/say text:${input}`);
    const reply = await sent.reply({ ...ANSWERED, until: ({ text }) => /Spoken in/.test(text) });
    const heard = await reader.listener.utterance({ ...ANSWERED, quietMs: 1_000 });
    reader.leaves();

    expect(billed() - before).toBe(parts.length);
    expect(heard.lostPackets).toBe(0);
    const whole = soundOf(heard);
    let atSeconds = speechSpan(whole).start / whole.sampleRateHz;
    for (const [index, part] of parts.entries()) {
      const said = await scene.said(part);
      const { seconds } = speechSpan(said);
      const piece = cut(whole, atSeconds - 0.2, atSeconds + seconds + 0.2);
      expect(alignedCorrelation(said, piece, 150).correlation).toBeGreaterThan(0.9);
      if (index === parts.length - 1) break;
      // The next part's first sound follows after the pause.
      const rest = cut(whole, atSeconds + seconds + 0.1, atSeconds + seconds + 2);
      const pause = 0.1 + speechSpan(rest).start / rest.sampleRateHz;
      expect(pause).toBeGreaterThan(0.2);
      expect(pause).toBeLessThan(0.42);
      atSeconds += seconds + pause;
    }
    const charged = scene.service.ledger.charges(parts.length).reduce((sum, { amount }) => sum + amount, 0);
    const used = Number(/([\d,]+) credits? used/.exec(reply.text)?.[1]?.replaceAll(',', ''));
    expect(used).toBe(charged);
  }, 120_000);

  it('is spoken up to the part that fails, and then it is said which one that was, why, and what was used', async () => {
    const input = longText(12, 'crocodiles');
    const parts = partsOf(input);
    const before = billed();
    const reader = caller();
    const sent = await reader.types(`/say text:${input}`);
    // The second is asked for when the first starts, on a busy machine perhaps before the service is told to refuse it.
    await untilBilled(before, 1);
    scene.service.faults.contentPolicy = 1;
    const reply = await sent.reply({ ...ANSWERED, until: ({ ephemeral }) => ephemeral });
    const heard = await reader.listener.utterance({ ...ANSWERED, quietMs: 1_000 });
    reader.leaves();

    const [, failed] = new RegExp(`Stopped at part ([23]) of ${parts.length}`).exec(reply.text) ?? [];
    const spoken = parts.slice(0, Number(failed) - 1);
    expect(reply.text).toContain('content policy');
    const charged = scene.service.ledger.charges(1).reduce((sum, { amount }) => sum + amount, 0);
    expect(reply.text).toContain(`${charged} credits were used`);
    expect(reply.text).toMatch(/req_crier_[0-9a-f]{32}/);
    const said = speechSpan(await scene.said(spoken.join(' '))).seconds;
    expect(Math.abs(speechSpan(soundOf(heard)).seconds - said)).toBeLessThan(0.2 * spoken.length);
  }, 120_000);
});
