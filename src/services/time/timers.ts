import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** The maximum delay of setTimeout: timers with longer delays fire at once. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/** Calls `onOver` after `limitMs()`, which is read again when the timer fires; Infinity means never. */
export function createAdjustableTimer(limitMs: () => number, onOver: () => void) {
  let sinceMs: number | undefined;
  let timer: NodeJS.Timeout | undefined;

  function setTimer(): void {
    clearTimeout(timer);
    if (sinceMs === undefined) return;
    const leftMs = sinceMs + limitMs() - performance.now();
    timer = setTimeout(onTimer, Math.min(Math.max(0, leftMs), MAX_DELAY_MS)).unref();
  }

  function restart(): void {
    sinceMs = performance.now();
    setTimer();
  }

  function onTimer(): void {
    // The timer's limit may have been raised without a call of measureAgain(), so the timer may have to run longer.
    if (sinceMs !== undefined && performance.now() < sinceMs + limitMs()) {
      setTimer();
    } else {
      sinceMs = undefined;
      onOver();
    }
  }

  return {
    start() {
      if (sinceMs === undefined) restart();
    },
    restart,
    end() {
      sinceMs = undefined;
      clearTimeout(timer);
    },
    measureAgain: setTimer,
  };
}

export class DeadlineError extends Error {
  override readonly name = 'DeadlineError';
}

/** Rejects after `timeoutMs` with a DeadlineError, or with the signal's reason. The work itself goes on. */
export async function withDeadline<Value>(
  work: Promise<Value>,
  { timeoutMs, what, signal }: { readonly timeoutMs: number; readonly what: string; readonly signal?: AbortSignal },
): Promise<Value> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new DeadlineError(`${what} took longer than ${timeoutMs} ms`)), timeoutMs);
  try {
    return await abortable(work, signal ? AbortSignal.any([signal, late.signal]) : late.signal);
  } finally {
    clearTimeout(timer);
  }
}

/** Rejects with the signal's reason when the signal aborts. The work itself goes on for other callers. */
export function abortable<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

const TICKS = 10;

/**
 * Rejects with a DeadlineError after `timeoutMs`. A stall of this process, however long, counts as at most a tenth of
 * `timeoutMs`, because the stall also stops the work.
 */
export async function stallProofDeadline<Value>(work: Promise<Value>, timeoutMs: number, what: string): Promise<Value> {
  const late = Promise.withResolvers<never>();
  let ticks = 0;
  const timer = setInterval(() => {
    ticks += 1;
    if (ticks === TICKS) late.reject(new DeadlineError(`${what} took longer than ${timeoutMs} ms`));
  }, timeoutMs / TICKS);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearInterval(timer);
  }
}

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
    /** Stores the action of a button or form, and returns an unguessable token for its custom id. */
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

/** How fast the clocks may drift apart, in ms per ms: more than real clocks do, but too little to matter. */
const DRIFT = 1 / 1000;

/**
 * Computes how old Discord's events are, although the host's clock may be wrong: the fastest arrival shows the offset
 * between both clocks. `now` is a monotonic clock.
 */
export function createAges(now: () => number) {
  let known: { readonly aheadMs: number; readonly atMs: number } | undefined;

  const aheadMs = () => (known ? known.aheadMs + (now() - known.atMs) * DRIFT : Number.POSITIVE_INFINITY);

  return {
    /** Must be called when an event with a timestamp by Discord's clock arrives. */
    cameIn(atMs: number): void {
      known = { aheadMs: Math.min(aheadMs(), now() - atMs), atMs: now() };
    },
    ageMs: (atMs: number): number => Math.max(0, now() - atMs - aheadMs()),
  };
}
