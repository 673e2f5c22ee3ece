import { MessageFlags, MessageFlagsBitField } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { createAwaitedReplies } from '../../../src/discord/messages/awaited-replies.ts';

const message = (id: string, flags = 0) => ({ id, flags: new MessageFlagsBitField(flags).freeze() });
const deferred = (id: string) => message(id, MessageFlags.Loading);

describe('a reply that a bot has deferred', () => {
  it('has its words when it is changed for the first time, and only then', () => {
    const replies = createAwaitedReplies(() => 0);
    expect(replies.awaits(message('1'))).toBe(false);
    expect(replies.awaits(deferred('2'))).toBe(true);
    expect(replies.arrives(deferred('2'))).toBeUndefined();
    expect(['1', '2', '2'].map((id) => replies.arrives(message(id)))).toEqual([undefined, { afterMs: 0 }, undefined]);
  });

  it('tells how long it was waited for', () => {
    let now = 0;
    const replies = createAwaitedReplies(() => now);
    replies.awaits(deferred('1'));
    now += 60_000;
    replies.awaits(deferred('2'));
    now += 1_000;
    expect(replies.arrives(message('1'))).toEqual({ afterMs: 61_000 });
    expect(replies.arrives(message('2'))).toEqual({ afterMs: 1_000 });
  });

  it('is forgotten when it is deleted, and when very many others came after it', () => {
    const replies = createAwaitedReplies(() => 0);
    for (let id = 0; id < 1_001; id += 1) replies.awaits(deferred(`${id}`));
    replies.forget('1000');
    expect(['0', '1', '1000'].map((id) => replies.arrives(message(id)))).toEqual([
      undefined,
      { afterMs: 0 },
      undefined,
    ]);
  });
});
