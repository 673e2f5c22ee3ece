import { expect, it } from 'vitest';
import { speechFacts } from '../../../src/commands/say/speech-progress.ts';

it('the log holds that credits may be spent beyond those that are known', () => {
  const speech = { creditsUsed: 0, cached: false, warnings: [] };
  expect(speechFacts({ ...speech, mayBeMore: true })).toMatchObject({ creditsUsed: 0, creditsMayBeSpent: true });
  expect(speechFacts(speech)).not.toHaveProperty('creditsMayBeSpent');
});
