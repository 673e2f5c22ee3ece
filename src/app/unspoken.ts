import * as z from 'zod';
import { isFree } from '../config/config.ts';
import {
  type AcceptedText,
  createUnspokenKeeper,
  type KeptWords,
  ORIGIN_KEPT_MS,
  WORDS_KEPT_MS,
} from '../services/playback/unspoken-keeper.ts';
import { openKeptRows } from '../services/storage/kept-rows.ts';
import type { Table } from '../services/storage/store.ts';
import { createValueCipher } from '../services/storage/value-cipher.ts';
import type { PurchaseRecords } from '../services/synthesis/buying.ts';
import { cacheSecret } from '../services/synthesis/cache-key.ts';
import { createPurchaseJournal, type KeptPurchase, PURCHASES_KEPT_MS } from '../services/synthesis/purchase-journal.ts';
import type { Startup } from './startup.ts';
import type { StorageStage } from './storage.ts';
import { textScope } from './synthesis.ts';

interface UnspokenNeeds {
  readonly apiKey: string;
  readonly storage: Pick<StorageStage, 'store' | 'owns'>;
}

/** What outlives the process for some minutes: texts that were accepted and not spoken, and what was paid for them. */
export async function openUnspoken({ config, log, closeLater }: Startup, { apiKey, storage }: UnspokenNeeds) {
  const { store, owns } = storage;
  // Texts and sounds of one account can be read by the same account alone.
  const seal = createValueCipher(cacheSecret(textScope(config.speech, apiKey)));
  const isKept = config.resumesTexts;

  async function open<Value>(table: Table<string>, keptMs: number) {
    const rows = await openKeptRows<Value>({ table, seal, keptMs, owns, log });
    closeLater('the texts that wait', rows.close, { keepsData: true });
    if (!isKept) for (const [key] of rows.entries()) rows.delete(key);
    return rows;
  }

  const keeper = createUnspokenKeeper({
    texts: await open<AcceptedText>(store.table('accepted-texts', z.string()), ORIGIN_KEPT_MS),
    words: await open<KeptWords>(store.table('accepted-words', z.string()), WORDS_KEPT_MS),
    isKept,
  });
  const purchases = await open<KeptPurchase>(store.table('accepted-purchases', z.string()), PURCHASES_KEPT_MS);
  const journal: PurchaseRecords = {
    ...createPurchaseJournal(purchases, () => isKept),
    // The addresses of the local voice end with it, also where its engines have a price.
    addressesLast: config.speech.kind === 'service',
  };
  return { keeper, journal: isFree(config.speech) ? undefined : journal };
}
