import type { Logger } from 'pino';
import { createRecords } from '../storage/records.ts';
import type { Store } from '../storage/store.ts';
import { dictionarySchema } from './dictionary-file.ts';
import { createDictionary, type Dictionary, type DictionaryEntry } from './dictionary-rules.ts';

export type DictionaryEntries = readonly DictionaryEntry[];

/** How words are pronounced in each server, by server id. */
export interface ServerDictionaries {
  /** As they are in the store. Rejects with a StoreError. */
  entries(guildId: string): Promise<DictionaryEntries>;
  /**
   * Changes the dictionary of a server and resolves with what it was and is; two changes at once are made one after the
   * other. Rejects with a StoreError, or with what `edit` throws: then nothing was changed.
   */
  change(
    guildId: string,
    edit: (before: DictionaryEntries) => DictionaryEntries,
  ): Promise<{ readonly before: DictionaryEntries; readonly after: DictionaryEntries }>;
  /**
   * Ready for use, read the first time. A store that does not answer keeps nobody from speaking: until it does, words
   * are spoken as they are written, which is logged.
   */
  of(guildId: string): Promise<Dictionary>;
  /** Deletes what is kept of a server. Rejects with a StoreError. */
  forget(guildId: string): Promise<void>;
}

const NONE = createDictionary([]);

export function createServerDictionaries(store: Pick<Store, 'table'>, log: Logger): ServerDictionaries {
  const records = createRecords<DictionaryEntries>(store.table('server-dictionary', dictionarySchema), []);
  const compiled = new Map<string, Dictionary>();
  /** What was read before a change is no longer what holds. */
  let changes = 0;

  async function change(guildId: string, edit: (before: DictionaryEntries) => DictionaryEntries) {
    try {
      return await records.change(guildId, edit);
    } finally {
      // After a failure, too: whether it was written is not known then.
      changes += 1;
      compiled.delete(guildId);
    }
  }

  return {
    entries: (guildId) => records.get(guildId),
    change,
    async of(guildId) {
      const known = compiled.get(guildId);
      if (known) return known;
      const changesBefore = changes;
      try {
        const entries = await records.get(guildId);
        const dictionary = entries.length === 0 ? NONE : createDictionary(entries);
        if (changes === changesBefore) compiled.set(guildId, dictionary);
        return dictionary;
      } catch (error) {
        log.warn({ err: error, guildId }, 'The dictionary of a server is not known: words are spoken as written');
        return NONE;
      }
    },
    forget: async (guildId) => void (await change(guildId, () => [])),
  };
}
