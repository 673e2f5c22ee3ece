import type { RESTOptions } from 'discord.js';
import { LRUCache } from 'lru-cache';

type MakeRequest = RESTOptions['makeRequest'];

const CALLBACK = /\/interactions\/(\d+)\/[^/]+\/callback/;
/** A callback is over within a minute at most; this many are remembered. */
const MOST_REMEMBERED = 1_000;

/**
 * Records interaction callbacks that Discord's REST client sent more than once.
 *
 * The REST client repeats a request whose answer was lost, interaction callbacks too. The repetition is then refused with
 * 40060 'already acknowledged', although the first attempt counted: only the number of attempts tells this from a second
 * process that answered with the same token.
 */
export function countCallbackAttempts(makeRequest: MakeRequest) {
  const sent = new LRUCache<string, number>({ max: MOST_REMEMBERED });
  return {
    makeRequest(...[url, init]: Parameters<MakeRequest>) {
      const interactionId = CALLBACK.exec(url)?.[1];
      if (interactionId !== undefined) sent.set(interactionId, (sent.get(interactionId) ?? 0) + 1);
      return makeRequest(url, init);
    },
    /** Whether the callback of this interaction was sent again after a lost or failed answer. */
    repeated: (interactionId: string) => (sent.get(interactionId) ?? 0) > 1,
  };
}
