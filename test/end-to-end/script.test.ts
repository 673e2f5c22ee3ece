import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Person } from '../../src/playground/people/person.ts';
import type { VisibleMessage } from '../../src/playground/people/views.ts';
import { speechSpan, splitAtLongestSilence } from './measure.ts';
import { pick } from './pick.ts';
import { choose } from './reading.ts';
import { expectSameSound, soundOf } from './same-speech.ts';
import { openScene, type Scene } from './scene.ts';

const ANSWERED = { timeoutMs: 15_000 };

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene.close());

const answer = async (person: Person, line: string, options: Readonly<Record<string, string | number>>) =>
  (await person.command(line, options)).reply(ANSWERED);

const FORM = '/say as:script (several voices)';
const LINES = 'One line per speaker, NAME: text';

/** The reply to a script that is written into the form. */
async function spoken(person: Person, written: string): Promise<VisibleMessage> {
  const form = await (await person.types(FORM)).modal(ANSWERED);
  return (await person.submits(form, { [LINES]: written })).reply(ANSWERED);
}

async function refusal(person: Person, written: string): Promise<VisibleMessage> {
  const form = await (await person.types(FORM)).modal(ANSWERED);
  return (await person.submits(form, { [LINES]: written })).reply({ ...ANSWERED, until: ({ ephemeral }) => ephemeral });
}

const requests = () => scene.service.ledger.charges(1_000).length;

describe('a script', () => {
  it('is spoken line by line, by voices and by members’ voices, in one text', async () => {
    const server = scene.world.newServer('Theatre');
    const [alice, bob] = [server.member('alice'), server.member('bob')];
    alice.joins('General');
    const [aria, ext] = [await pick(alice, 'gpro31'), await pick(alice, 'ext')];
    await answer(bob, 'voice set', { voice: ext.id });
    const reply = await spoken(alice, `${aria.label}: Good evening to you.\nbob: And to you as well.`);
    expect(reply.text).toContain(`with ${aria.label}, ${ext.label}: `);
    const [first, second] = splitAtLongestSilence(soundOf(await alice.listener.utterance(ANSWERED)));
    expectSameSound(first, await scene.said('Good evening to you.', aria.id));
    expectSameSound(second, await scene.said('And to you as well.', ext.id));
    // Between them the pause after a sentence, 300 ms.
    const gap = (first.samples.length - speechSpan(first).end + speechSpan(second).start) / first.sampleRateHz;
    expect(gap).toBeGreaterThan(0.26);
    expect(gap).toBeLessThan(0.34);
  });

  it('with a name that is nobody’s is asked about before it costs, and comes back as it was written', async () => {
    const server = scene.world.newServer('Empty theatre');
    const alice = server.member('alice');
    alice.joins('General');
    const refused = await refusal(alice, 'Hamlet: To be!\nYorick: Not to be.');
    expect(refused.text).toContain('No voice or member has these names: Hamlet, Yorick.');
    const again = await (await alice.presses(refused, 'Edit')).modal(ANSWERED);
    expect(JSON.stringify(again)).toContain('Yorick: Not to be.');
  });

  it('is refused for what a server blocks, also where it is split over two lines', async () => {
    const server = scene.world.newServer('Strict theatre');
    const alice = server.member('alice');
    alice.joins('General');
    const [aria, ext] = [await pick(alice, 'gpro31'), await pick(alice, 'ext')];
    const split = `${aria.label}: You bad\n${ext.label}: phrase, you.`;
    const before = requests();
    for (const blockedWordsMode of ['refuse', 'bleep'] as const) {
      await choose(scene, { blockedWords: ['bad phrase'], blockedWordsMode }, { server });
      expect((await refusal(alice, split)).text).toContain('the server blocks “bad phrase”');
    }
    expect(requests()).toBe(before);
    const bleeped = await spoken(alice, `${aria.label}: You bad phrase.\n${ext.label}: Indeed.`);
    expect(bleeped.text).toContain('You beep.');
  });

  it('has no voice and no language of its own', async () => {
    const server = scene.world.newServer('Options');
    const alice = server.member('alice');
    alice.joins('General');
    const aria = await pick(alice, 'gpro31');
    const given: Readonly<Record<string, string>>[] = [{ voice: aria.id }, { language: 'de' }];
    for (const options of given) {
      const refused = await answer(alice, 'say', { text: 'bob: Hello.', as: 'script', ...options });
      expect(refused.text).toBe(
        'In a script, the name at the start of each line picks the voice. Leave out voice and language.',
      );
      expect(refused.ephemeral).toBe(true);
    }
  });
});
