import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';

interface Held {
  /** The member who is allowed to delete it, and who sees that it is kept. */
  readonly userId: string;
  /** What a member typed; empty without. */
  readonly words: string;
}

/**
 * Actions offered by a button or a form, by their kind; in memory only, and for as long as Discord lets the message of the
 * button be used.
 */
export interface Pending<Kinds extends Record<keyof Kinds, Held>> {
  /** Keeps it; the token fits into a custom id and cannot be guessed. */
  put<Kind extends keyof Kinds>(kind: Kind, value: Kinds[Kind]): string;
  /** The value of a token: undefined when it was taken, has expired, or never was. */
  peek<Kind extends keyof Kinds>(kind: Kind, token: string): Kinds[Kind] | undefined;
  /** The same, once: undefined when it was taken, has expired, or never was. */
  take<Kind extends keyof Kinds>(kind: Kind, token: string, byUserId?: string): Kinds[Kind] | undefined;
  wasTakenBy(userId: string, token: string): boolean;
  countOf(userId: string): number;
  /** Drops everything of this user: it can no longer be taken. */
  forgetMember(userId: string): void;
}

const LIFETIME_MS = 15 * 60_000;
const MAX_KEPT = 1_000;

export function createPending<Kinds extends Record<keyof Kinds, Held>>(
  now: () => number = () => performance.now(),
): Pending<Kinds> {
  // Purged by timers: expired values leave the memory also when nothing is put after them.
  const bounds = { max: MAX_KEPT, ttl: LIFETIME_MS, ttlAutopurge: true, ttlResolution: 0, perf: { now } };
  const kept = new LRUCache<string, { readonly kind: keyof Kinds; readonly value: Kinds[keyof Kinds] }>(bounds);
  /** By whom. */
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
