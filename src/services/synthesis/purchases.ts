import type { KeptRows } from '../storage/kept-rows.ts';

export interface PaidSound {
  readonly url: URL;
  /** The voice that the speech service used instead of the requested voice. */
  readonly spokenBy: string | undefined;
}

/** Paid audio, which can be downloaded again from its address for free. */
export interface Purchase extends PaidSound {
  readonly kind: 'paid';
  readonly credits: number;
  readonly atMs: number;
  /**
   * True if an earlier process paid for the audio. If its download fails before it has arrived in this process, the
   * request fails: a restored text is not paid twice without a new request.
   */
  readonly isEarlier: boolean;
  /** True if the whole audio has arrived before. If a later download fails, it has expired and is bought again. */
  hasArrived: boolean;
}

/** A paid request that an earlier process sent and that had no answer when that process ended. It may be billed. */
interface SentEarlier {
  readonly kind: 'sent';
  readonly atMs: number;
}

/** The state of a request's audio: to be bought, maybe billed already, or available. */
export type RecalledPurchase =
  | { readonly kind: 'to-buy' | 'maybe-billed' }
  | { readonly kind: 'at-hand'; readonly paid?: { readonly credits: number; readonly atMs: number } };

/** The stored record of a paid request, for the next process. `paid` is missing until the answer arrives. */
export interface KeptPurchase {
  readonly paid?: { readonly url: string; readonly credits: number; readonly spokenBy?: string | undefined };
}

interface PurchasesOptions {
  /** Stored records, so that audio is not paid twice after a restart; undefined if nothing is stored. */
  readonly rows: KeptRows<KeptPurchase> | undefined;
  /** False for the built-in speech service: it forgets the addresses of its audio when the bot's process ends. */
  readonly addressesLast: boolean;
}

/** As long as a text can be saved or replayed (replay-history.ts). Services do not state how long addresses last. */
export const PURCHASES_KEPT_MS = 15 * 60_000;

/** Speech requests that were sent or paid in the last 15 minutes, by the key of their audio. */
export function createPurchases({ rows, addressesLast }: PurchasesOptions) {
  /** Purchases and sent requests by the key of their audio, the oldest first. */
  const known = new Map<string, Purchase | SentEarlier>();
  for (const [name, { value, sinceMs: atMs }] of rows?.entries() ?? []) {
    const [, key = ''] = name.split(' ');
    known.set(key, value.paid ? purchaseOf(value.paid, atMs) : { kind: 'sent', atMs });
  }

  const isOld = ({ atMs }: { readonly atMs: number }) => Date.now() - atMs > PURCHASES_KEPT_MS;

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
    /** The purchase from which a request's audio can be downloaded again; undefined if there is none. */
    of(key: string): Purchase | undefined {
      const one = find(key);
      return one?.kind === 'paid' && (addressesLast || !one.isEarlier) ? one : undefined;
    },
    delete: (key: string) => void known.delete(key),
    earlier(key: string): Purchase | SentEarlier | undefined {
      const one = find(key);
      return one?.kind === 'paid' && !one.isEarlier ? undefined : one;
    },
    begin(key: string, { guildId }: { readonly guildId?: string | undefined }) {
      const name = `${guildId} ${key}`;
      const kept = guildId === undefined ? undefined : rows;
      const before = kept?.get(name);
      const set = (value: KeptPurchase) => kept?.set(name, { value, sinceMs: Date.now() });
      return {
        /** Must be called before each attempt that may be billed. */
        sent: () => set({}),
        paid(paid: PaidSound & { readonly credits: number }): void {
          const { url, credits, spokenBy } = paid;
          keep(key, { kind: 'paid', url, spokenBy, credits, atMs: Date.now(), hasArrived: false, isEarlier: false });
          set({ paid: { url: url.href, credits, spokenBy } });
        },
        /** Must be called if the request was not billed. An earlier record is restored: it may still be billed. */
        unbilled: () => (before ? kept?.set(name, before) : kept?.delete(name)),
        /** Resolves when the records of paid requests are stored for the next process. Rejects with a StoreError. */
        written: async () => kept?.written(),
      };
    },
  };
}

export type Purchases = ReturnType<typeof createPurchases>;

function purchaseOf({ url, credits, spokenBy }: Required<KeptPurchase>['paid'], atMs: number): Purchase {
  return { kind: 'paid', url: new URL(url), spokenBy, credits, atMs, hasArrived: false, isEarlier: true };
}
