import { expect, it } from 'vitest';
import { planParts } from '../../src/services/synthesis/parts.ts';
import { alignedCorrelation, cut, speechSpan } from './measure.ts';
import { inVoice, soundOf, startScene } from './scene.ts';

const ANSWERED = { timeoutMs: 60_000 };

/** Sentences of which no two are the same. */
const TEXT = ['Today', 'Later', 'Slowly', 'Never', 'Perhaps', 'Often', 'Sometimes', 'Finally']
  .map((opening, i) => `${opening} number ${i + 1} of the penguins walks by.`)
  .join(' ');

it('a long text is heard whole, part after part, with a speaker’s pause between them and no other gap', async () => {
  const scene = await startScene();
  const billed = () => scene.service.ledger.charges(100).length;
  const planned = planParts({ input: TEXT, voice: { kind: 'id', voiceId: 'any', model: 'gpro' } }, 1_000);
  const parts = planned.map(({ input }) => input);
  expect(parts.length).toBeGreaterThanOrEqual(3);
  const before = billed();
  const reader = inVoice(scene.world);
  const sent = await reader.types(`/say text:${TEXT}`);
  const reply = await sent.reply({ ...ANSWERED, until: /Spoken in/ });
  const heard = await reader.listener.utterance({ ...ANSWERED, quietMs: 1_000 });

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
});
