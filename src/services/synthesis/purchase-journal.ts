import type { KeptRows } from '../storage/kept-rows.ts';

/** What became of a request that another process of this bot sent a short while ago. */
export type EarlierPurchase =
  /** That process ended before the answer came: it may be billed. */
  { readonly kind: 'sent' } | PaidEarlier;

/** Where sound is that was paid for. */
export interface PaidSound {
  readonly url: URL;
  /** The voice that spoke in place of the one that was asked for. */
  readonly spokenBy?: string | undefined;
}

interface PaidEarlier extends PaidSound {
  readonly kind: 'paid';
  readonly credits: number;
  /** Since 1970. */
  readonly atMs: number;
}

/** The sound of one request, as far as it is known before it is asked for. */
export type RecalledPurchase =
  | { readonly kind: 'to-buy' | 'maybe-billed' }
  | { readonly kind: 'at-hand'; readonly paid?: PaidEarlier };

/** As it is kept: sent, and then where its sound is. */
export interface KeptPurchase {
  readonly paid?: { readonly url: string; readonly credits: number; readonly spokenBy?: string | undefined };
}

/** What was sent and what was paid in one server, by the keys of the sounds. */
export interface PurchaseRecord {
  /** Before each attempt that may be billed. */
  sent(key: string): void;
  paid(key: string, purchase: PaidSound & { readonly credits: number }): void;
  /** It was not billed. */
  unbilled(key: string): void;
  /** Resolves once what was noted is kept for the next process. Rejects with a StoreError. */
  written(): Promise<void>;
}

/** An end of the process must not have the same sound paid again. */
export interface PurchaseJournal {
  /** As an earlier process left it, by the keys of the sounds. */
  readonly earlier: ReadonlyMap<string, EarlierPurchase>;
  /** Where what a server's members buy is written down; undefined where it is not. */
  of(payer: { readonly guildId?: string | undefined }): PurchaseRecord | undefined;
}

/** As long as what was spoken can be saved or spoken again. */
export const PURCHASES_KEPT_MS = 15 * 60_000;

/** `isKept` in the server with that id. */
export function createPurchaseJournal(
  rows: KeptRows<KeptPurchase>,
  isKept: (guildId: string) => boolean,
  now: () => number = Date.now,
): PurchaseJournal {
  const earlier = new Map(
    rows.entries().map(([name, { value, sinceMs }]) => {
      const [, key = ''] = name.split(' ');
      return [key, earlierOf(value, sinceMs)] as const;
    }),
  );

  return {
    earlier,
    of({ guildId }) {
      if (guildId === undefined || !isKept(guildId)) return undefined;
      const set = (key: string, value: KeptPurchase) => rows.set(`${guildId} ${key}`, { value, sinceMs: now() });
      return {
        sent: (key) => set(key, {}),
        paid: (key, { url, credits, spokenBy }) => set(key, { paid: { url: url.href, credits, spokenBy } }),
        unbilled: (key) => rows.delete(`${guildId} ${key}`),
        written: rows.written,
      };
    },
  };
}

function earlierOf({ paid }: KeptPurchase, atMs: number): EarlierPurchase {
  if (!paid) return { kind: 'sent' };
  const { url, credits, spokenBy } = paid;
  return { kind: 'paid', url: new URL(url), spokenBy, credits, atMs };
}
