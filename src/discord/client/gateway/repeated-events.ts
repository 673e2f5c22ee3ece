import { type Client, Events } from 'discord.js';
import { LRUCache } from 'lru-cache';

/** Each asks for something. Other events say how things are, which is true the second time, too. */
const ONCE: ReadonlySet<string | symbol> = new Set([Events.InteractionCreate, Events.MessageCreate]);
/** The second one follows at once, or when a session is resumed. */
const MOST_REMEMBERED = 2_000;

/**
 * Discord may send an event several times: https://discord.com/developers/docs/reference#consistency. The function that is
 * returned says that what has this id has been seen to.
 */
export function hearOnce(client: Client): (id: string) => void {
  const heard = new LRUCache<string, true>({ max: MOST_REMEMBERED });
  const emit: (event: string | symbol, ...subjects: unknown[]) => boolean = client.emit.bind(client);
  client.emit = (event: string | symbol, ...subjects: unknown[]) => {
    if (ONCE.has(event)) {
      const { id } = subjects[0] as { readonly id: string };
      if (heard.has(id)) return false;
      heard.set(id, true);
    }
    return emit(event, ...subjects);
  };
  return (id) => void heard.set(id, true);
}
