import type { Logger } from 'pino';
import type { MemberSettings, OwnPlace } from './member-settings.ts';

/** How members want their names to be said. */
export interface SpokenNames {
  /** Undefined: as it is displayed in Discord. Never rejects. */
  of(userId: string, guildId: string): Promise<string | undefined>;
}

interface SpokenNamesOptions {
  readonly members: Pick<MemberSettings, 'get'>;
  readonly log: Logger;
}

/** Of the names that members chose, that of the server goes first; an empty one there means their name in Discord. */
export function createSpokenNames({ members, log }: SpokenNamesOptions): SpokenNames {
  const nameIn = async (place: OwnPlace) => (await members.get(place)).spokenName;
  return {
    async of(userId, guildId) {
      try {
        const name = (await nameIn({ userId, guildId })) ?? (await nameIn({ userId, guildId: undefined }));
        return name || undefined;
      } catch (error) {
        log.warn({ err: error, guildId }, 'A member’s name is said as Discord has it: the store does not answer');
        return undefined;
      }
    },
  };
}
