import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../src/errors/user-errors.ts';
import { createAutoJoin } from '../../src/reading/auto-join.ts';
import type { GuildSpeaker } from '../../src/services/playback/guild-speaker-types.ts';
import { rulesOf } from '../../src/services/servers/server-rules.ts';
import { text } from '../../src/texts/catalogue.ts';

const CHOSEN = '30';
/** Lets the settings be read and the bot join. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A server whose admins chose the channel; `present` members are in it, and the bot where it says. */
function server({ present = 1, occupied = false, obstacle = false, fails = 0, allowed = [CHOSEN] } = {}) {
  const joins: string[] = [];
  const logged: string[] = [];
  let botChannelId: string | undefined;
  let failures = fails;
  const speaker = {
    get channelId() {
      return botChannelId;
    },
    occupiedElsewhere: () => occupied,
    async join({ channelId }: { channelId: string }) {
      joins.push(channelId);
      failures -= 1;
      if (failures >= 0) throw new UserError(text('join.given-up', { channel: '<#30>' }));
      botChannelId = channelId;
    },
  } as unknown as GuildSpeaker;
  const world = { present };
  const autoJoin = createAutoJoin({
    rules: {
      of: async (guildId) => rulesOf(guildId === '9' ? { autoJoinChannel: CHOSEN, allowedChannels: allowed } : {}),
    },
    speakers: { find: () => speaker, of: () => speaker },
    listeners: () => world.present,
    placeIn: (_, channelId) =>
      obstacle
        ? text('refused.muted')
        : { channelId, adapterCreator: () => ({ sendPayload: () => true, destroy() {} }) },
    log: pino({ level: 'info' }, { write: (line: string) => void logged.push(JSON.parse(line).msg) }),
  });
  const member = { guildId: '9', userId: '1', name: 'Ann', guildLocale: 'en-US' };
  return {
    world,
    joins,
    logged,
    autoJoin,
    async enters(to: string | undefined, from?: string, guildId = '9') {
      autoJoin.moved({ ...member, guildId, from, to });
      await settled();
    },
    leaves(reason: 'asked' | 'idle') {
      botChannelId = undefined;
      autoJoin.left({ guildId: '9', voiceChannelId: CHOSEN, reason });
    },
  };
}

describe('joining by itself', () => {
  it('follows a member into the chosen channel, and into no other one', async () => {
    const { enters, joins } = server();
    await enters('31');
    await enters(undefined, CHOSEN);
    await enters(CHOSEN, undefined, '8');
    expect(joins).toEqual([]);
    await enters(CHOSEN, '31');
    await enters(CHOSEN);
    expect(joins).toEqual([CHOSEN]);
  });

  it('stays out of a channel that admins do not allow', async () => {
    const { enters, joins } = server({ allowed: ['31'] });
    await enters(CHOSEN);
    expect(joins).toEqual([]);
  });

  it('leaves the bot where it is needed, and stays out where it could not be heard', async () => {
    const busy = server({ occupied: true });
    await busy.enters(CHOSEN);
    const muted = server({ obstacle: true });
    await muted.enters(CHOSEN);
    const gone = server({ present: 0 });
    await gone.enters(CHOSEN);
    expect([busy.joins, muted.joins, gone.joins]).toEqual([[], [], []]);
    expect(muted.logged).toEqual(['Did not join by itself']);
  });

  it('does not come back to those who sent the bot away before all have left', async () => {
    const { world, autoJoin, enters, leaves, joins } = server();
    await enters(CHOSEN);
    leaves('asked');
    await enters(CHOSEN);
    expect(joins).toHaveLength(1);
    world.present = 0;
    autoJoin.audienceChanged('9');
    world.present = 1;
    await enters(CHOSEN);
    expect(joins).toHaveLength(2);
    leaves('idle');
    await enters(CHOSEN);
    expect(joins).toHaveLength(3);
  });

  it('is tried again with the next member where it fails', async () => {
    const { enters, joins, logged } = server({ fails: 1 });
    await enters(CHOSEN);
    await enters(CHOSEN);
    await enters(CHOSEN);
    expect([joins.length, logged]).toEqual([2, ['Did not join by itself']]);
  });

  it('ends with the bot', async () => {
    const { autoJoin, enters, joins } = server();
    autoJoin.close();
    await enters(CHOSEN);
    expect(joins).toEqual([]);
  });
});
