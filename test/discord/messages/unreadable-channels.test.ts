import { Collection } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { readingProblem } from '../../../src/discord/messages/unreadable-channels.ts';
import { render } from '../../../src/texts/catalogue.ts';

const channel = (isSeen: boolean) => ({ permissionsFor: () => ({ has: () => isSeen }) });

function problem(channelIds: readonly string[], { available = true } = {}): string | undefined {
  const channels = {
    cache: new Collection([
      ['20', channel(true)],
      ['21', channel(false)],
    ] as const),
  };
  const guild = { available, members: { me: {} }, channels };
  const found = readingProblem({ guilds: { cache: new Collection([['9', guild]]) } } as never, '9', channelIds);
  return found && render(found);
}

describe('channels that are to be read', () => {
  it('are named where the bot does not see them, or they are gone', () => {
    expect(problem([])).toBeUndefined();
    expect(problem(['20'])).toBeUndefined();
    expect(problem(['20', '21', '22'])).toMatch(/can’t see <#21>, <#22>.*View Channel/);
  });

  it('are not complained of during an outage', () => {
    expect(problem(['21'], { available: false })).toBeUndefined();
  });
});
