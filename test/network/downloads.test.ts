import { expect, it } from 'vitest';
import { readAtMost } from '../../src/network/downloads.ts';

it('reads a body of the greatest length whole, and no further than that of a longer one', async () => {
  let asked = 0;
  async function* chunks(count: number) {
    for (asked = 1; asked <= count; asked++) yield Buffer.from('abcd');
  }
  const tooLarge = () => new Error('too long');
  expect((await readAtMost(chunks(2), 8, tooLarge)).toString()).toBe('abcdabcd');
  await expect(readAtMost(chunks(10), 8, tooLarge)).rejects.toThrow('too long');
  expect(asked).toBe(3);
});
