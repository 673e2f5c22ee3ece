import type { MessageCreateOptions } from 'discord.js';
import { expect, it, vi } from 'vitest';
import { post } from '../../../src/discord/channels/post.ts';
import { DeadlineError } from '../../../src/services/time/timers.ts';

it('an unsolicited message mentions no member, and is waited for 10 s where Discord does not answer', async () => {
  vi.useFakeTimers();
  const sent: MessageCreateOptions[] = [];
  const send = (message: MessageCreateOptions) => {
    sent.push(message);
    return new Promise(() => undefined);
  };
  const outcome = post({ send } as never, { content: 'Hello @everyone' }, 'Greeting').catch((error: unknown) => error);
  expect(sent).toEqual([{ content: 'Hello @everyone', allowedMentions: { parse: [] } }]);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await outcome).toEqual(new DeadlineError('Greeting took longer than 10000 ms'));
});
