import { describe, expect, it, onTestFinished } from 'vitest';
import { createCompletion } from '../../../src/playground/demo/completion.ts';
import type { Person } from '../../../src/playground/world/world.ts';
import { startWorld } from '../../../src/playground/world/world.ts';

const COMMANDS = [
  {
    type: 1,
    name: 'say',
    options: [
      { type: 3, name: 'text', required: true },
      { type: 3, name: 'voice', autocomplete: true },
    ],
  },
  { type: 1, name: 'settings', options: [{ type: 1, name: 'voice', options: [{ type: 3, name: 'voice' }] }] },
] as never;

const person = {
  autocompletes: async (_path: string, focused: Record<string, string>) => [
    { name: `ivy (orpheus) · en-GB (${focused.voice})`, value: 'b1c5' },
  ],
} as unknown as Person;

describe('completion at the prompt of the playground', () => {
  const { complete, chosen } = createCompletion(() => COMMANDS);

  it('completes commands and subcommands', async () => {
    expect(await complete('/s', person)).toEqual([['/say ', '/settings voice '], '/s']);
    expect(await complete('/settings voice v', person)).toEqual([['voice:'], 'v']);
  });

  it('completes options that are not given yet, also after the words of a text', async () => {
    expect(await complete('/say ', person)).toEqual([['text:', 'voice:'], '']);
    expect(await complete('/say text:Good morning v', person)).toEqual([['voice:'], 'v']);
  });

  it('shows suggestions by name and sends the values of those that were picked', async () => {
    const [candidates, replaced] = await complete('/say text:Hello voice:iv', person);
    expect([candidates, replaced]).toEqual([['voice:ivy (orpheus) · en-GB (iv)'], 'voice:iv']);
    expect(chosen(`/say text:Hello ${candidates[0]}`)).toBe('/say text:Hello voice:b1c5');
    expect(chosen('/say text:Hello')).toBe('/say text:Hello');
  });

  it('works on the commands of a world', async () => {
    const world = await startWorld();
    onTestFinished(() => world.close());
    expect(await createCompletion(() => world.bot.commands).complete('/', world.member('olga'))).toEqual([[], '/']);
  });
});
