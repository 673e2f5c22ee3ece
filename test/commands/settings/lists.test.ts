import { describe, expect, it } from 'vitest';
import { withPicked } from '../../../src/commands/settings/panel-controls.ts';

const ids = (count: number) => Array.from({ length: count }, (_, index) => `${100 + index}`);

describe('a list that a menu of the settings shows', () => {
  it('is what was picked', () => {
    expect(withPicked(['1', '2'], ['2', '3'])).toEqual(['2', '3']);
    expect(withPicked(undefined, [])).toBeUndefined();
  });

  it('keeps those that are too many for the menu', () => {
    const muted = ids(60);
    expect(withPicked(muted, muted.slice(1, 25))).toEqual(muted.slice(1));
    expect(withPicked(muted, [])).toEqual(muted.slice(25));
  });
});
