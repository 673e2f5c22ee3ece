import { type Text, text } from '../texts/catalogue.ts';
import { createGuildSpeaker, type GuildSpeaker, type GuildSpeakerOptions } from './guild-speaker.ts';

/** The speakers of all servers, made when they are first needed. */
export interface GuildSpeakers {
  of(guildId: string): GuildSpeaker;
  /** The server's speaker if it has spoken there since the start. */
  find(guildId: string): GuildSpeaker | undefined;
  /** The bot is no longer in this server. */
  forget(guildId: string): Promise<void>;
  /** Ends all of them for this reason. Idempotent. */
  close(reason: Text): Promise<void>;
}

export function createGuildSpeakers(options: Omit<GuildSpeakerOptions, 'guildId'>): GuildSpeakers {
  const speakers = new Map<string, GuildSpeaker>();
  let closedFor: Text | undefined;

  return {
    of(guildId) {
      let speaker = speakers.get(guildId);
      if (!speaker) {
        speaker = createGuildSpeaker({ ...options, guildId });
        speakers.set(guildId, speaker);
        if (closedFor) void speaker.close(closedFor);
      }
      return speaker;
    },
    find: (guildId) => speakers.get(guildId),
    async forget(guildId) {
      const speaker = speakers.get(guildId);
      speakers.delete(guildId);
      await speaker?.close(text('play.server-left'));
    },
    async close(reason) {
      closedFor ??= reason;
      await Promise.allSettled([...speakers.values()].map((speaker) => speaker.close(reason)));
    },
  };
}
