import { Events } from 'discord.js';
import { createDepartures, type Departures } from '../../services/privacy/departures.ts';
import { forgetServer, type KeptData, keptServers } from '../../services/privacy/stored-data.ts';
import { createVanishedVoices, type VanishedVoices } from './vanished-voices.ts';
import { createWelcome, type WelcomeOptions } from './welcome.ts';

/** Reactions to joining and leaving servers. */
interface ServerLife {
  readonly vanishedVoices: VanishedVoices;
  /** To be called after the login: handles the changes during the bot's absence. Never rejects. */
  start(): Promise<void>;
  /** Idempotent. */
  close(): Promise<void>;
}

interface ServerLifeOptions extends WelcomeOptions {
  readonly kept: readonly KeptData[];
}

export function createServerLife({ kept, ...options }: ServerLifeOptions): ServerLife {
  const { client, store, log } = options;
  const welcome = createWelcome(options);
  const departures: Departures = createDepartures({
    store,
    present: () => (client.isReady() ? new Set(client.guilds.cache.keys()) : undefined),
    keptServers: () => keptServers(kept),
    forget: (guildId) => forgetServer(kept, guildId),
    log,
  });
  // An outage is reported as GuildUnavailable.
  client.on(Events.GuildDelete, ({ id }) => void departures.left(id));
  client.on(Events.GuildCreate, ({ id }) => void departures.returned(id));

  return {
    vanishedVoices: createVanishedVoices(options),
    async start() {
      await Promise.all([departures.start(), welcome.start()]);
    },
    close: departures.close,
  };
}
