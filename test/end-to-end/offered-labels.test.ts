import { describe, expect, it } from 'vitest';
import type { Person, SentInteraction } from '../../src/playground/world/world.ts';
import { shareScene } from './scene.ts';

const ANSWERED = { timeoutMs: 20_000 };
/** Of expect.poll, whose own is a second. */
const ANSWERED_SOON = { timeout: 20_000 };
const DIRECT = { in: '@bot' };

const shared = await shareScene();
const textOf = async (sent: Promise<SentInteraction>) => (await (await sent).reply(ANSWERED)).text;

/** What is typed with the label of a suggestion in place of its value, as Discord's client sends it after a change of channel. */
describe('a label that was offered in German is understood', () => {
  const asked = (): Person => {
    const person = shared.server.newMember('nina', { permissions: ['ManageGuild'] });
    person.setsLanguage('de');
    return person;
  };

  it.each([
    ['tags', 'voice', ''],
    ['tags', 'voice', 'ext'],
    ['voice set', 'voice', 'gpro'],
  ])('of /%s %s: %s', async (command, option, typed) => {
    const person = asked();
    const offered = (await person.autocompletes(command, { [option]: typed })).slice(0, 3);
    expect(offered.length).toBeGreaterThan(0);
    for (const { name, value } of offered) {
      // At the second time, a voice is set already.
      await textOf(person.command(command, { [option]: String(value) }));
      const meant = await textOf(person.command(command, { [option]: String(value) }));
      expect(await textOf(person.command(command, { [option]: name }))).toBe(meant);
    }
  });

  it('of /dictionary remove, also where it is cut', async () => {
    const person = asked();
    const long = `${'long '.repeat(17)}word`;
    const bytes = new TextEncoder().encode(`gif\tjif\n${long}\tand so on and so forth\nmute\t`);
    await textOf(person.command('dictionary import', { file: { name: 'words.tsv', bytes }, how: 'replace' }));
    const offered = await person.autocompletes('dictionary remove', { word: '' });
    expect(offered).toHaveLength(3);
    for (const { name } of offered) await textOf(person.command('dictionary remove', { word: name }));
    expect(await person.autocompletes('dictionary remove', { word: '' })).toEqual([]);
  });

  it('of /skip, also when the queue has moved on', async () => {
    const person = asked();
    person.joins('General');
    const first = 'A long text, which is spoken for as long as this test takes. '.repeat(5);
    const offered = () => person.autocompletes('skip', { position: '' });
    await person.command('say', { text: first });
    await person.listener.audible(1, ANSWERED);
    for (const [waiting, text] of ['Second.', 'Third, which goes.', 'Fourth.'].entries()) {
      await person.command('say', { text });
      await expect.poll(offered, ANSWERED_SOON).toHaveLength(waiting + 1);
    }
    const [second, third] = await offered();
    expect(third?.name).toMatch(/^2\. .*Third/);
    for (const choice of [second, third]) await textOf(person.command('skip', { position: String(choice?.name) }));
    expect((await offered()).map(({ name }) => name)).toEqual([expect.stringContaining('Fourth')]);
    await textOf(person.command('stop', {}));
  });
});

it('a server of which the owner was offered the label is understood', async () => {
  const { world } = shared.scene;
  const olga = world.member('olga');
  const [offered] = await olga.autocompletes('owner leave', { server: shared.server.name }, DIRECT);
  expect(await textOf(olga.command('owner leave', { server: String(offered?.name) }, DIRECT))).toContain(
    shared.server.name,
  );
});
