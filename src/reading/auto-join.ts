import { UserError } from '../errors/user-errors.ts';
import type { GuildSpeaker, Leaving } from '../services/playback/guild-speaker.ts';
import { underWay } from '../services/queue/queue-item.ts';
import { placeRefusal } from '../services/servers/admission.ts';
import type { Move } from './announcer.ts';
import type { Dismissals } from './reader-memory.ts';
import type { ReadingServices } from './services.ts';

/** The bot left by itself, without a fault. */
const OF_ITS_OWN_ACCORD: readonly Leaving['reason'][] = ['nobody-listening', 'idle', 'paused-too-long'];

/** Moving would end the texts in the other channel, whose listeners may be back in a moment. */
const speaksForOthersElsewhere = (speaker: GuildSpeaker, channelId: string, userId: string): boolean =>
  underWay(speaker.queue()).some((item) => item.channelId !== channelId && item.order.userId !== userId);

/**
 * Enters the voice channel that a server's admins chose when a member enters it. The bot does so without a message,
 * even from another channel without listeners, or once the listeners there are gone. After a member sent the bot away,
 * it does not come back before all have left. A failed join is tried again with the next member.
 */
export function createAutoJoin({ settings, speakers, channels, log }: ReadingServices, dismissals: Dismissals) {
  const closing = new AbortController();
  const joining = new Set<string>();

  /** `userId`: who came; undefined where nothing is to be spoken any more in the channel that the bot is in or has left. */
  async function enter(guildId: string, isMeant: (channelId: string) => boolean, userId?: string): Promise<void> {
    const serverRules = await settings.of(guildId);
    const { autoJoinChannel: channelId } = serverRules;
    if (channelId === undefined || !isMeant(channelId) || channels.listeners(guildId, channelId) === 0) return;
    if (closing.signal.aborted || joining.has(guildId) || dismissals.holds(guildId, channelId)) return;
    const known = speakers.find(guildId);
    if (known && (known.channelId === channelId || known.occupiedElsewhere(channelId, userId))) return;
    if (known && userId !== undefined && speaksForOthersElsewhere(known, channelId, userId)) return;
    const place = channels.placeIn(guildId, channelId);
    if (!place) return;
    const isVoiceChannel = (id: string) => channels.placeIn(guildId, id) !== undefined;
    // The newcomer may be an admin, but no one else could use the bot there.
    if (placeRefusal(serverRules, { isAdmin: false, voiceChannelId: channelId, isVoiceChannel })) return;
    joining.add(guildId);
    try {
      if ('key' in place) throw new UserError(place);
      await speakers.of(guildId).join(place, { userId, signal: closing.signal });
    } finally {
      joining.delete(guildId);
    }
  }

  function enterLater(guildId: string, isMeant: (channelId: string) => boolean, userId?: string): void {
    enter(guildId, isMeant, userId).catch((error: unknown) => {
      if (closing.signal.aborted) return;
      if (error instanceof UserError) log.info({ guildId, why: error.text.key }, 'Did not join by itself');
      else log.warn({ err: error, guildId }, 'Joining by itself failed');
    });
  }

  return {
    moved({ guildId, userId, from, to }: Move): void {
      if (to !== undefined && from !== to) enterLater(guildId, (channelId) => channelId === to, userId);
    },
    /** The bot has left a voice channel: members may have waited in the chosen one. */
    left({ guildId, voiceChannelId, reason }: Leaving): void {
      if (OF_ITS_OWN_ACCORD.includes(reason)) enterLater(guildId, (channelId) => channelId !== voiceChannelId);
    },
    /** Call this when the bot has had no listener for a moment. */
    deserted: (guildId: string) => enterLater(guildId, () => true),
    /** Gives up what is being joined. Idempotent. */
    close: () => closing.abort(new Error('Crier is being stopped')),
  };
}
