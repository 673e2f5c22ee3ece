import type { Guild } from 'discord.js';
import { withDeadline } from '../../services/time/deadline.ts';

const MENTION = /<@!?(\d{1,20})>/g;
/** Whoever mentions more people than this does not want to hear their names. */
const MOST_ASKED_FOR = 10;
/** Discord answers within a tenth of this; a text that waits longer for a name is worse than 'somebody'. */
const TIMEOUT_MS = 1_000;

/**
 * The shown names, by id, of members who are mentioned in a text and are not known here: as far as Discord tells in time.
 * Nothing of that is kept, because nobody would tell when they change. Never rejects.
 */
export async function namesOfMentioned(
  guild: Guild | null,
  written: string,
  { timeoutMs = TIMEOUT_MS }: { readonly timeoutMs?: number } = {},
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  if (!guild) return names;
  const ids = new Set([...written.matchAll(MENTION)].map(([, id = '']) => id));
  const unknown = [...ids].filter((id) => !guild.members.cache.has(id)).slice(0, MOST_ASKED_FOR);
  if (unknown.length === 0) return names;
  const asked = unknown.map(async (user) => {
    const member = await guild.members.fetch({ user, cache: false });
    names.set(user, member.displayName);
  });
  // Who left the server, or is told of too late, is 'somebody'.
  await withDeadline(Promise.allSettled(asked), { timeoutMs, what: 'Asking for names' }).catch(() => undefined);
  // What comes in later must not change a text that is on its way.
  return new Map(names);
}
