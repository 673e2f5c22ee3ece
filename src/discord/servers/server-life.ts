import { Events, ShardClientUtil } from 'discord.js';
import { createDepartures } from '../../services/privacy/departures.ts';
import { forgetServer, type KeptData, keptServers } from '../../services/privacy/stored-data.ts';
import { createVanishedVoices } from './vanished-voices.ts';
import { createWelcome, type WelcomeOptions } from './welcome.ts';

/** Reactions to joining and leaving servers. */
export function createServerLife({ kept, ...options }: WelcomeOptions & { readonly kept: readonly KeptData[] }) {
  const { client, store, log } = options;
  const welcome = createWelcome(options);
  const shardOf = (guildId: string) => ShardClientUtil.shardIdForGuildId(guildId, client.options.shardCount ?? 1);
  const departures = createDepartures({
    store,
    present: () => (client.isReady() ? new Set(client.guilds.cache.keys()) : undefined),
    // Other processes have the servers of other shards. A key that is no id has none: all look after it.
    concerns: (guildId) => !/^\d+$/.test(guildId) || client.ws.shards.has(shardOf(guildId)),
    keptServers: () => keptServers(kept),
    forget: (guildId) => forgetServer(kept, guildId),
    log,
  });
  // An outage is reported as GuildUnavailable.
  client.on(Events.GuildDelete, ({ id }) => void departures.left(id));
  client.on(Events.GuildCreate, ({ id }) => void departures.returned(id));

  return {
    vanishedVoices: createVanishedVoices(options),
    /** To be called after the login: handles the changes during the bot's absence. Never rejects. */
    async start() {
      await Promise.all([departures.start(), welcome.start()]);
    },
    close: departures.close,
  };
}
