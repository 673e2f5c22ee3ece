import type { Hub } from './hub.ts';
import type { Channel, Guild, Member, Role } from './model.ts';
import { channelPayload, guildCreatePayload, memberPayload, rolePayload } from './payloads.ts';
import { applySpeakPermission, botLeaves } from './voice-states.ts';

export function publishGuildCreate(hub: Hub, guild: Guild): void {
  hub.publish({
    name: 'GUILD_CREATE',
    guildId: guild.id,
    always: false,
    render: (intents) => guildCreatePayload(hub.model, guild, intents),
  });
}

/** GUILD_DELETE without the field `unavailable` is no outage (events/gateway-events#guild-delete). */
export function leaveGuild(hub: Hub, guild: Guild): void {
  botLeaves(hub, guild, 'left');
  guild.members.delete(hub.model.application.botId);
  hub.announce(guild.id, 'GUILD_DELETE', { id: guild.id });
}

/** Announces a changed member. A bot without the intent GuildMembers gets only changes of itself. */
export function publishMember(hub: Hub, member: Member): void {
  const payload = { guild_id: member.guildId, ...memberPayload(hub.model, member) };
  const always = member.userId === hub.model.application.botId;
  hub.publish({ name: 'GUILD_MEMBER_UPDATE', guildId: member.guildId, always, render: () => payload });
  const guild = hub.model.guilds.get(member.guildId);
  if (guild) applySpeakPermission(hub, guild);
}

export function publishRole(hub: Hub, guild: Guild, role: Role, name: 'GUILD_ROLE_CREATE' | 'GUILD_ROLE_UPDATE'): void {
  hub.announce(guild.id, name, { guild_id: guild.id, role: rolePayload(role) });
  applySpeakPermission(hub, guild);
}

export function publishChannel(
  hub: Hub,
  guild: Guild,
  channel: Channel,
  name: 'CHANNEL_CREATE' | 'CHANNEL_UPDATE',
): void {
  const payload = channelPayload(hub.model, channel);
  if (channel.kind !== 'thread') hub.announce(guild.id, name, payload);
  else if (name === 'CHANNEL_UPDATE') hub.announce(guild.id, 'THREAD_UPDATE', payload);
  else hub.announce(guild.id, 'THREAD_CREATE', { ...payload, newly_created: true });
  applySpeakPermission(hub, guild);
}
