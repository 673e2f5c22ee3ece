import type { ServerRules } from '../services/servers/server-rules.ts';

/** Remembers in each server whose message was read last, to name those whose turn it is. */
interface Naming {
  /** Whether this author is named now. */
  isNamed(guildId: string, author: string, mode: ServerRules['autoReadNames']): boolean;
  /** This author's message follows; call what it returns when it will not be heard after all. */
  follows(guildId: string, author: string): () => void;
  forget(guildId: string): void;
}

/** After so long a silence nobody remembers who spoke last. */
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
