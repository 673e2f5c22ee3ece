import type { Leaving } from '../services/playback/guild-speaker-types.ts';
import type { ServerRules } from '../services/servers/server-rules.ts';

/** After this long a silence listeners no longer know the last author. */
const REMEMBERED_MS = 5 * 60_000;

/** Remembers the author of the last message read in each server, to announce the name of the next author. */
export function createNaming(now: () => number = Date.now) {
  const latest = new Map<string, { readonly author: string; readonly atMs: number }>();
  return {
    /** Whether this author's name is spoken now. */
    isNamed(guildId: string, author: string, mode: ServerRules['autoReadNames']): boolean {
      if (mode !== 'on-change') return mode === 'always';
      const last = latest.get(guildId);
      return last?.author !== author || now() - last.atMs > REMEMBERED_MS;
    },
    /** This author's message is next; call the returned function when it is not played after all. */
    follows(guildId: string, author: string): () => void {
      const mine = { author, atMs: now() };
      latest.set(guildId, mine);
      return () => {
        if (latest.get(guildId) === mine) latest.delete(guildId);
      };
    },
    forget: (guildId: string): void => void latest.delete(guildId),
  };
}

const BETWEEN_MS = 60_000;
/** After this time the same problem is reported again, for members who missed it. */
const SAME_MS = 30 * 60_000;

/** Limits the number of notices about messages that could not be read. */
export function createNotices(now: () => number = Date.now) {
  /** Time of the last notice by kind, by server. */
  const servers = new Map<string, Map<string, number>>();
  return {
    /** Whether a problem of this kind may be reported in the server now; it then counts as reported. */
    take(guildId: string, kind: string): boolean {
      const told = servers.get(guildId) ?? new Map<string, number>();
      for (const [each, atMs] of told) if (now() - atMs >= SAME_MS) told.delete(each);
      if (told.has(kind) || [...told.values()].some((atMs) => now() - atMs < BETWEEN_MS)) return false;
      told.set(kind, now());
      servers.set(guildId, told);
      return true;
    },
  };
}

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
