import { expect, it } from 'vitest';
import { createDismissals } from '../../src/reading/dismissals.ts';

it('holds from being sent away until it is brought back or those it was sent away from have gone', () => {
  let listeners = 1;
  const dismissals = createDismissals(() => listeners);
  const left = (reason: 'asked' | 'kicked' | 'idle') => dismissals.left({ guildId: '9', voiceChannelId: '30', reason });
  for (const reason of ['asked', 'kicked'] as const) {
    left(reason);
    dismissals.audienceChanged('9', undefined);
    expect(dismissals.holds('9')).toBe(true);
    dismissals.audienceChanged('9', '31');
    expect(dismissals.holds('9')).toBe(false);
  }
  left('asked');
  listeners = 0;
  dismissals.audienceChanged('9', undefined);
  expect(dismissals.holds('9')).toBe(false);
});

it('is nothing that follows from leaving on its own account', () => {
  const dismissals = createDismissals(() => 1);
  dismissals.left({ guildId: '9', voiceChannelId: '30', reason: 'idle' });
  expect(dismissals.holds('9')).toBe(false);
});
