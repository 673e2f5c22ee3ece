import type { Leaving } from '../services/playback/guild-speaker-types.ts';

/** Remembers voice channels from which a member dismissed the bot: messages do not make it join there again. */
export function createDismissals(listeners: (guildId: string, channelId: string) => number) {
  /** Voice channels by server. */
  const dismissed = new Map<string, string>();
  return {
    holds: (guildId: string): boolean => dismissed.has(guildId),
    left({ guildId, voiceChannelId, reason }: Pick<Leaving, 'guildId' | 'voiceChannelId' | 'reason'>): void {
      if (reason === 'asked' || reason === 'kicked') dismissed.set(guildId, voiceChannelId);
      else dismissed.delete(guildId);
    },
    /** Ends when a member brings the bot back, or when all members that were present at the dismissal have left. */
    audienceChanged(guildId: string, botChannelId: string | undefined): void {
      const channelId = dismissed.get(guildId);
      if (channelId === undefined) return;
      if (botChannelId !== undefined || listeners(guildId, channelId) === 0) dismissed.delete(guildId);
    },
  };
}
