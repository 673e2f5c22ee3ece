import { type Client, Events, GatewayDispatchEvents, type GatewayReadyDispatchData, type Guild } from 'discord.js';

/**
 * Emits GuildDelete for servers that removed the bot while its session was lost: a new session lists the current servers
 * (those with an outage too), and no event follows for the others. discord.js only adds to its cache
 * (https://github.com/discordjs/discord.js/issues/11546).
 */
export function noticeMissedRemovals(client: Client): void {
  client.ws.on(GatewayDispatchEvents.Ready, ({ guilds }: GatewayReadyDispatchData, shardId: number) => {
    const present = new Set(guilds.map(({ id }) => id));
    for (const guild of client.guilds.cache.values()) {
      if (guild.shardId === shardId && !present.has(guild.id)) remove(client, guild);
    }
  });
}

/** The same steps as discord.js takes after a removal event. */
function remove(client: Client, guild: Guild): void {
  for (const channelId of guild.channels.cache.keys()) client.channels.cache.delete(channelId);
  client.voice.adapters.get(guild.id)?.destroy();
  client.guilds.cache.delete(guild.id);
  client.emit(Events.GuildDelete, guild);
}
