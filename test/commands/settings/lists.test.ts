import { describe, expect, it } from 'vitest';
import { withPicked } from '../../../src/commands/settings/panel-controls.ts';
import { importSettings } from '../../../src/commands/settings/transfer.ts';
import { UserError } from '../../../src/errors/user-errors.ts';

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

  it('has nobody twice', () => {
    const muted = ids(30);
    expect(withPicked(muted, ['129'])).toEqual(['129', ...muted.slice(25, 29)]);
  });
});

describe('imported blocked words', () => {
  it.each(['*', 'a*', 'x'.repeat(55)])('are refused where they could not be typed: %s', (word) => {
    const file = JSON.stringify({ format: 'crier-settings-1', settings: { blockedWords: ['fine', word] } });
    expect(() => importSettings(file)).toThrow(UserError);
  });
});
