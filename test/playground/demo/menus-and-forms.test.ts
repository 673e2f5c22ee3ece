import { expect, it } from 'vitest';
import { fieldInputs, picksByName } from '../../../src/playground/demo/menus-and-forms.ts';
import type { Screen } from '../../../src/playground/demo/screen.ts';
import { NotKnown } from '../../../src/playground/people/typed-command.ts';

/** A form with one menu of these options. */
const formOf = (...options: string[]) =>
  ({ modal: { fields: [{ label: 'Match', customId: 'where', kind: 'string', options }] } }) as unknown as Screen;

it('a choice of a form is named by its label, which may have a comma, or by a part that no other one has', () => {
  const screen = formOf('Whole words only', 'Inside other words, too');
  for (const typed of ['Inside other words, too', 'inside', 'other']) {
    expect(fieldInputs(screen, `Match=${typed}`)).toEqual({ Match: ['Inside other words, too'] });
  }
  expect(fieldInputs(screen, 'Match=Whole, Inside')).toEqual({
    Match: ['Whole words only', 'Inside other words, too'],
  });
  expect(fieldInputs(screen, 'Match=none of them')).toEqual({ Match: ['none of them'] });
});

it('a channel goes to the menu that takes the one of exactly that name, before others whose name differs in case', async () => {
  const taken: Record<string, readonly string[]> = { join: ['2', 'general', 'General'], log: ['1', 'general'] };
  const menus = Object.keys(taken).map((customId) => ({ customId, placeholder: customId, options: [] }));
  const screen = {
    place: 'general',
    server: {
      channels: [
        { name: 'general', id: '1' },
        { name: 'General', id: '2' },
      ],
    },
    person: {
      sees: () => [{ createdAtMs: 0, menus }],
      selects: async (_message: unknown, menu: string, values: readonly string[]) => {
        if (!values.every((value) => taken[menu]?.includes(value))) throw new NotKnown(menu);
        return `${menu}: ${values}`;
      },
    },
  } as unknown as Screen;
  expect(await picksByName(screen, 'general')).toBe('log: 1');
  expect(await picksByName(screen, 'General')).toBe('join: 2');
});
