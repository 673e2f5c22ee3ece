import { UserError } from '../errors/user-errors.ts';
import type { Leaving } from '../services/playback/guild-speaker.ts';
import { type QueueItem, underWay } from '../services/queue/queue-item.ts';
import { placeRefusal } from '../services/servers/admission.ts';
import { createAnnouncer, type Move } from './announcer.ts';
import { createDismissals, type Dismissals } from './chosen-voice.ts';
import type { ReadingServices } from './decision.ts';
import { createReader, type ReadingNotes } from './reader.ts';

const OF_ITS_OWN_ACCORD: readonly Leaving['reason'][] = ['nobody-listening', 'idle', 'paused-too-long'];

/**
 * Joins a server's auto-join channel in two cases: a member enters it and nobody else uses the bot elsewhere, or members are in it when
 * the bot stops being used elsewhere. If members sent the bot away, the bot stays away until all members have left the auto-join channel.
 */
export function createAutoJoin({ settings, speakers, channels, log }: ReadingServices, dismissals: Dismissals) {
  const closing = new AbortController();

  /** `userId` is the member who entered the auto-join channel; undefined if no member entered it. */
  async function enter(guildId: string, isMeant: (channelId: string) => boolean, userId?: string): Promise<void> {
    const serverRules = await settings.of(guildId);
    const { autoJoinChannel: channelId } = serverRules;
    if (channelId === undefined || !isMeant(channelId) || channels.listeners(guildId, channelId) === 0) return;
    if (closing.signal.aborted || dismissals.holds(channelId)) return;
    const known = speakers.find(guildId);
    if (known && (known.channelId === channelId || known.occupiedElsewhere(channelId, userId))) return;
    // Moving for a member must not cut off texts of others in the bot's current channel.
    const isOthers = (item: QueueItem) => item.channelId !== channelId && item.order.userId !== userId;
    if (known && userId !== undefined && underWay(known.queue()).some(isOthers)) return;
    const place = channels.placeIn(guildId, channelId);
    if (!place) return;
    const isVoiceChannel = (id: string) => channels.placeIn(guildId, id) !== undefined;
    // The rules of a normal member apply: the bot does not join a channel that only admins can use.
    if (placeRefusal(serverRules, { isAdmin: false, voiceChannelId: channelId, isVoiceChannel })) return;
    if ('key' in place) throw new UserError(place);
    await speakers.of(guildId).join(place, { userId, signal: closing.signal });
  }

  function enterLater(guildId: string, isMeant: (channelId: string) => boolean, userId?: string): void {
    enter(guildId, isMeant, userId).catch((error: unknown) => {
      if (closing.signal.aborted) return;
      if (error instanceof UserError)
        log.info(
          { guildId, why: error.text.key },
          'Auto-join refused (see `why`): retrying when the next member comes',
        );
      else log.warn({ err: error, guildId }, 'Auto-join failed: retrying when the next member comes');
    });
  }

  return {
    moved({ guildId, userId, from, to }: Move): void {
      if (to !== undefined && from !== to) enterLater(guildId, (channelId) => channelId === to, userId);
    },
    /** Call when the bot has left a voice channel: it may then join the auto-join channel. */
    left({ guildId, voiceChannelId, reason }: Leaving): void {
      if (OF_ITS_OWN_ACCORD.includes(reason)) enterLater(guildId, (channelId) => channelId !== voiceChannelId);
    },
    deserted: (guildId: string) => enterLater(guildId, () => true),
    close: () => closing.abort(new Error('Crier is being stopped')),
  };
}

/** All that the bot does in voice without a command: auto-join, reading messages aloud, and announcing members. */
export function createReading(services: ReadingServices & ReadingNotes) {
  const { speakers, channels } = services;
  const dismissals = createDismissals(channels);
  const announcer = createAnnouncer(services);
  const autoJoin = createAutoJoin(services, dismissals);
  const reader = createReader({ ...services, dismissals, now: () => performance.now() });
  return {
    ...reader,
    moved(move: Move): void {
      announcer.moved(move);
      autoJoin.moved(move);
    },
    /** Call when a member has joined or left a voice channel of the server. */
    audienceChanged: (guildId: string) => dismissals.audienceChanged(guildId, speakers.find(guildId)?.channelId),
    /** Call when the bot's channel has no listeners: the bot may then move to the auto-join channel. */
    deserted: autoJoin.deserted,
    leftVoice(leaving: Leaving): void {
      dismissals.left(leaving);
      reader.left(leaving.guildId);
      autoJoin.left(leaving);
      announcer.left(leaving.guildId);
    },
    close(): void {
      reader.close();
      autoJoin.close();
      announcer.close();
    },
  };
}

export type Reading = ReturnType<typeof createReading>;
