import { randomBytes } from 'node:crypto';

/** What somebody may still do by a button: kept for as long as Discord lets its message be used, in memory only. */
export interface Pending<Value> {
  /** Keeps it; the token fits into a custom id and cannot be guessed. */
  put(value: Value): string;
  /** What the token stands for: undefined when it was taken, has expired, or never was. */
  peek(token: string): Value | undefined;
  /** The same, once: undefined when it was taken, has expired, or never was. */
  take(token: string): Value | undefined;
  /** How many of those that can still be taken match. */
  count(matches: (value: Value) => boolean): number;
  /** Drops those that match: they can no longer be taken. */
  drop(matches: (value: Value) => boolean): void;
}

const LIFETIME_MS = 15 * 60_000;
const REMEMBERED = 1_000;

export function createPending<Value>({
  now = () => performance.now(),
}: {
  readonly now?: () => number;
} = {}): Pending<Value> {
  const kept = new Map<string, { readonly value: Value; readonly untilMs: number }>();

  function peek(token: string): Value | undefined {
    const found = kept.get(token);
    return found && found.untilMs > now() ? found.value : undefined;
  }

  return {
    put(value) {
      const token = randomBytes(9).toString('base64url');
      kept.set(token, { value, untilMs: now() + LIFETIME_MS });
      for (const oldest of kept.keys()) {
        if (kept.size <= REMEMBERED) break;
        kept.delete(oldest);
      }
      // In nobody's memory any more then, also when nothing is put after it.
      setTimeout(() => kept.delete(token), LIFETIME_MS).unref();
      return token;
    },
    peek,
    take(token) {
      const value = peek(token);
      kept.delete(token);
      return value;
    },
    count: (matches) => [...kept.values()].filter(({ value, untilMs }) => untilMs > now() && matches(value)).length,
    drop(matches) {
      for (const [token, { value }] of kept) if (matches(value)) kept.delete(token);
    },
  };
}
