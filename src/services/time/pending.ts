import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';

interface Held {
  /** The member to whom the stored action belongs: /privacy counts it, and /forget deletes it. */
  readonly userId: string;
  readonly words: string;
}

/** Actions behind buttons and forms, kept for 15 minutes: as long as Discord accepts an interaction's token. */
export interface Pending<Kinds extends Record<keyof Kinds, Held>> {
  /** Stores an action for a button or form, and returns a token that cannot be guessed and fits into a custom id. */
  put<Kind extends keyof Kinds>(kind: Kind, value: Kinds[Kind]): string;
  /** The action stored under a button's token; undefined if the token is unknown, expired or already taken. */
  peek<Kind extends keyof Kinds>(kind: Kind, token: string): Kinds[Kind] | undefined;
  /** Takes the action stored under a button's token, so that it can be used only once. */
  take<Kind extends keyof Kinds>(kind: Kind, token: string, byUserId?: string): Kinds[Kind] | undefined;
  wasTakenBy(userId: string, token: string): boolean;
  countOf(userId: string): number;
  forgetMember(userId: string): void;
}

const LIFETIME_MS = 15 * 60_000;
const MAX_KEPT = 1_000;

export function createPending<Kinds extends Record<keyof Kinds, Held>>(
  now: () => number = () => performance.now(),
): Pending<Kinds> {
  // Timers delete expired actions of buttons, so that they leave the memory even if no further actions are stored.
  const bounds = { max: MAX_KEPT, ttl: LIFETIME_MS, ttlAutopurge: true, ttlResolution: 0, perf: { now } };
  const kept = new LRUCache<string, { readonly kind: keyof Kinds; readonly value: Kinds[keyof Kinds] }>(bounds);
  const taken = new LRUCache<string, string>(bounds);

  function peek<Kind extends keyof Kinds>(kind: Kind, token: string): Kinds[Kind] | undefined {
    const held = kept.peek(token);
    return held?.kind === kind ? (held.value as Kinds[Kind]) : undefined;
  }

  const of = (userId: string) => [...kept.entries()].filter(([, { value }]) => value.userId === userId);

  return {
    put(kind, value) {
      const token = randomBytes(9).toString('base64url');
      kept.set(token, { kind, value });
      return token;
    },
    peek,
    take(kind, token, byUserId) {
      const value = peek(kind, token);
      if (value !== undefined && kept.delete(token) && byUserId !== undefined) taken.set(token, byUserId);
      return value;
    },
    wasTakenBy: (userId, token) => taken.get(token) === userId,
    countOf: (userId) => of(userId).filter(([, { value }]) => value.words !== '').length,
    forgetMember(userId) {
      for (const [token] of of(userId)) kept.delete(token);
    },
  };
}
