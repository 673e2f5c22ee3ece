import { Collection, type Guild, type GuildMember } from 'discord.js';
import type { Logger } from 'pino';
import { withDeadline } from '../../services/time/deadline.ts';

/** Discord's limit for nicknames, display names and user names. */
const LONGEST_NAME = 32;
/** Discord finds names that begin with the one asked for: as many as one request may return, so that the whole name is among them. */
const MOST_FOUND = 1_000;
const TIMEOUT_MS = 5_000;

interface Asking {
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly timeoutMs?: number;
  /** Asked where the name has to be looked for; false: among the cached members only. Default: Discord is asked. */
  readonly mayAskDiscord?: () => boolean;
}

/**
 * The members with this name, whole but in any case: the one with that user name, else all who are shown so. Asks Discord,
 * since others with that name may not be cached; where it does not answer, those that are cached are the ones.
 */
export async function membersCalled(
  name: string,
  { id: guildId, members }: Guild,
  { signal, log, timeoutMs = TIMEOUT_MS, mayAskDiscord = () => true }: Asking,
): Promise<readonly GuildMember[]> {
  if (name.length > LONGEST_NAME) return [];
  const wanted = name.toLowerCase();
  const hasUserName = ({ user }: GuildMember) => user.username.toLowerCase() === wanted;
  const known = members.cache.find(hasUserName);
  if (known) return [known];
  const shown = (found: Collection<string, GuildMember>) => [
    ...found
      .concat(members.cache)
      .filter(({ displayName }) => displayName.toLowerCase() === wanted)
      .values(),
  ];
  if (!mayAskDiscord()) return shown(new Collection());
  // Not cached: no event reports when they change.
  const search = members.search({ query: name, limit: MOST_FOUND, cache: false });
  const asked = withDeadline(search, { timeoutMs, what: 'Looking for a member', signal });
  const found = await asked.catch((error: unknown) => {
    signal.throwIfAborted();
    log.warn({ err: error, guildId }, 'A member was looked for among the known ones only: Discord does not answer');
    return new Collection<string, GuildMember>();
  });
  const named = found.find(hasUserName);
  if (named) return [named];
  return shown(found);
}
