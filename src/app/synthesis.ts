import { join } from 'node:path';
import * as z from 'zod';
import type { AudioPipeline } from '../audio/making/pipeline.ts';
import { isFree, soundServiceOf } from '../config/config.ts';
import {
  type AcceptedText,
  createUnspokenKeeper,
  type KeptWords,
  ORIGIN_KEPT_MS,
  WORDS_KEPT_MS,
} from '../services/playback/unspoken.ts';
import { createValueCipher, openKeptRows } from '../services/storage/kept-rows.ts';
import type { Table } from '../services/storage/store.ts';
import type { SoundStore } from '../services/synthesis/buying.ts';
import { openDiskCache } from '../services/synthesis/disk-cache.ts';
import {
  cacheSecret,
  createCacheKey,
  createPurchases,
  createSoundStore,
  type KeptPurchase,
  PURCHASES_KEPT_MS,
  type SoundScope,
} from '../services/synthesis/sound-store.ts';
import { createSynthesizer } from '../services/synthesis/synthesis.ts';
import type { Credits, SpeechStage } from './speech.ts';
import type { Startup } from './startup.ts';
import type { StorageStage } from './storage.ts';

export async function openSynthesis(
  startup: Startup,
  storage: StorageStage,
  { source, voices }: SpeechStage,
  { speech, spending, paidAudio }: Credits,
  pipeline: AudioPipeline,
) {
  const { config, log, closeLater, stopping, metrics } = startup;
  const scope = { service: soundServiceOf(config.speech), apiKey: source.apiKey };
  const { unspoken, purchases } = await openUnspoken(startup, storage, scope);
  const { memoryBytes } = config.audioCache;
  const store: SoundStore = createSoundStore({ memoryBytes, disk: openDisk(startup), log });
  metrics.watch({ cache: store.use });
  const synthesizer = createSynthesizer({
    pipeline,
    speech,
    spending,
    paidAudio,
    purchases,
    store,
    stopping,
    keyOf: createCacheKey(scope),
    onPartAudio: (ms) => metrics.firstAudio({ kind: 'part', ms }),
    models: () => voices.known()?.models,
    isFree: isFree(config.speech),
  });
  closeLater('the synthesis', synthesizer.close);
  return { synthesizer, unspoken };
}

/** Undefined if the audio cache on disk is off or cannot be opened. */
function openDisk({ config, folder, log }: Startup) {
  const { diskBytes } = config.audioCache;
  if (diskBytes === 0) return undefined;
  try {
    return openDiskCache({ path: join(folder.path, 'clips'), maxBytes: diskBytes, log });
  } catch (error) {
    log.warn({ err: error }, 'Could not open the disk cache: caching in memory only');
    return undefined;
  }
}

/** Opens the stored texts and paid requests, with which the bot speaks accepted texts after a restart without paying twice. */
async function openUnspoken(
  { config, log, closeLater }: Startup,
  { store, ownership }: StorageStage,
  scope: SoundScope,
) {
  // Stored texts and records of paid audio are encrypted, so that no other account can read them.
  const seal = createValueCipher(cacheSecret(scope));
  const isKept = config.resumesTexts;

  async function open<Value>(table: Table<string>, keptMs: number) {
    const rows = await openKeptRows<Value>({ table, seal, keptMs, owns: ownership.owns, log });
    closeLater('the queued texts', rows.close, { keepsData: true });
    if (!isKept) for (const [key] of rows.entries()) rows.delete(key);
    return rows;
  }

  const unspoken = createUnspokenKeeper({
    texts: await open<AcceptedText>(store.table('accepted-texts', z.string()), ORIGIN_KEPT_MS),
    words: await open<KeptWords>(store.table('accepted-words', z.string()), WORDS_KEPT_MS),
    isKept,
  });
  const paid = await open<KeptPurchase>(store.table('accepted-purchases', z.string()), PURCHASES_KEPT_MS);
  const purchases = createPurchases({
    rows: isKept && !isFree(config.speech) ? paid : undefined,
    // After a restart, even paid audio of the built-in speech service cannot be downloaded again: the service forgets the addresses.
    addressesLast: config.speech.kind === 'service',
  });
  return { unspoken, purchases };
}
