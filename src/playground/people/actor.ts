import type { Place, VisibleMessage } from '../interface/world-types.ts';
import type { Hub } from '../state/hub.ts';
import { botDirectMessages, privateChannel, type Standing } from '../state/installations.ts';
import type { Interactions } from '../state/interactions.ts';
import { type Channel, findChannel, type Guild, type Member, type Message } from '../state/model.ts';
import { channelPermissions, guildPermissions, PERMISSIONS, type PermissionName } from '../state/permissions.ts';
import { findMember } from './command-data.ts';
import { CommandRefused } from './typed-command.ts';

export type Actor = ReturnType<typeof createActor>;

/** The acting person with the surroundings that every kind of action needs. */
export function createActor(
  parts: { readonly hub: Hub; readonly interactions: Interactions; readonly guild: Guild },
  member: Member,
  name: string,
) {
  const { hub, guild } = parts;
  const { userId } = member;

  const channelNamed = (wanted: string): Channel => {
    const channel = [...guild.channels.values()].find((candidate) => candidate.name === wanted);
    if (!channel) throw new CommandRefused(`There is no channel ${wanted}`);
    return channel;
  };
  const userNamed = (wanted: string): string => {
    const found =
      findMember(hub, guild, wanted)?.userId ??
      [...hub.model.users.values()].find((user) => user.username === wanted)?.id;
    if (found === undefined) throw new CommandRefused(`There is nobody called ${wanted}`);
    return found;
  };
  const standingIn = (channel: Channel): Standing => {
    const itsGuild = channel.guildId === undefined ? undefined : hub.model.guilds.get(channel.guildId);
    return { userId, channel, guild: itsGuild, member: itsGuild?.members.get(userId) };
  };
  /** Refuses with `otherwise` when the permission is missing; in private channels nothing is. */
  const needs = (
    { guild: itsGuild, member: self, channel }: Standing,
    permission: PermissionName,
    otherwise: string,
  ) => {
    if (!itsGuild) return;
    const bits = self ? channelPermissions(itsGuild, self, channel, hub.clock.now()) : 0n;
    if (!(bits & PERMISSIONS[permission])) throw new CommandRefused(otherwise);
  };

  /** The bot, `bot` here, by the name that people see. */
  const called = (who: string): string =>
    (who === 'bot' ? hub.model.users.get(hub.model.application.botId)?.username : undefined) ?? who;

  return {
    ...parts,
    member,
    name,
    called,
    channelNamed,
    standingIn,
    needs,
    /** At a channel this person sees. */
    standingAt(place: Place | undefined): Standing {
      const wanted = place?.in ?? 'general';
      if (wanted === '@bot') return standingIn(botDirectMessages(hub, userId));
      if (wanted.startsWith('@')) {
        const others = wanted.split(',').map((part) => userNamed(part.trim().replace(/^@/, '')));
        if (others.includes(userId)) throw new CommandRefused(`${name} has no direct messages with ${name}`);
        return standingIn(privateChannel(hub, [userId, ...others]));
      }
      const standing = standingIn(channelNamed(wanted));
      needs(standing, 'ViewChannel', `${name} cannot see ${wanted}`);
      return standing;
    },
    /** The message behind its view, when the person still sees it. */
    seen(view: VisibleMessage): Message {
      const message = hub.model.messages.get(view.messageId);
      if (!message || message.deleted) throw new CommandRefused('This message no longer exists');
      const channel = findChannel(hub.model, message.channelId);
      const outsider = channel?.participants !== undefined && !channel.participants.includes(userId);
      if (outsider || (message.onlyFor !== undefined && message.onlyFor !== userId))
        throw new CommandRefused(`${name} cannot see this message`);
      return message;
    },
    whereIs(message: Message): Standing {
      const channel = findChannel(hub.model, message.channelId);
      if (!channel) throw new CommandRefused('The channel no longer exists');
      return standingIn(channel);
    },
    /** A member by name, `bot` for the bot. */
    other(who: string): Member {
      const found = who === 'bot' ? guild.members.get(hub.model.application.botId) : findMember(hub, guild, who);
      if (!found) throw new CommandRefused(`There is no member ${called(who)}`);
      return found;
    },
    moderates(permission: PermissionName): void {
      if (!(guildPermissions(guild, member) & PERMISSIONS[permission]))
        throw new CommandRefused(`${name} may not do that`);
    },
  };
}
