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
