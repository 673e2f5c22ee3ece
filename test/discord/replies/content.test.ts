import { expect, it } from 'vitest';
import { drawContent } from '../../../src/discord/replies/content.ts';
import { text } from '../../../src/texts/catalog.ts';

const saying = (words: string) => text('save.saved', { text: words });
const drawn = (...lines: string[]) => drawContent({ lines: lines.map(saying) }, 'en-US', new Map()).content ?? '';

it('is cut between lines where all of it does not fit into one message', () => {
  const mentions = Array.from({ length: 40 }, (_, index) => `<@${String(index).padStart(18, '1')}>`).join(' ');
  const content = drawn(mentions, mentions, mentions, mentions);
  expect(content.length).toBeLessThanOrEqual(2_000);
  expect(content.split('\n')).toEqual([`Saved: “${mentions}”`, `Saved: “${mentions}”`, '…']);
});

it('is cut inside of a line where that alone is too long, never through an emoji', () => {
  const content = drawn('😀'.repeat(1_500));
  expect(content).toHaveLength(2_000);
  expect(content.isWellFormed()).toBe(true);
});
