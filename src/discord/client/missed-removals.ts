import { type Client, Events, GatewayDispatchEvents, type GatewayReadyDispatchData, type Guild } from 'discord.js';

/**
 * Takes leave of the servers that removed the bot while its session was lost, as if Discord had told: a new session
 * lists the servers that are left (those with an outage too), and of the others nothing ever comes again. discord.js
 * only adds to what it knows (https://github.com/discordjs/discord.js/issues/11546).
 */
export function noticeMissedRemovals(client: Client): void {
  client.ws.on(GatewayDispatchEvents.Ready, ({ guilds }: GatewayReadyDispatchData, shardId: number) => {
    const present = new Set(guilds.map(({ id }) => id));
    for (const guild of client.guilds.cache.values()) {
      if (guild.shardId === shardId && !present.has(guild.id)) remove(client, guild);
    }
  });
}

/** What discord.js does when it is told of a removal. */
function remove(client: Client, guild: Guild): void {
  for (const channelId of guild.channels.cache.keys()) client.channels.cache.delete(channelId);
  client.voice.adapters.get(guild.id)?.destroy();
  client.guilds.cache.delete(guild.id);
  client.emit(Events.GuildDelete, guild);
}
