import { type Client, Events, GatewayDispatchEvents, type GatewayDispatchPayload } from 'discord.js';

/**
 * Servers in which a moderator has muted the bot. A mute outlasts the bot's leaving and its process, and Discord lifts it
 * only while the bot is in voice; discord.js knows it only of members in voice.
 */
const muted = new WeakMap<Client, Set<string>>();

/** Follows what Discord says of the bot as a member, from the first event on. */
export function followOwnMute(client: Client): void {
  const servers = new Set<string>();
  muted.set(client, servers);
  client.on(Events.Raw, ({ t: event, d: data }: GatewayDispatchPayload) => {
    const note = (guildId: string | undefined, userId: string | undefined, mute: boolean | undefined) => {
      if (guildId === undefined || mute === undefined || userId !== client.user?.id) return;
      if (mute) servers.add(guildId);
      else servers.delete(guildId);
    };
    switch (event) {
      case GatewayDispatchEvents.GuildCreate:
        // With an outage it has nothing but its id: https://discord.com/developers/docs/events/gateway-events#guild-create
        for (const { user, mute } of data.members ?? []) note(data.id, user.id, mute);
        return;
      case GatewayDispatchEvents.GuildMemberUpdate:
        note(data.guild_id, data.user.id, data.mute);
        return;
      case GatewayDispatchEvents.VoiceStateUpdate:
        note(data.guild_id, data.user_id, data.mute);
    }
  });
}

/** It was muted when Discord last spoke of it, and is in no channel in which that can have been lifted. */
export function wasMutedBefore(client: Client, guildId: string): boolean {
  const own = client.guilds.cache.get(guildId)?.members.me?.voice;
  return !own?.channelId && (muted.get(client)?.has(guildId) ?? false);
}
