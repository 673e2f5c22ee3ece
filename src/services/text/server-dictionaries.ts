import type { Logger } from 'pino';
import { createRecords } from '../storage/editable-records.ts';
import type { Store } from '../storage/store.ts';
import { dictionarySchema } from './dictionary-file.ts';
import { createDictionary, type Dictionary, type DictionaryEntry } from './dictionary-rules.ts';

export type DictionaryEntries = readonly DictionaryEntry[];

const NONE = createDictionary([]);

/** The pronunciation dictionary of each server, by server id. */
export function createServerDictionaries(store: Pick<Store, 'table'>, log: Logger) {
  const records = createRecords<DictionaryEntries>(store.table('server-dictionary', dictionarySchema), []);
  const compiled = new Map<string, Dictionary>();
  /** Values read before a change are outdated. */
  let changes = 0;

  /**
   * Changes the dictionary of a server and resolves with the entries before and after; concurrent changes are made one after
   * the other. Rejects with a StoreError, or with the error of `edit`: then nothing was changed.
   */
  async function change(guildId: string, edit: (before: DictionaryEntries) => DictionaryEntries) {
    try {
      return await records.change(guildId, edit);
    } finally {
      // After a failure, too: whether it was written is unknown.
      changes += 1;
      compiled.delete(guildId);
    }
  }

  return {
    /** Another process may have changed the dictionary of a server, or of any: it is read with its next use. */
    changedElsewhere(guildId?: string): void {
      changes += 1;
      if (guildId === undefined) compiled.clear();
      else compiled.delete(guildId);
    },
    /** The stored entries. Rejects with a StoreError. */
    entries: (guildId: string) => records.get(guildId),
    change,
    /**
     * The compiled dictionary, read once. A store that does not answer must not prevent speech: until it does, words are
     * spoken as written, which is logged.
     */
    async of(guildId: string): Promise<Dictionary> {
      const known = compiled.get(guildId);
      if (known) return known;
      const changesBefore = changes;
      try {
        const entries = await records.get(guildId);
        const dictionary = entries.length === 0 ? NONE : createDictionary(entries);
        if (changes === changesBefore) compiled.set(guildId, dictionary);
        return dictionary;
      } catch (error) {
        log.warn({ err: error, guildId }, 'The dictionary of a server could not be read: words are spoken as written');
        return NONE;
      }
    },
    /** Deletes the stored data of a server. Rejects with a StoreError. */
    forget: async (guildId: string) => void (await change(guildId, () => [])),
  };
}

export type ServerDictionaries = ReturnType<typeof createServerDictionaries>;
