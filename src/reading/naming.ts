import type { ServerRules } from '../services/servers/server-rules.ts';

/** Remembers the author of the last message read in each server, to announce the name of the next author. */
interface Naming {
  /** Whether this author's name is spoken now. */
  isNamed(guildId: string, author: string, mode: ServerRules['autoReadNames']): boolean;
  /** This author's message is next; call the returned function when it is not played after all. */
  follows(guildId: string, author: string): () => void;
  forget(guildId: string): void;
}

/** After this long a silence listeners no longer know the last author. */
const REMEMBERED_MS = 5 * 60_000;

interface Latest {
  readonly author: string;
  readonly atMs: number;
}

export function createNaming(now: () => number = Date.now): Naming {
  const latest = new Map<string, Latest>();
  return {
    isNamed(guildId, author, mode) {
      if (mode !== 'on-change') return mode === 'always';
      const last = latest.get(guildId);
      return last?.author !== author || now() - last.atMs > REMEMBERED_MS;
    },
    follows(guildId, author) {
      const mine = { author, atMs: now() };
      latest.set(guildId, mine);
      return () => {
        if (latest.get(guildId) === mine) latest.delete(guildId);
      };
    },
    forget: (guildId) => void latest.delete(guildId),
  };
}
