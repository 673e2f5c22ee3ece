import type { Person, WorldServer } from '../interface/world-types.ts';
import { findMember, newAttachment } from '../people/command-data.ts';
import { createPerson } from '../people/person.ts';
import { memberView, messageView } from '../people/views.ts';
import {
  addMember,
  deleteRole,
  endOutage,
  inviteBot,
  leaveGuild,
  publishChannel,
  publishGuildUpdate,
  publishMember,
  publishRole,
  removeMember,
  startOutage,
} from '../state/guilds.ts';
import type { Hub } from '../state/hub.ts';
import type { Interactions } from '../state/interactions.ts';
import { createMessage } from '../state/messages.ts';
import type { Channel, Member, Role } from '../state/model.ts';
import { permissionBits } from '../state/permissions.ts';
import { type NewServer, newChannel, newMember, newUser } from '../state/starting-model.ts';
import { personJoins } from '../state/voice-states.ts';
import { createWorldChannel } from './world-channel.ts';

/** A server with its people, as a test or a demo handles it. Frank sits in `Full` from the start, unless it is settled. */
export function createWorldServer(
  parts: { hub: Hub; interactions: Interactions },
  { guild, botRole }: NewServer,
  { settled = false }: { readonly settled?: boolean } = {},
): WorldServer {
  const { hub, interactions } = parts;
  const { clock, newId, model } = hub;
  const { botId } = model.application;
  const people = new Map<string, Person>();

  const memberNamed = (name: string): Member => {
    const found = findMember(hub, guild, name);
    if (!found || found.userId === botId) throw new Error(`There is no member ${name}`);
    return found;
  };
  const channelNamed = (name: string): Channel => {
    const found = [...guild.channels.values()].find((channel) => channel.name === name);
    if (!found) throw new Error(`There is no channel ${name}`);
    return found;
  };
  /** The bot counts, too: it can be given and lose roles. */
  const holderNamed = (name: string): Member => {
    const bot = name === 'bot' ? guild.members.get(botId) : undefined;
    return bot ?? memberNamed(name);
  };
  const roleNamed = (name: string): Role => {
    const found = [...guild.roles.values()].find((role) => role.name === name);
    if (!found) throw new Error(`There is no role ${name}`);
    return found;
  };
  if (!settled) personJoins(hub, guild, channelNamed('Full'), memberNamed('frank').userId);

  const server: WorldServer = {
    guildId: guild.id,
    name: guild.name,
    get channels() {
      const ordered = [...guild.channels.values()].sort((a, b) => a.position - b.position);
      return ordered.map((channel) => createWorldChannel({ hub, guild }, channel));
    },
    get members() {
      return [...guild.members.values()].flatMap((member) => memberView(hub, guild, member) ?? []);
    },
    get roles() {
      return new Map([...guild.roles.values()].map(({ id, name }) => [id, name]));
    },
    member(name) {
      const person = people.get(name) ?? createPerson({ hub, interactions, guild }, memberNamed(name), name);
      people.set(name, person);
      return person;
    },
    newMember(name, { nick, permissions, bot = false } = {}) {
      const user = newUser(newId, name, bot);
      model.users.set(user.id, user);
      const joined = newMember(clock, guild.id, user.id);
      joined.nick = nick ?? null;
      addMember(hub, guild, joined);
      if (permissions) server.giveRole(name, `${name}'s role`, permissions);
      return server.member(name);
    },
    removeMember(name) {
      const leaving = memberNamed(name);
      people.delete(name);
      removeMember(hub, guild, leaving);
    },
    giveRole(name, roleName, permissions = []) {
      const holder = holderNamed(name);
      const found = [...guild.roles.values()].find((role) => role.name === roleName);
      const position = guild.roles.size;
      const role = found ?? {
        id: newId(`role ${guild.id} ${roleName}`),
        ...{ name: roleName, permissions: permissionBits(permissions), position },
      };
      guild.roles.set(role.id, role);
      if (!found) publishRole(hub, guild, role, 'GUILD_ROLE_CREATE');
      holder.roles = [...new Set([...holder.roles, role.id])];
      publishMember(hub, holder);
      return role.id;
    },
    setRolePermissions(roleName, permissions) {
      const role = roleNamed(roleName);
      role.permissions = permissionBits(permissions);
      publishRole(hub, guild, role, 'GUILD_ROLE_UPDATE');
    },
    deleteRole: (roleName) => deleteRole(hub, guild, roleNamed(roleName)),
    channel: (name) => createWorldChannel({ hub, guild }, channelNamed(name)),
    newChannel(name, kind, { userLimit = 0 } = {}) {
      const channel = newChannel(newId, guild, name, kind, { userLimit });
      publishChannel(hub, guild, channel, 'CHANNEL_CREATE');
      return createWorldChannel({ hub, guild }, channel);
    },
    newThread(parentName, name, { private: isPrivate = false } = {}) {
      const details = { parentId: channelNamed(parentName).id, ownerId: guild.ownerId, isPrivate };
      const thread = newChannel(newId, guild, name, 'thread', details);
      publishChannel(hub, guild, thread, 'CHANNEL_CREATE');
      return createWorldChannel({ hub, guild }, thread);
    },
    webhookSays(name, text, { in: place = 'general', embeds = [], files = [] } = {}) {
      const message = createMessage(hub, {
        channelId: channelNamed(place).id,
        guildId: guild.id,
        authorId: '',
        type: 0,
        content: text,
        embeds: [...embeds],
        attachments: files.map((file) => newAttachment(hub, file)),
        webhook: { id: newId(), name },
      });
      return messageView(hub, message);
    },
    setLanguage(locale) {
      guild.locale = locale;
      publishGuildUpdate(hub, guild);
    },
    setBotPermissions(permissions) {
      botRole.permissions = permissionBits(permissions);
      publishRole(hub, guild, botRole, 'GUILD_ROLE_UPDATE');
    },
    outage() {
      startOutage(hub, guild);
      return () => endOutage(hub, guild);
    },
    removeBot: () => leaveGuild(hub, guild),
    inviteBot() {
      guild.roles.set(botRole.id, botRole);
      inviteBot(hub, guild, newMember(clock, guild.id, botId, [botRole.id]));
    },
  };
  return server;
}
