/** Keeps what is told about messages that could not be read to a bearable number. */
interface Notices {
  /** Whether trouble of this kind may be told in the server now; it then counts as told. */
  take(guildId: string, kind: string): boolean;
}

const BETWEEN_MS = 60_000;
/** The same once more, for those who were not there. */
const SAME_MS = 30 * 60_000;

export function createNotices(now: () => number = Date.now): Notices {
  /** When each kind was told last, by server. */
  const servers = new Map<string, Map<string, number>>();
  return {
    take(guildId, kind) {
      const told = servers.get(guildId) ?? new Map<string, number>();
      for (const [each, atMs] of told) if (now() - atMs >= SAME_MS) told.delete(each);
      if (told.has(kind) || [...told.values()].some((atMs) => now() - atMs < BETWEEN_MS)) return false;
      told.set(kind, now());
      servers.set(guildId, told);
      return true;
    },
  };
}
