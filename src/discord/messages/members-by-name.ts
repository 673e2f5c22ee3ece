import type { Guild, GuildMember } from 'discord.js';
import { withDeadline } from '../../services/time/deadline.ts';

/** Discord's limit for nicknames, display names and user names. */
const LONGEST_NAME = 32;
/** Discord finds names that begin with the one asked for: as many as one request may return, so that the whole name is among them. */
const MOST_FOUND = 1_000;
const TIMEOUT_MS = 5_000;

/**
 * The members with this name, whole but in any case: the one with that user name, else all who are shown so. Asks Discord,
 * since others with that name may not be cached. Rejects where it does not answer.
 */
export async function membersCalled(
  name: string,
  { members }: Guild,
  signal: AbortSignal,
): Promise<readonly GuildMember[]> {
  if (name.length > LONGEST_NAME) return [];
  const wanted = name.toLowerCase();
  const hasUserName = ({ user }: GuildMember) => user.username.toLowerCase() === wanted;
  const known = members.cache.find(hasUserName);
  if (known) return [known];
  // Not cached: no event reports when they change.
  const search = members.search({ query: name, limit: MOST_FOUND, cache: false });
  const found = await withDeadline(search, { timeoutMs: TIMEOUT_MS, what: 'Looking for a member', signal });
  const shownSo = found.concat(members.cache).filter(({ displayName }) => displayName.toLowerCase() === wanted);
  const named = found.find(hasUserName);
  return named ? [named] : [...shownSo.values()];
}
