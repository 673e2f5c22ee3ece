import { ownsAll } from '../services/cells/ownership.ts';
import { createOptOuts, createServerRules } from '../services/servers/admission.ts';
import { createSettings } from '../services/servers/server-settings.ts';
import { DATABASE_FILE, openDatabase, sqlOf } from '../services/storage/database.ts';
import { createStore } from '../services/storage/store.ts';
import { createServerDictionaries } from '../services/text/dictionary.ts';
import { SpokenTexts } from '../services/text/spoken-text.ts';
import type { StorageBackend } from './shared-store.ts';
import type { Startup } from './startup.ts';

export type StorageStage = Awaited<ReturnType<typeof openStorage>>;

export async function openStorage(startup: Startup) {
  const { log, readiness } = startup;
  const backend = await openBackend(startup);
  const { store, followChanges, ...own } = backend;
  readiness.check('store', store.problem);
  const settings = createServerRules(createSettings(store), log);
  const dictionaries = createServerDictionaries(store, log);
  const optOuts = createOptOuts(store);
  followChanges({
    'server-settings': settings.changedElsewhere,
    'server-dictionary': dictionaries.changedElsewhere,
    'opt-outs': (userId) =>
      optOuts
        .changedElsewhere(userId)
        .catch((error: unknown) =>
          log.warn({ err: error, userId }, 'Could not reload opt-outs: opted-out members may still be read'),
        ),
  });
  return { store, settings, texts: new SpokenTexts(settings, dictionaries), optOuts, ...own };
}

/** An SQLite file that only this process uses, or a PostgreSQL database that several processes share. */
async function openBackend(startup: Startup): Promise<StorageBackend> {
  const { config, log, closeLater, folder, metrics } = startup;
  if (config.store.kind === 'postgres') {
    const { openSharedStore } = await import('./shared-store.ts');
    return openSharedStore(startup, config.store.url);
  }
  const sql = sqlOf(openDatabase(folder.privateFile(DATABASE_FILE), log));
  const store = createStore({ sql, log, onFailure: metrics.storeFailed });
  closeLater('the store', store.close, { keepsData: true });
  return { sql, store, ownership: ownsAll(store, log), followChanges: () => undefined };
}
