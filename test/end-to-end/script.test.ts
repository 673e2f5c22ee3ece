import { describe, expect, it } from 'vitest';
import type { Person } from '../../src/playground/people/person.ts';
import type { VisibleMessage } from '../../src/playground/people/views.ts';
import { cut, speechSpan } from './measure.ts';
import { choose } from './reading.ts';
import { expectSameSound, inVoice, pick, replyTo, shareScene, soundOf } from './scene.ts';

const shared = await shareScene();
const { scene } = shared;

const FORM = '/say as:script (several voices)';
const LINES = 'One line per speaker, NAME: text';

/** The reply to a script that is written into the form. */
async function spoken(person: Person, written: string, isRefused = false): Promise<VisibleMessage> {
  const form = await (await person.types(FORM)).modal();
  const sent = await person.submits(form, { [LINES]: written });
  return sent.reply(isRefused ? { until: ({ ephemeral }) => ephemeral } : {});
}

const refusal = (person: Person, written: string) => spoken(person, written, true);

describe('a script', () => {
  it('is spoken line by line, by voices and by members’ voices, in one text', async () => {
    const [alice, bob] = [inVoice(shared.server), shared.server.member('bob')];
    const [aria, ext] = [await pick(alice, 'gpro31'), await pick(alice, 'ext')];
    await replyTo(bob.command('voice set', { voice: ext.id }));
    const reply = await spoken(alice, `${aria.name}: Good evening to you.\nbob: And to you as well.`);
    expect(reply.text).toContain(`with ${aria.name} and ${ext.name}: `);
    const heard = soundOf(await alice.listener.utterance());
    const said = await scene.said('Good evening to you.', aria.id);
    // Between them the pause after a sentence, 300 ms.
    const middle = speechSpan(heard).start / heard.sampleRateHz + speechSpan(said).seconds + 0.15;
    const [first, second] = [cut(heard, 0, middle), cut(heard, middle, Number.POSITIVE_INFINITY)];
    expectSameSound(first, said);
    expectSameSound(second, await scene.said('And to you as well.', ext.id));
    const gap = (first.samples.length - speechSpan(first).end + speechSpan(second).start) / first.sampleRateHz;
    expect(gap).toBeGreaterThan(0.26);
    expect(gap).toBeLessThan(0.34);
  });

  it('is refused for what a server blocks, also where it is split over two lines', async () => {
    const alice = inVoice(shared.server);
    const requests = () => scene.service.ledger.charges(1_000).length;
    const [aria, ext] = [await pick(alice, 'gpro31'), await pick(alice, 'ext')];
    const split = `${aria.name}: You bad\n${ext.name}: phrase, you.`;
    const before = requests();
    for (const blockedWordsMode of ['refuse', 'bleep'] as const) {
      await choose(scene, { blockedWords: ['bad phrase'], blockedWordsMode }, shared);
      expect((await refusal(alice, split)).text).toContain('the server blocks “bad phrase”');
    }
    expect(requests()).toBe(before);
    const bleeped = await spoken(alice, `${aria.name}: You bad phrase.\n${ext.name}: Indeed.`);
    expect(bleeped.text).toContain('You beep.');
  });
});
