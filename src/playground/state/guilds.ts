import type { Hub } from './hub.ts';
import { INTENTS } from './intents.ts';
import type { Channel, Guild, Member, Role } from './model.ts';
import {
  channelPayload,
  guildCreatePayload,
  guildPayload,
  memberPayload,
  rolePayload,
  userPayload,
} from './payloads.ts';
import { applySpeakPermission, botLeaves, disconnectMember, personLeaves } from './voice-states.ts';

/** GUILD_CREATE as a session with these intents gets it. */
export function guildCreate(hub: Hub, guild: Guild, intents: number) {
  return guildCreatePayload(hub.model, guild, {
    voiceStates: (intents & INTENTS.GuildVoiceStates) !== 0,
    allMembers: (intents & INTENTS.GuildPresences) !== 0,
  });
}

export function publishGuildCreate(hub: Hub, guild: Guild): void {
  hub.publish({
    name: 'GUILD_CREATE',
    guildId: guild.id,
    always: false,
    render: (intents) => guildCreate(hub, guild, intents),
  });
}

/** The bot is no longer a member: no `unavailable` field, unlike an outage (events/gateway-events#guild-delete). */
export function leaveGuild(hub: Hub, guild: Guild): void {
  botLeaves(hub, guild, 'left');
  guild.members.delete(hub.model.application.botId);
  hub.announce(guild.id, 'GUILD_DELETE', { id: guild.id });
}

/** The bot is invited again. */
export function inviteBot(hub: Hub, guild: Guild, bot: Member): void {
  guild.members.set(bot.userId, bot);
  publishGuildCreate(hub, guild);
}

/** An outage: the server is gone for a while, the bot's membership and voice are not. */
export function startOutage(hub: Hub, guild: Guild): void {
  guild.available = false;
  hub.announce(guild.id, 'GUILD_DELETE', { id: guild.id, unavailable: true });
}

export function endOutage(hub: Hub, guild: Guild): void {
  guild.available = true;
  publishGuildCreate(hub, guild);
}

/** A bot gets events of its own member without the GuildMembers intent. */
export function publishMember(hub: Hub, member: Member): void {
  const payload = { guild_id: member.guildId, ...memberPayload(hub.model, member) };
  const always = member.userId === hub.model.application.botId;
  hub.publish({ name: 'GUILD_MEMBER_UPDATE', guildId: member.guildId, always, render: () => payload });
  const guild = hub.model.guilds.get(member.guildId);
  if (guild) applySpeakPermission(hub, guild);
}

export function addMember(hub: Hub, guild: Guild, member: Member): void {
  guild.members.set(member.userId, member);
  hub.announce(guild.id, 'GUILD_MEMBER_ADD', { guild_id: guild.id, ...memberPayload(hub.model, member) });
}

export function removeMember(hub: Hub, guild: Guild, member: Member): void {
  personLeaves(hub, guild, member.userId);
  guild.members.delete(member.userId);
  const user = hub.model.users.get(member.userId);
  hub.announce(guild.id, 'GUILD_MEMBER_REMOVE', {
    guild_id: guild.id,
    user: user ? userPayload(user) : { id: member.userId },
  });
}

export function publishRole(hub: Hub, guild: Guild, role: Role, name: 'GUILD_ROLE_CREATE' | 'GUILD_ROLE_UPDATE'): void {
  hub.announce(guild.id, name, { guild_id: guild.id, role: rolePayload(role) });
  applySpeakPermission(hub, guild);
}

/** Members lose it without further notice. */
export function deleteRole(hub: Hub, guild: Guild, role: Role): void {
  guild.roles.delete(role.id);
  for (const member of guild.members.values()) member.roles = member.roles.filter((id) => id !== role.id);
  hub.announce(guild.id, 'GUILD_ROLE_DELETE', { guild_id: guild.id, role_id: role.id });
  applySpeakPermission(hub, guild);
}

export function publishGuildUpdate(hub: Hub, guild: Guild): void {
  hub.announce(guild.id, 'GUILD_UPDATE', guildPayload(guild));
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

/** Everybody in the channel is disconnected. */
export function deleteChannel(hub: Hub, guild: Guild, channel: Channel): void {
  guild.channels.delete(channel.id);
  const threads = [...guild.channels.values()].filter(({ parentId }) => parentId === channel.id);
  for (const thread of threads) guild.channels.delete(thread.id);
  const payload = channelPayload(hub.model, channel);
  const name = channel.kind === 'thread' ? 'THREAD_DELETE' : 'CHANNEL_DELETE';
  hub.announce(guild.id, name, payload);
  for (const state of [...guild.voiceStates.values()].filter(({ channelId }) => channelId === channel.id)) {
    disconnectMember(hub, guild, state.userId, 'channel-deleted');
  }
}
