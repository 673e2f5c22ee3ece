import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { isFree } from '../config/config.ts';
import { createUnspokenKeeper, type KeptOrigin, type KeptWords } from '../services/playback/unspoken-keeper.ts';
import { createUnspokenTexts, ORIGIN_KEPT_MS, openOrigin, WORDS_KEPT_MS } from '../services/queue/unspoken-texts.ts';
import type { DataFolder } from '../services/storage/data-folder.ts';
import { openUnspokenFile, UNSPOKEN_FILE } from '../services/storage/unspoken-file.ts';
import { createValueCipher, type ValueCipher } from '../services/storage/value-cipher.ts';
import type { PurchaseRecords } from '../services/synthesis/buying.ts';
import { cacheSecret } from '../services/synthesis/cache-key.ts';
import {
  createPurchaseJournal,
  PURCHASES_KEPT_MS,
  type PurchaseJournal,
} from '../services/synthesis/purchase-journal.ts';
import type { Startup } from './startup.ts';
import type { StorageStage } from './storage.ts';
import { textScope } from './synthesis.ts';

interface UnspokenNeeds {
  readonly folder: DataFolder;
  readonly apiKey: string;
  readonly storage: Pick<StorageStage, 'rules' | 'openUnspoken'>;
}

/** What outlives the process for some minutes: texts that were accepted and not spoken, and what was paid for them. */
export async function openUnspoken(startup: Startup, { folder, apiKey, storage }: UnspokenNeeds) {
  const { config, log, closeLater } = startup;
  const { rules } = storage;
  // Texts and sounds of one account can be read by the same account alone.
  const seal = createValueCipher(cacheSecret(textScope(config.speech, apiKey)));
  const { database, isKept, ...place } = await openPlace(startup, { folder, seal, storage });
  closeLater('the texts that wait', place.close, { keepsData: true });
  const isOn = (guildId: string) => isKept && rules.known(guildId).resumeTexts;
  const keeps = (guildId: string) => (isOn(guildId) ? 'texts' : isKept ? 'origins' : 'nothing');
  const texts = createUnspokenTexts<KeptWords, KeptOrigin>({ database, seal, log });
  const keeper = createUnspokenKeeper({ texts, keeps });
  closeLater('the keeping of texts that wait', keeper.close);
  rules.onChanged(keeper.rulesChanged);
  const addressesLast = config.speech.kind === 'service';
  const journal = isFree(config.speech) ? undefined : createPurchaseJournal({ database, seal, log });
  return {
    keeper,
    journal: journal && recordsOf(journal),
    /** Of a member, left by processes that ended, where several share a store. */
    forgetLeftBehind: place.forgetMember,
  };

  /** The addresses of the local voice end with it, also where its engines have a price. */
  function recordsOf(journal: PurchaseJournal): PurchaseRecords {
    const record = { ...journal, written: place.written };
    return {
      earlier: journal.earlier,
      addressesLast,
      of: ({ guildId }) => (guildId !== undefined && isOn(guildId) ? record : undefined),
    };
  }
}

interface Place {
  readonly database: DatabaseSync;
  readonly isKept: boolean;
  readonly written?: () => Promise<void>;
  readonly forgetMember?: (userId: string) => Promise<void>;
  readonly close: () => Promise<void> | void;
}

interface PlaceNeeds {
  readonly folder: DataFolder;
  readonly seal: ValueCipher;
  readonly storage: Pick<StorageStage, 'openUnspoken'>;
}

async function openPlace(startup: Startup, { folder, seal, storage }: PlaceNeeds): Promise<Place> {
  if (!storage.openUnspoken) {
    const { database, isKept } = openFile(startup, folder);
    return { database, isKept, close: () => database.close() };
  }
  const mirror = await storage.openUnspoken({
    ownerOf: (id, origin) => openOrigin(seal, id, origin) as KeptOrigin | undefined,
    keptMs: { words: WORDS_KEPT_MS, texts: ORIGIN_KEPT_MS, purchases: PURCHASES_KEPT_MS },
  });
  deleteFile(folder);
  return { ...mirror, isKept: startup.config.resumesTexts };
}

/** Where nothing is to be kept, or nothing can be, everything goes on without it. */
function openFile({ config, log }: Startup, folder: DataFolder): { database: DatabaseSync; isKept: boolean } {
  try {
    if (config.resumesTexts) return { database: openUnspokenFile(folder.privateFile(UNSPOKEN_FILE)), isKept: true };
    deleteFile(folder);
  } catch (error) {
    log.warn({ err: error }, 'Texts that wait cannot be kept: a restart loses them');
  }
  return { database: openUnspokenFile(':memory:'), isKept: false };
}

function deleteFile({ path }: DataFolder): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(join(path, `${UNSPOKEN_FILE}${suffix}`), { force: true });
}
