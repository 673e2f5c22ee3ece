import { LRUCache } from 'lru-cache';

/** The second one follows at once, or when a session is resumed. */
const MOST_REMEMBERED = 2_000;

/**
 * Whether a message or an interaction is seen for the first time: Discord may send an event several times
 * (https://discord.com/developers/docs/reference#consistency).
 */
export function createFirstTime(): (id: string) => boolean {
  const seen = new LRUCache<string, true>({ max: MOST_REMEMBERED });
  return (id) => {
    const isFirst = !seen.has(id);
    if (isFirst) seen.set(id, true);
    return isFirst;
  };
}
