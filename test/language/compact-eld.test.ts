import { eld } from 'eld/extrasmall';
import { expect, test } from 'vitest';
import { loadCompactEld } from '../../src/language/compact-eld.ts';
import { CHAT_LINES, SENTENCES } from './sentences.ts';

test('the compact detector finds what the package finds, in every language', async () => {
  const compact = await loadCompactEld();
  const lines = [...Object.values(SENTENCES).flat(), ...CHAT_LINES, 'it\'s "quoted" and \\ back', '', '🎉 1234'];
  for (const line of lines) {
    const [ours, theirs] = [compact.detect(line), eld.detect(line)];
    expect([line, ours.getScores(), ours.isReliable()]).toEqual([line, theirs.getScores(), theirs.isReliable()]);
  }
});
