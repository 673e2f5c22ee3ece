import { describe, expect, it } from 'vitest';
import { mayEnd, mayRead } from '../../../../src/commands/framework/checks/queue-rights.ts';
import type { QueuedItem } from '../../../../src/services/queue/queued-item.ts';

const item = { userId: 'alice', channelId: '1' } as QueuedItem;
const asker = (userId: string, there: readonly string[], isModerator = false) => ({
  userId,
  isModerator,
  isThere: (who: string, channelId: string) => channelId === '1' && there.includes(who),
  mayEnter: (channelId: string) => channelId === '2',
});

describe('a text that is spoken or waits', () => {
  it('can be ended by whoever asked for it, wherever they are', () => {
    expect(mayEnd(asker('alice', []), item)).toBe(true);
  });

  it('can be ended by a moderator', () => {
    expect(mayEnd(asker('olga', ['alice'], true), item)).toBe(true);
  });

  it('cannot be ended by others while its asker is there', () => {
    expect(mayEnd(asker('bob', ['alice', 'bob']), item)).toBe(false);
  });

  it('can be ended by those who listen once its asker has gone, and by nobody elsewhere', () => {
    expect(mayEnd(asker('bob', ['bob']), item)).toBe(true);
    expect(mayEnd(asker('carl', ['bob']), item)).toBe(false);
  });

  it('can be read by whoever asked for it, and by those who could enter the channel it is spoken in', () => {
    expect(mayRead(asker('alice', []), item)).toBe(true);
    expect(mayRead(asker('bob', ['bob']), item)).toBe(false);
    expect(mayRead(asker('olga', [], true), item)).toBe(false);
    expect(mayRead(asker('bob', []), { ...item, channelId: '2' })).toBe(true);
  });
});
