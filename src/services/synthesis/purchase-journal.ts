import type { DatabaseSync } from 'node:sqlite';
import type { Logger } from 'pino';
import type { ValueCipher } from '../storage/value-cipher.ts';

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

/** What was sent and what was paid, by the keys of the sounds: an end of the process must not have it paid again. */
export interface PurchaseJournal {
  /** As an earlier process left it. */
  readonly earlier: ReadonlyMap<string, EarlierPurchase>;
  /** Before each attempt that may be billed. */
  sent(key: string): void;
  paid(key: string, purchase: PaidSound & { readonly credits: number }): void;
  /** It was not billed. */
  unbilled(key: string): void;
}

/** As long as what was spoken can be saved or spoken again. */
export const PURCHASES_KEPT_MS = 15 * 60_000;

interface PurchaseJournalOptions {
  readonly database: DatabaseSync;
  readonly seal: ValueCipher;
  readonly log: Logger;
  readonly now?: () => number;
}

export function createPurchaseJournal({
  database,
  seal,
  log,
  now = Date.now,
}: PurchaseJournalOptions): PurchaseJournal {
  const sql = {
    sent: database.prepare('INSERT OR REPLACE INTO purchases (key, at_ms, paid) VALUES (?, ?, NULL)'),
    paid: database.prepare('INSERT OR REPLACE INTO purchases (key, at_ms, paid) VALUES (?, ?, ?)'),
    delete: database.prepare('DELETE FROM purchases WHERE key = ?'),
    deleteOld: database.prepare('DELETE FROM purchases WHERE at_ms <= ?'),
    all: database.prepare('SELECT key, at_ms, paid FROM purchases'),
  };
  let tidiedAtMs = 0;

  function attempt(work: () => void): void {
    try {
      work();
      if (now() - tidiedAtMs < 60_000) return;
      tidiedAtMs = now();
      sql.deleteOld.run(now() - PURCHASES_KEPT_MS);
    } catch (error) {
      log.warn({ err: error }, 'What is being paid for cannot be written down for the next start');
    }
  }

  function read(): Map<string, EarlierPurchase> {
    sql.deleteOld.run(now() - PURCHASES_KEPT_MS);
    return new Map(
      sql.all.all().map(({ key, at_ms: atMs, paid }) => {
        const name = String(key);
        const opened = paid === null ? undefined : seal.open(name, paid as Uint8Array);
        // What was paid and cannot be read may be billed as well.
        return [name, opened === undefined ? { kind: 'sent' } : purchaseOf(opened as Packed, Number(atMs))];
      }),
    );
  }

  return {
    earlier: read(),
    sent: (key) => attempt(() => sql.sent.run(key, now())),
    paid: (key, { url, credits, spokenBy }) =>
      attempt(() => sql.paid.run(key, now(), seal.close(key, { url: url.href, credits, spokenBy } satisfies Packed))),
    unbilled: (key) => attempt(() => sql.delete.run(key)),
  };
}

interface Packed {
  readonly url: string;
  readonly credits: number;
  readonly spokenBy?: string | undefined;
}

const purchaseOf = ({ url, credits, spokenBy }: Packed, atMs: number): EarlierPurchase => ({
  kind: 'paid',
  url: new URL(url),
  spokenBy,
  credits,
  atMs,
});
