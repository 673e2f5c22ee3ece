import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { refusal, UserError } from '../../src/errors/user-errors.ts';
import { createAutoJoin } from '../../src/reading/auto-join.ts';
import { createDismissals } from '../../src/reading/chosen-voice.ts';
import type { Channels, ReadingServices } from '../../src/reading/decision.ts';
import type { GuildSpeaker, Leaving } from '../../src/services/playback/guild-speaker.ts';
import type { LeaveReason } from '../../src/services/presence/channel-presence.ts';
import { rulesOf } from '../../src/services/servers/admission.ts';
import { text } from '../../src/texts/catalog.ts';
import { placeAt } from '../services/presence/place.ts';

const [CHOSEN, ELSEWHERE] = ['30', '31'];

/** Lets the settings be read and the bot join. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A server whose admins chose the channel; `present` members are in it, `elsewhere` in another one, and the bot where it says. */
function server({ present = 1, elsewhere = 0, obstacle = false, fails = 0, allowed = [CHOSEN], at = '' } = {}) {
  const [joins, broughtBy, logged]: [string[], unknown[], string[]] = [[], [], []];
  let botChannelId = at || undefined;
  let failures = fails;
  const speaker = {
    get channelId() {
      return botChannelId;
    },
    occupiedElsewhere: (channelId: string) =>
      botChannelId !== undefined && botChannelId !== channelId && listeners('9', botChannelId) > 0,
    queue: () => ({ current: world.texts[0], waiting: world.texts.slice(1) }),
    async join({ channelId }: { channelId: string }, { userId }: { userId?: string }) {
      joins.push(channelId);
      broughtBy.push(userId);
      failures -= 1;
      if (failures >= 0) throw new UserError(text('join.given-up', { channel: '<#30>' }));
      botChannelId = channelId;
    },
  } as unknown as GuildSpeaker;
  const world = { present, elsewhere, texts: [] as { channelId: string; order: { userId: string } }[] };
  const listeners = (_: string, channelId: string) =>
    ({ [CHOSEN]: world.present, [ELSEWHERE]: world.elsewhere })[channelId] ?? 0;
  const channels: Channels = {
    listeners,
    placeIn: (_, channelId) => (obstacle ? refusal('server-muted') : placeAt(channelId)),
    notify: () => undefined,
  };
  const dismissals = createDismissals(channels);
  const services = {
    settings: {
      of: async (guildId: string) =>
        rulesOf(guildId === '9' ? { autoJoinChannel: CHOSEN, allowedChannels: allowed } : {}),
    },
    speakers: { find: () => speaker, of: () => speaker },
    channels,
    log: pino({ level: 'info' }, { write: (line: string) => void logged.push(JSON.parse(line).msg) }),
  };
  const autoJoin = createAutoJoin(services as unknown as ReadingServices, dismissals);
  const audienceChanged = () => dismissals.audienceChanged('9', botChannelId);
  const member = { guildId: '9', userId: '1', name: 'Ann', guildLocale: 'en-US' };
  return {
    world,
    joins,
    broughtBy,
    logged,
    autoJoin,
    audienceChanged,
    async enters(to: string | undefined, from?: string, guildId = '9') {
      autoJoin.moved({ ...member, guildId, from, to });
      await settled();
    },
    /** A member brings the bot there. */
    brought(channelId: string) {
      botChannelId = channelId;
      audienceChanged();
    },
    async leaves(reason: LeaveReason, voiceChannelId = CHOSEN) {
      botChannelId = undefined;
      const leaving = { guildId: '9', voiceChannelId, reason } as Leaving;
      dismissals.left(leaving);
      autoJoin.left(leaving);
      await settled();
    },
  };
}

describe('joining by itself', () => {
  it('follows a member into the chosen channel, and into no other one', async () => {
    const { enters, joins } = server();
    await enters(ELSEWHERE);
    await enters(undefined, CHOSEN);
    await enters(CHOSEN, undefined, '8');
    expect(joins).toEqual([]);
    await enters(CHOSEN, ELSEWHERE);
    await enters(CHOSEN);
    expect(joins).toEqual([CHOSEN]);
  });

  it('leaves the bot where it is needed, and stays out where it could not be heard or is not allowed', async () => {
    const busy = server({ at: ELSEWHERE, elsewhere: 1 });
    const muted = server({ obstacle: true });
    const others = [busy, muted, server({ present: 0 }), server({ allowed: [ELSEWHERE] })];
    for (const { enters } of others) await enters(CHOSEN);
    expect(others.map(({ joins }) => joins)).toEqual([[], [], [], []]);
    expect(muted.logged).toEqual(['Auto-join refused (see `why`): retrying when the next member comes']);
  });

  it('does not come back to those who sent the bot away before all have left', async () => {
    const { world, audienceChanged, enters, leaves, joins } = server();
    await enters(CHOSEN);
    await leaves('asked');
    await enters(CHOSEN);
    expect(joins).toHaveLength(1);
    world.present = 0;
    audienceChanged();
    world.present = 1;
    await enters(CHOSEN);
    expect(joins).toHaveLength(2);
    await leaves('idle');
    await enters(CHOSEN);
    expect(joins).toHaveLength(3);
  });

  it.each(['asked', 'kicked'] as const)('stays out where it was sent away (%s), whatever happens', async (how) => {
    const { world, audienceChanged, enters, leaves, brought, joins } = server({ at: CHOSEN });
    await leaves(how);
    for (const reason of ['nobody-listening', 'asked', 'kicked', 'connection-lost'] as const) {
      world.elsewhere = 1;
      brought(ELSEWHERE);
      world.elsewhere = 0;
      audienceChanged();
      await enters(CHOSEN);
      await leaves(reason, ELSEWHERE);
      await enters(CHOSEN);
    }
    expect(joins).toEqual([]);
    brought(CHOSEN);
    brought(ELSEWHERE);
    await enters(CHOSEN);
    expect(joins).toEqual([CHOSEN]);
  });

  const sentAway = ['asked', 'kicked', 'channel-gone', 'not-allowed', 'connection-lost', 'unheard', 'closing'] as const;
  it.each(sentAway)('does not come by itself from another channel that it left: %s', async (reason) => {
    const { enters, leaves, joins } = server({ at: ELSEWHERE });
    await leaves(reason, ELSEWHERE);
    expect(joins).toEqual([]);
    await enters(CHOSEN);
    expect(joins).toEqual([CHOSEN]);
  });

  it('does not end what others asked for elsewhere, and brings along the member’s own: it comes once theirs is over', async () => {
    const theirs = { channelId: ELSEWHERE, order: { userId: '2' } };
    const own = { channelId: ELSEWHERE, order: { userId: '1' } };
    for (const texts of [[theirs], [own, theirs]]) {
      const { world, enters, joins, broughtBy } = server({ at: ELSEWHERE });
      world.texts = texts;
      await enters(CHOSEN);
      expect(joins).toEqual([]);
      world.texts = [own];
      await enters(CHOSEN);
      expect([joins, broughtBy]).toEqual([[CHOSEN], ['1']]);
    }
    for (const how of ['deserted', 'left'] as const) {
      const { world, autoJoin, enters, leaves, joins } = server({ at: ELSEWHERE });
      // One that was ended may still be there for a moment.
      world.texts = [theirs];
      await enters(CHOSEN);
      if (how === 'left') await leaves('paused-too-long', ELSEWHERE);
      else autoJoin.deserted('9');
      await settled();
      expect(joins).toEqual([CHOSEN]);
    }
  });

  it('comes from a channel where nobody listens, and to those who wait once it has left one', async () => {
    const alone = server({ at: ELSEWHERE });
    await alone.enters(CHOSEN);
    expect(alone.joins).toEqual([CHOSEN]);
    const busy = server({ at: ELSEWHERE, elsewhere: 1 });
    await busy.enters(CHOSEN);
    busy.world.elsewhere = 0;
    await busy.leaves('nobody-listening', ELSEWHERE);
    expect(busy.joins).toEqual([CHOSEN]);
    // It has left those very members.
    await busy.leaves('idle');
    expect(busy.joins).toEqual([CHOSEN]);
  });

  it('is tried again with the next member where it fails, unless the bot is being stopped', async () => {
    const { enters, joins, logged } = server({ fails: 1 });
    for (let comers = 0; comers < 3; comers += 1) await enters(CHOSEN);
    expect([joins.length, logged]).toEqual([2, ['Auto-join refused (see `why`): retrying when the next member comes']]);
    const stopped = server();
    stopped.autoJoin.close();
    await stopped.enters(CHOSEN);
    expect(stopped.joins).toEqual([]);
  });
});
