import type { Guild } from 'discord.js';
import { withDeadline } from '../../services/time/deadline.ts';

const MENTION = /<@!?(\d{1,20})>/g;
/** With more mentions than this in one text, looking up the names is not worth it. */
const MOST_ASKED_FOR = 10;
/** Discord answers within a tenth of this; delaying a text longer for a name is worse than saying 'somebody'. */
const TIMEOUT_MS = 1_000;

/**
 * The display names, by id, of mentioned members that are not cached, as far as Discord answers in time. They are not
 * cached here, because no event reports when they change. Never rejects.
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
  // Members who left the server, or whose name comes too late, are 'somebody'.
  await withDeadline(Promise.allSettled(asked), { timeoutMs, what: 'Looking up names' }).catch(() => undefined);
  // A later answer must not change a text that is already in use.
  return new Map(names);
}
