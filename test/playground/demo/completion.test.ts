import { describe, expect, it, onTestFinished } from 'vitest';
import { createCompletion } from '../../../src/playground/demo/completion.ts';
import type { Screen } from '../../../src/playground/demo/screen.ts';
import type { Person } from '../../../src/playground/world/world.ts';
import { startWorld } from '../../../src/playground/world/world.ts';

const COMMANDS = [
  {
    type: 1,
    name: 'say',
    options: [
      { type: 3, name: 'text', required: true },
      { type: 3, name: 'voice', autocomplete: true },
      {
        type: 3,
        name: 'as',
        choices: [
          { name: 'audio file', name_localizations: { de: 'Audiodatei' }, value: 'file' },
          { name: 'a script: several voices', value: 'script' },
        ],
      },
      { type: 5, name: 'hidden' },
      { type: 7, name: 'channel', channel_types: [2] },
      { type: 6, name: 'member' },
    ],
  },
  { type: 1, name: 'settings', options: [{ type: 1, name: 'voice', options: [{ type: 3, name: 'voice' }] }] },
] as never;

const person = {
  language: 'en-US',
  autocompletes: async (_path: string, focused: Record<string, string>) => [
    { name: `ivy (orpheus) · en-GB (${focused.voice})`, value: 'b1c5' },
  ],
} as unknown as Person;
const server = {
  members: [{ name: 'bob', displayName: 'Bob' }],
  roles: new Map([['1', '@everyone']]),
  channels: [
    { name: 'general', kind: 'text' },
    { name: 'Lounge', kind: 'voice' },
  ],
} as unknown as Screen['server'];
const place = { person, server };

describe('completion at the prompt of the playground', () => {
  const { complete, chosen } = createCompletion(() => COMMANDS);

  it('completes commands and subcommands', async () => {
    expect(await complete('/s', place)).toEqual([['/say ', '/settings voice '], '/s']);
    expect(await complete('/settings voice v', place)).toEqual([['voice:'], 'v']);
  });

  it('completes options that are not given yet, also after the words of a text', async () => {
    expect(await complete('/say ', place)).toEqual([['text:', 'voice:', 'as:', 'hidden:', 'channel:', 'member:'], '']);
    expect(await complete('/say text:Good morning v', place)).toEqual([['voice:'], 'v']);
  });

  it('shows suggestions by name and sends the values of those that were picked', async () => {
    const [candidates, replaced] = await complete('/say text:Hello voice:iv', place);
    expect([candidates, replaced]).toEqual([['voice:ivy (orpheus) · en-GB (iv)'], 'voice:iv']);
    expect(chosen(`/say text:Hello ${candidates[0]}`)).toBe('/say text:Hello voice:b1c5');
    expect(chosen('/say text:Hello')).toBe('/say text:Hello');
  });

  it.each([
    ['as:', ['as:audio file', 'as:a script: several voices']],
    ['as:A script: se', ['as:a script: several voices']],
    ['hidden:t', ['hidden:True']],
    ['channel:', ['channel:Lounge']],
    ['member:b', ['member:Bob']],
  ])('offers what Discord itself offers for %s', async (typed, candidates) => {
    expect(await complete(`/say text:Good morning ${typed}`, place)).toEqual([candidates, typed]);
  });

  it('offers choices in the language of the person, and the next options after one', async () => {
    const german = { server, person: { ...person, language: 'de' } as Person };
    expect(await complete('/say as:au', german)).toEqual([['as:Audiodatei'], 'as:au']);
    expect(await complete('/say as:audio file h', place)).toEqual([['hidden:'], 'h']);
  });

  it('works on the commands of a world', async () => {
    const world = await startWorld();
    onTestFinished(() => world.close());
    expect(
      await createCompletion(() => world.bot.commands).complete('/', { person: world.member('olga'), server: world }),
    ).toEqual([[], '/']);
  });
});
