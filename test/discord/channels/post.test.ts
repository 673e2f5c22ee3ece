import type { MessageCreateOptions } from 'discord.js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { post } from '../../../src/discord/channels/post.ts';
import { DeadlineError } from '../../../src/services/time/deadline.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function channelWhere(send: (message: MessageCreateOptions) => Promise<unknown>) {
  return { send } as never;
}

describe('an unsolicited message', () => {
  it('mentions no member, whatever names are in it', async () => {
    const sent: MessageCreateOptions[] = [];
    await post(
      channelWhere(async (message) => sent.push(message)),
      { content: 'Hello @everyone' },
      'Greeting',
    );
    expect(sent).toEqual([{ content: 'Hello @everyone', allowedMentions: { parse: [] } }]);
  });

  it('is waited for 10 s where Discord does not answer', async () => {
    const posting = post(
      channelWhere(() => new Promise(() => undefined)),
      { content: 'Hello' },
      'Greeting',
    );
    const outcome = posting.catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await outcome).toEqual(new DeadlineError('Greeting took longer than 10000 ms'));
  });

  it('fails as Discord says', async () => {
    const refused = new Error('Missing Access');
    const posting = post(
      channelWhere(() => Promise.reject(refused)),
      { content: 'Hello' },
      'Greeting',
    );
    await expect(posting).rejects.toBe(refused);
  });
});
