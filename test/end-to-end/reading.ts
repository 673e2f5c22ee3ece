import { join } from 'node:path';
import type { Person, WorldServer } from '../../src/playground/world/world.ts';
import { createSettings, type ServerSettings } from '../../src/services/servers/server-settings.ts';
import { DATABASE_FILE, openDatabase, sqlOf } from '../../src/services/storage/database.ts';
import { createStore } from '../../src/services/storage/store.ts';
import { silentLog } from '../silent-log.ts';
import type { Scene, SceneOptions } from './scene.ts';

/** A bot that may read messages, at a Discord that lets it. */
export const READS: SceneOptions = {
  world: { privilegedIntents: ['MessageContent'] },
  env: { READ_MESSAGES: 'on' },
};

/** Sets a server's settings, all at once; resolves when the bot has them. */
export async function choose(
  scene: Scene,
  settings: ServerSettings,
  { server = scene.world, admin = server.member('olga') }: { server?: WorldServer; admin?: Person } = {},
): Promise<void> {
  const sql = sqlOf(openDatabase(join(scene.dataDir, DATABASE_FILE), silentLog));
  const store = createStore({ sql, log: silentLog });
  try {
    await createSettings(store).change(server.guildId, () => settings);
  } finally {
    await store.close();
  }
  // A look at the settings reads them anew.
  const shown = await (await admin.types('/settings panel')).reply();
  if (shown.failed) throw new Error(`The settings were not read anew: ${shown.text}`);
}

/** The queued items in order, as /queue shows them: 'Alice: words'. */
export async function waiting(asker: Person): Promise<string[]> {
  const reply = await (await asker.types('/queue')).reply();
  return reply.text.split('\n').flatMap((line) => {
    const { who, words } = /^\d+\. (?<who>.+?): “(?<words>.*)”/u.exec(line)?.groups ?? {};
    return who === undefined ? [] : [`${who} ${words}`];
  });
}
