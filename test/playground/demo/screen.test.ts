import { expect, it } from 'vitest';
import { readFields } from '../../../src/playground/demo/screen.ts';
import type { VisibleModal } from '../../../src/playground/interface/world-types.ts';

it('a form takes several lines at the prompt, with a field’s name and without', () => {
  const modal = { fields: [{ label: 'Lines' }] } as unknown as VisibleModal;
  const lines = { Lines: 'aria: Hello!\nbasil: Good morning.' };
  expect(readFields(modal, 'Lines=aria: Hello!\\nbasil: Good morning.')).toEqual(lines);
  expect(readFields(modal, 'aria: Hello!\\nbasil: Good morning.')).toEqual(lines);
});
