import type { KeptRows } from '../storage/kept-rows.ts';

export interface PaidSound {
  readonly url: URL;
  /** The voice that spoke in place of the one that was asked for. */
  readonly spokenBy: string | undefined;
}

/** It can be downloaded from there again for nothing. */
export interface Purchase extends PaidSound {
  readonly kind: 'paid';
  readonly credits: number;
  /** Since 1970. */
  readonly atMs: number;
  /** Another process of the bot paid for it: its audio is not paid for again unless it is asked for again. */
  readonly isEarlier: boolean;
  /** The whole audio came from there once: an address that has something else now had it before. */
  hasArrived: boolean;
}

/** A request that another process of this bot sent a short while ago, which ended before the answer came: it may be billed. */
interface SentEarlier {
  readonly kind: 'sent';
  readonly atMs: number;
}

/** The sound of one request, as far as it is known before it is asked for. */
export type RecalledPurchase =
  | { readonly kind: 'to-buy' | 'maybe-billed' }
  | { readonly kind: 'at-hand'; readonly paid?: { readonly credits: number; readonly atMs: number } };

/** The record for the next process: first that it was sent, then the address of its audio. */
export interface KeptPurchase {
  readonly paid?: { readonly url: string; readonly credits: number; readonly spokenBy?: string | undefined };
}

interface PurchasesOptions {
  /** What outlives the process; undefined where nothing does: an end must not have the same sound paid again. */
  readonly rows?: KeptRows<KeptPurchase> | undefined;
  /** False if the addresses of paid audio end with the process that paid, as those of the built-in voice's engines do. */
  readonly addressesLast?: boolean;
  readonly now?: () => number;
}

/**
 * The time in which a text can be saved or spoken again (queue-recent.ts). No service says how long an address is
 * valid; an older one is paid for again, and counted on the limits, rather than trusted.
 */
export const PURCHASES_KEPT_MS = 15 * 60_000;

/** What was sent and what was paid for in the last quarter of an hour, by the keys of the sounds. */
export function createPurchases({ rows, addressesLast = true, now = Date.now }: PurchasesOptions = {}) {
  /** The oldest one comes first. */
  const known = new Map<string, Purchase | SentEarlier>();
  for (const [name, { value, sinceMs: atMs }] of rows?.entries() ?? []) {
    const [, key = ''] = name.split(' ');
    known.set(key, value.paid ? purchaseOf(value.paid, atMs) : { kind: 'sent', atMs });
  }

  const isOld = ({ atMs }: { readonly atMs: number }) => now() - atMs > PURCHASES_KEPT_MS;

  function find(key: string): Purchase | SentEarlier | undefined {
    const one = known.get(key);
    return one && !isOld(one) ? one : undefined;
  }

  function keep(key: string, purchase: Purchase): void {
    for (const [old, one] of known) {
      if (!isOld(one)) break;
      known.delete(old);
    }
    known.delete(key);
    known.set(key, purchase);
  }

  return {
    /** The purchase that has the audio; undefined if it has to be bought. */
    of(key: string): Purchase | undefined {
      const one = find(key);
      return one?.kind === 'paid' && (addressesLast || !one.isEarlier) ? one : undefined;
    },
    delete: (key: string) => void known.delete(key),
    /** What an earlier process spent on it, or may have. */
    earlier(key: string): Purchase | SentEarlier | undefined {
      const one = find(key);
      return one?.kind === 'paid' && !one.isEarlier ? undefined : one;
    },
    begin(key: string, { guildId }: { readonly guildId?: string | undefined }) {
      const name = `${guildId} ${key}`;
      const kept = guildId === undefined ? undefined : rows;
      const set = (value: KeptPurchase) => kept?.set(name, { value, sinceMs: now() });
      return {
        /** Before each attempt that may be billed. */
        sent: () => set({}),
        paid(paid: PaidSound & { readonly credits: number }): void {
          const { url, credits, spokenBy } = paid;
          keep(key, { kind: 'paid', url, spokenBy, credits, atMs: now(), hasArrived: false, isEarlier: false });
          set({ paid: { url: url.href, credits, spokenBy } });
        },
        unbilled: () => kept?.delete(name),
        /** Resolves once what was noted is kept for the next process. Rejects with a StoreError. */
        written: async () => kept?.written(),
      };
    },
  };
}

export type Purchases = ReturnType<typeof createPurchases>;

function purchaseOf({ url, credits, spokenBy }: Required<KeptPurchase>['paid'], atMs: number): Purchase {
  return { kind: 'paid', url: new URL(url), spokenBy, credits, atMs, hasArrived: false, isEarlier: true };
}
