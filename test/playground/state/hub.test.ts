import { expect, it } from 'vitest';
import { createNamedIdSource, systemClock } from '../../../src/playground/state/hub.ts';

it('ids by name are the same in every run, whatever was made before, and have the form of snowflakes', () => {
  const [first, second] = [createNamedIdSource(systemClock), createNamedIdSource(systemClock)];
  second('user zoe');
  expect(second('user bob')).toBe(first('user bob'));
  expect(first('server Second')).toMatch(/^\d{18}$/);
});
