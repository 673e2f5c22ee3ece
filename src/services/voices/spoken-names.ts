import type { Logger } from 'pino';
import type { MemberSettings, OwnPlace } from './member-settings.ts';

/** How members want their names to be said. */
export interface SpokenNames {
  /** Undefined: as it is displayed in Discord. Never rejects. */
  of(userId: string, guildId: string): Promise<string | undefined>;
}

interface SpokenNamesOptions {
  readonly members: Pick<MemberSettings, 'get'>;
  /** Whether a server blocks words of the name. */
  readonly isBlocked: (name: string, guildId: string) => Promise<boolean>;
  readonly log: Logger;
}

/**
 * Of the names that a member chose, that of the server goes first. None is said where the server blocks a word of it: others
 * could not mention its member.
 */
export function createSpokenNames({ members, isBlocked, log }: SpokenNamesOptions): SpokenNames {
  const nameIn = async (place: OwnPlace) => (await members.get(place)).spokenName;
  return {
    async of(userId, guildId) {
      try {
        const name = (await nameIn({ userId, guildId })) ?? (await nameIn({ userId, guildId: undefined }));
        return !name || (await isBlocked(name, guildId)) ? undefined : name;
      } catch (error) {
        log.warn({ err: error, guildId }, 'A member’s name is said as Discord has it: it cannot be looked up');
        return undefined;
      }
    },
  };
}
