import type { Logger } from 'pino';
import type { ServerRulesBook } from '../servers/server-rules.ts';
import { isListed } from '../servers/server-settings.ts';
import type { MemberSettings, OwnPlace } from './member-settings.ts';

/** How members want their names to be said. */
export interface SpokenNames {
  /** Undefined: as it is displayed in Discord. Never rejects. */
  of(userId: string, guildId: string): Promise<string | undefined>;
}

interface SpokenNamesOptions {
  readonly members: Pick<MemberSettings, 'get'>;
  readonly rules: Pick<ServerRulesBook, 'of'>;
  /** Whether a server blocks words of the name. */
  readonly isBlocked: (name: string, guildId: string) => Promise<boolean>;
  readonly log: Logger;
}

/**
 * Of the names that members chose, that of the server goes first. None is said where admins have the name said as it is in
 * Discord, nor where it is blocked: others could not mention its member.
 */
export function createSpokenNames({ members, rules, isBlocked, log }: SpokenNamesOptions): SpokenNames {
  const nameIn = async (place: OwnPlace) => (await members.get(place)).spokenName;
  return {
    async of(userId, guildId) {
      try {
        const { namesAsInDiscord } = await rules.of(guildId);
        if (isListed(namesAsInDiscord, userId)) return undefined;
        const name = (await nameIn({ userId, guildId })) ?? (await nameIn({ userId, guildId: undefined }));
        return !name || (await isBlocked(name, guildId)) ? undefined : name;
      } catch (error) {
        log.warn({ err: error, guildId }, 'A member’s name is said as Discord has it: it cannot be looked up');
        return undefined;
      }
    },
  };
}
