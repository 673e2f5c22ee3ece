import { LRUCache } from 'lru-cache';
import type { AudioError } from '../../audio/audio-error.ts';
import type { EarlierPurchase, PaidSound } from './purchase-journal.ts';

/** The address of audio that was paid for: it can be downloaded from there again for nothing. */
interface PaidUrl {
  readonly url: URL;
  /** The whole audio came from there once: an address that has something else now had it before. */
  hasArrived: boolean;
  /** The id of the voice that spoke in place of the one that was asked for. */
  readonly spokenBy?: string;
  /** Another process of the bot paid for it: its audio is not paid for again unless it is asked for again. */
  isEarlier?: boolean;
}

/** A few hundred bytes each. */
const MAX_URLS = 500;
/**
 * As long as what was spoken can be saved or spoken again (queue-recent.ts). How long its address is good for, no service
 * says; an older one is rather paid for again than counted on, by the limits too.
 */
const KEPT_MS = 15 * 60_000;

/**
 * The addresses of the last payments by the keys of their sounds, and those of an earlier process: all of them, for a text that
 * comes back is not paid for again however many were paid for since.
 */
export function createPaidUrls(
  earlier: ReadonlyMap<string, EarlierPurchase> = new Map(),
  now: () => number = Date.now,
) {
  const urls = new LRUCache<string, PaidUrl>({
    max: MAX_URLS,
    ttl: KEPT_MS,
    ttlResolution: 0,
    perf: { now: () => performance.now() },
  });
  /** Those of `earlier` that count no more: they were taken up, or paid for anew. */
  const used = new Set<string>();

  /** Leaves the order of payment as it is: the oldest address goes first. */
  function of(key: string): PaidUrl | undefined {
    const purchase = used.has(key) || urls.has(key) ? undefined : earlier.get(key);
    if (purchase) used.add(key);
    if (purchase?.kind === 'paid' && now() - purchase.atMs < KEPT_MS) {
      const { url, spokenBy } = purchase;
      urls.set(key, { url, hasArrived: false, isEarlier: true, ...(spokenBy !== undefined && { spokenBy }) });
    }
    return urls.peek(key);
  }

  return {
    of,
    set(key: string, { url, spokenBy }: PaidSound): void {
      if (earlier.has(key)) used.add(key);
      urls.set(key, { url, hasArrived: false, ...(spokenBy !== undefined && { spokenBy }) });
    },
    delete: (key: string) => void urls.delete(key),
  };
}

/**
 * Whether audio made anew may arrive: not while its host cannot be reached, where the new one would be as well; and where
 * nothing ever came, only for a reason that need not hold for the next one.
 */
export function isWorthPayingAgain({ hasArrived }: PaidUrl, { kind }: AudioError): boolean {
  if (kind === 'network' || kind === 'timeout') return false;
  return hasArrived || kind === 'http-status' || kind === 'damaged';
}
