import { type Client, Events } from 'discord.js';
import type { Logger } from 'pino';
import { createDepartures, type Departures } from '../services/departures.ts';
import { forgetServer, type KeptData, keptServers } from '../services/kept-data.ts';
import type { Store } from '../services/store.ts';

/** What comes of joining and leaving servers. */
export interface ServerLife {
  /** To be called once logged in: looks at what happened while the bot was away. Never rejects. */
  start(): Promise<void>;
  /** Idempotent. */
  close(): Promise<void>;
}

interface ServerLifeOptions {
  readonly client: Client;
  readonly store: Pick<Store, 'table'>;
  readonly kept: readonly KeptData[];
  readonly log: Logger;
}

export function createServerLife({ client, store, kept, log }: ServerLifeOptions): ServerLife {
  const departures: Departures = createDepartures({
    store,
    present: () => (client.isReady() ? new Set(client.guilds.cache.keys()) : undefined),
    keptServers: () => keptServers(kept),
    forget: (guildId) => forgetServer(kept, guildId),
    log,
  });
  // An outage is GuildUnavailable.
  client.on(Events.GuildDelete, ({ id }) => void departures.left(id));
  client.on(Events.GuildCreate, ({ id }) => void departures.returned(id));

  return {
    start: departures.start,
    close: departures.close,
  };
}
