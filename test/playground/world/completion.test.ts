import { describe, expect, it } from 'vitest';
import { createCompletion } from '../../../src/playground/world/completion.ts';
import type { Person, WorldServer } from '../../../src/playground/world/world.ts';

const COMMANDS = [
  {
    id: '1',
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
      {
        type: 5,
        name: 'hidden',
        description: 'Whether others see it',
        description_localizations: { de: 'Ob andere es sehen' },
      },
      { type: 7, name: 'channel', channel_types: [2] },
      { type: 6, name: 'member' },
    ],
  },
  { id: '2', type: 1, name: 'settings', options: [{ type: 1, name: 'voice', options: [{ type: 3, name: 'voice' }] }] },
] as never;

const person = {
  language: 'en-US',
  seesCommands: () => ['1', '2'].map((id) => ({ id, kind: 'slash', description: '' })),
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
} as unknown as WorldServer;
const place = { person, server, place: 'general' };

describe('completion of a command line', () => {
  const completion = createCompletion(() => COMMANDS);
  const complete = async (line: string, at = place) => {
    const { part, choices } = await completion.complete(line, at);
    return [choices.map(({ text }) => text), part];
  };

  it.each([
    ['/s', ['/say ', '/settings voice '], '/s'],
    ['/settings voice v', ['voice:'], 'v'],
    ['/say ', ['text:', 'voice:', 'as:', 'hidden:', 'channel:', 'member:'], ''],
    ['/say text:Good morning v', ['voice:'], 'v'],
    ['/say Hi as:', ['as:audio file', 'as:a script: several voices'], 'as:'],
    ['/say Hi as:A script: se', ['as:a script: several voices'], 'as:A script: se'],
    ['/say Hi as:audio file h', ['hidden:'], 'h'],
    ['/say Hi hidden:t', ['hidden:True'], 'hidden:t'],
    ['/say Hi channel:', ['channel:Lounge'], 'channel:'],
    ['/say Hi member:b', ['member:Bob'], 'member:b'],
  ])('offers what can follow %s', async (line, candidates, part) => {
    expect(await complete(line)).toEqual([candidates, part]);
  });

  it('shows suggestions by name and sends the values of those that were picked', async () => {
    expect(await complete('/say Hello voice:iv')).toEqual([['voice:ivy (orpheus) · en-GB (iv)'], 'voice:iv']);
    expect(completion.chosen('/say Hello voice:ivy (orpheus) · en-GB (iv)')).toBe('/say Hello voice:b1c5');
    expect(completion.chosen('/say text:Hello')).toBe('/say text:Hello');
  });

  it('offers choices, and describes options, in the language of the person', async () => {
    const german = { ...place, person: { ...person, language: 'de' } as Person };
    expect(await complete('/say as:au', german)).toEqual([['as:Audiodatei'], 'as:au']);
    const { choices } = await completion.complete('/say Hi h', german);
    expect(choices).toEqual([{ text: 'hidden:', about: 'Ob andere es sehen' }]);
    expect((await completion.complete('/say Hi h', place)).choices[0]?.about).toBe('Whether others see it');
  });
});
