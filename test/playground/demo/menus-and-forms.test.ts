import { expect, it } from 'vitest';
import { fieldInputs } from '../../../src/playground/demo/menus-and-forms.ts';
import type { Screen } from '../../../src/playground/demo/screen.ts';

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
