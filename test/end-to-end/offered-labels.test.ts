import { describe, expect, it } from 'vitest';
import type { Person } from '../../src/playground/world/world.ts';
import { newGuest, shareScene, textOf } from './scene.ts';

const shared = await shareScene();

/** What is typed with the label of a suggestion in place of its value, as Discord's client sends it after a change of channel. */
describe('a label that was offered in German is understood', () => {
  const asked = (): Person => {
    const person = newGuest(shared.server, undefined, { permissions: ['ManageGuild'] });
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
    const file = { name: 'words.tsv', contentType: 'text/tab-separated-values', bytes };
    await textOf(person.command('dictionary import', { file, how: 'replace' }));
    const offered = await person.autocompletes('dictionary remove', { word: '' });
    expect(offered).toHaveLength(3);
    for (const { name } of offered) await textOf(person.command('dictionary remove', { word: name }));
    expect(await person.autocompletes('dictionary remove', { word: '' })).toEqual([]);
  });
});
