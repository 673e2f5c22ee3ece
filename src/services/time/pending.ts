import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';

interface Held {
  /** The member to whom the stored action belongs: /privacy counts it, and /forget deletes it. */
  readonly userId: string;
  readonly words: string;
}

const LIFETIME_MS = 15 * 60_000;
const MAX_KEPT = 1_000;

/** Actions behind buttons and forms, kept for 15 minutes: as long as Discord accepts an interaction's token. */
export function createPending<Kinds extends Record<keyof Kinds, Held>>(now = () => performance.now()) {
  // Timers delete expired actions of buttons, so that they leave the memory even if no further actions are stored.
  const bounds = { max: MAX_KEPT, ttl: LIFETIME_MS, ttlAutopurge: true, ttlResolution: 0, perf: { now } };
  const kept = new LRUCache<string, { readonly kind: keyof Kinds; readonly value: Kinds[keyof Kinds] }>(bounds);
  const taken = new LRUCache<string, string>(bounds);

  /** The action stored under a button's token; undefined if the token is unknown, expired or already taken. */
  function peek<Kind extends keyof Kinds>(kind: Kind, token: string): Kinds[Kind] | undefined {
    const held = kept.peek(token);
    return held?.kind === kind ? (held.value as Kinds[Kind]) : undefined;
  }

  const of = (userId: string) => [...kept.entries()].filter(([, { value }]) => value.userId === userId);

  return {
    /** Stores an action, and returns a token that cannot be guessed and fits into a custom id. */
    put<Kind extends keyof Kinds>(kind: Kind, value: Kinds[Kind]): string {
      const token = randomBytes(9).toString('base64url');
      kept.set(token, { kind, value });
      return token;
    },
    peek,
    /** Takes the action stored under a button's token, so that it can be used only once. */
    take<Kind extends keyof Kinds>(kind: Kind, token: string, byUserId?: string): Kinds[Kind] | undefined {
      const value = peek(kind, token);
      if (value !== undefined && kept.delete(token) && byUserId !== undefined) taken.set(token, byUserId);
      return value;
    },
    wasTakenBy: (userId: string, token: string): boolean => taken.get(token) === userId,
    countOf: (userId: string): number => of(userId).filter(([, { value }]) => value.words !== '').length,
    forgetMember(userId: string): void {
      for (const [token] of of(userId)) kept.delete(token);
    },
  };
}

export type Pending<Kinds extends Record<keyof Kinds, Held>> = ReturnType<typeof createPending<Kinds>>;
