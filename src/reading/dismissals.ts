import type { Leaving } from '../services/playback/guild-speaker-types.ts';

/** Remembers where somebody has sent the bot away: messages do not bring it back there by themselves. */
interface Dismissals {
  holds(guildId: string): boolean;
  left(leaving: Pick<Leaving, 'guildId' | 'voiceChannelId' | 'reason'>): void;
  /** Over when the bot was brought back, or when all of those have left whom it was sent away from. */
  audienceChanged(guildId: string, botChannelId: string | undefined): void;
}

export function createDismissals(listeners: (guildId: string, channelId: string) => number): Dismissals {
  /** Voice channels by server. */
  const dismissed = new Map<string, string>();
  return {
    holds: (guildId) => dismissed.has(guildId),
    left({ guildId, voiceChannelId, reason }) {
      if (reason === 'asked' || reason === 'kicked') dismissed.set(guildId, voiceChannelId);
      else dismissed.delete(guildId);
    },
    audienceChanged(guildId, botChannelId) {
      const channelId = dismissed.get(guildId);
      if (channelId === undefined) return;
      if (botChannelId !== undefined || listeners(guildId, channelId) === 0) dismissed.delete(guildId);
    },
  };
}
