import { createOptOuts } from '../services/servers/opt-outs.ts';
import { createServerRules } from '../services/servers/server-rules.ts';
import { createSettings } from '../services/servers/server-settings.ts';
import type { DataFolder } from '../services/storage/data-folder.ts';
import { DATABASE_FILE } from '../services/storage/database.ts';
import { openSqliteStore, storeProblem } from '../services/storage/store.ts';
import { createServerDictionaries } from '../services/text/server-dictionaries.ts';
import { createMemberSettings } from '../services/voices/member-settings.ts';
import type { MonitoringStage } from './monitoring.ts';
import type { Startup } from './startup.ts';

export type StorageStage = ReturnType<typeof openStorage>;

/** The store, and the choices of members and servers in it. */
export function openStorage({ log, closeLater }: Startup, folder: DataFolder, { metrics, readiness }: MonitoringStage) {
  const databasePath = folder.privateFile(DATABASE_FILE);
  const store = openSqliteStore({ path: databasePath, log, onFailure: metrics.storeFailed });
  closeLater('the store', store.close, { keepsData: true });
  readiness.check('store', () => storeProblem(store));
  return {
    databasePath,
    store,
    ...createServerRules(createSettings(store), log),
    dictionaries: createServerDictionaries(store, log),
    members: createMemberSettings(store),
    optOuts: createOptOuts(store),
  };
}
