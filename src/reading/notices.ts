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
