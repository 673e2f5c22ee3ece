import type { Hub } from './hub.ts';
import { type Channel, type Guild, type Member, membersIn, type Role } from './model.ts';
import {
  channelPayload,
  guildCreatePayload,
  guildPayload,
  memberPayload,
  rolePayload,
  userPayload,
} from './payloads.ts';
import { applySpeakPermission, botLeaves, disconnectMember, personLeaves } from './voice-states.ts';

export function publishGuildCreate(hub: Hub, guild: Guild): void {
  hub.publish({
    name: 'GUILD_CREATE',
    guildId: guild.id,
    always: false,
    render: (intents) => guildCreatePayload(hub.model, guild, intents),
  });
}

export function publishGuild(hub: Hub, guild: Guild): void {
  hub.announce(guild.id, 'GUILD_UPDATE', guildPayload(guild));
}

/** Removes the bot from a server: GUILD_DELETE without `unavailable` is no outage (events/gateway-events#guild-delete). */
export function leaveGuild(hub: Hub, guild: Guild): void {
  botLeaves(hub, guild, 'left');
  guild.members.delete(hub.model.application.botId);
  hub.announce(guild.id, 'GUILD_DELETE', { id: guild.id });
}

export function addMember(hub: Hub, guild: Guild, member: Member): void {
  guild.members.set(member.userId, member);
  hub.announce(guild.id, 'GUILD_MEMBER_ADD', { guild_id: guild.id, ...memberPayload(hub.model, member) });
}

export function deleteMember(hub: Hub, guild: Guild, { userId }: Member): void {
  const user = hub.model.users.get(userId);
  personLeaves(hub, guild, userId);
  guild.members.delete(userId);
  hub.announce(guild.id, 'GUILD_MEMBER_REMOVE', { guild_id: guild.id, user: user && userPayload(user) });
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

export function deleteRole(hub: Hub, guild: Guild, { id }: Role): void {
  guild.roles.delete(id);
  for (const member of guild.members.values()) member.roles = member.roles.filter((held) => held !== id);
  hub.announce(guild.id, 'GUILD_ROLE_DELETE', { guild_id: guild.id, role_id: id });
  applySpeakPermission(hub, guild);
}

export function deleteChannel(hub: Hub, guild: Guild, channel: Channel): void {
  guild.channels.delete(channel.id);
  for (const thread of [...guild.channels.values()])
    if (thread.parentId === channel.id) guild.channels.delete(thread.id);
  const event = channel.kind === 'thread' ? 'THREAD_DELETE' : 'CHANNEL_DELETE';
  hub.announce(guild.id, event, channelPayload(hub.model, channel));
  for (const { userId } of membersIn(guild, channel.id)) disconnectMember(hub, guild, userId, 'channel-deleted');
}
