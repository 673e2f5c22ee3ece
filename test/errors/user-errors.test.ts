import { expect, it } from 'vitest';
import { causeOf, DeliveryError, PartError } from '../../src/errors/user-errors.ts';

it('the cause of a failure is at the bottom of what it was part of', () => {
  const refused = new Error('refused');
  expect(causeOf(new DeliveryError('7', { kind: 'none' }, new PartError(3, 5, refused)))).toBe(refused);
  expect(causeOf(refused)).toBe(refused);
});
