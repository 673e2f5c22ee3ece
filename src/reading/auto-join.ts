import type { Logger } from 'pino';
import { UserError } from '../errors/user-errors.ts';
import type { Leaving } from '../services/playback/guild-speaker-types.ts';
import type { GuildSpeakers } from '../services/playback/guild-speakers.ts';
import type { VoicePlace } from '../services/presence/channel-presence.ts';
import { placeRefusal } from '../services/servers/admission.ts';
import type { ServerRulesBook } from '../services/servers/server-rules.ts';
import type { Text } from '../texts/catalogue.ts';
import type { Move } from './announcer.ts';
import { createDismissals } from './dismissals.ts';

interface AutoJoinOptions {
  readonly rules: Pick<ServerRulesBook, 'of'>;
  readonly speakers: Pick<GuildSpeakers, 'find' | 'of'>;
  readonly listeners: (guildId: string, channelId: string) => number;
  readonly placeIn: (guildId: string, channelId: string) => VoicePlace | Text | undefined;
  readonly log: Logger;
}

/**
 * Enters the voice channel that a server's admins chose when a member enters it, without a word. Where a member sent the bot
 * away it does not come back before all have left. A join that fails is tried again with the next member.
 */
export function createAutoJoin({ rules, speakers, listeners, placeIn, log }: AutoJoinOptions) {
  const dismissals = createDismissals(listeners);
  const closing = new AbortController();
  /** Servers in which the bot is on its way. */
  const joining = new Set<string>();

  async function enter({ guildId, userId }: Move, channelId: string): Promise<void> {
    const serverRules = await rules.of(guildId);
    if (serverRules.autoJoinChannel !== channelId || listeners(guildId, channelId) === 0) return;
    if (closing.signal.aborted || joining.has(guildId) || dismissals.holds(guildId)) return;
    const known = speakers.find(guildId);
    if (known && (known.channelId !== undefined || known.occupiedElsewhere(channelId, userId))) return;
    const place = placeIn(guildId, channelId);
    if (!place) return;
    const isVoiceChannel = (id: string) => placeIn(guildId, id) !== undefined;
    // Who came may be an admin, but nobody else could use the bot there.
    if (placeRefusal(serverRules, { isAdmin: false, voiceChannelId: channelId, isVoiceChannel })) return;
    joining.add(guildId);
    try {
      if ('key' in place) throw new UserError(place);
      await speakers.of(guildId).join(place, { signal: closing.signal });
    } finally {
      joining.delete(guildId);
    }
  }

  return {
    /** A human member joined, left or changed the channel. */
    moved(move: Move): void {
      const { guildId, from, to } = move;
      if (to === undefined || from === to) return;
      enter(move, to).catch((error: unknown) => {
        if (closing.signal.aborted) return;
        if (error instanceof UserError)
          log.info({ guildId, channelId: to, why: error.text.key }, 'Did not join by itself');
        else log.warn({ err: error, guildId, channelId: to }, 'Joining by itself failed');
      });
    },
    /** To be called whenever the bot leaves a voice channel. */
    left: (leaving: Pick<Leaving, 'guildId' | 'voiceChannelId' | 'reason'>) => dismissals.left(leaving),
    audienceChanged: (guildId: string) => dismissals.audienceChanged(guildId, speakers.find(guildId)?.channelId),
    /** Gives up what is being joined. Idempotent. */
    close: () => closing.abort(new Error('Crier is being stopped')),
  };
}
