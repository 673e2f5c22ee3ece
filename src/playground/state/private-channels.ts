import type { Hub } from './hub.ts';
import type { Channel } from './model.ts';

/** Direct messages between two users, or a group; made on first use, the same one ever after. */
export function privateChannel(hub: Hub, userIds: readonly string[]): Channel {
  const participants = [...new Set(userIds)].sort();
  const key = participants.join();
  const existing = [...hub.model.dms.values()].find((channel) => channel.participants?.join() === key);
  if (existing) return existing;
  const channel: Channel = {
    id: hub.newId(),
    guildId: undefined,
    kind: participants.length > 2 ? 'group' : 'dm',
    name: '',
    position: 0,
    userLimit: 0,
    overwrites: [],
    lastMessageId: null,
    participants,
  };
  hub.model.dms.set(channel.id, channel);
  return channel;
}

/** The direct messages between the bot and a user. */
export const botDirectMessages = (hub: Hub, userId: string): Channel =>
  privateChannel(hub, [hub.model.application.botId, userId]);

/** The bot is no member of people's own private channels, even where its commands are used. */
export const isPrivateToOthers = (hub: Hub, channel: Channel): boolean =>
  channel.guildId === undefined && !channel.participants?.includes(hub.model.application.botId);

/** A bot may write to users of its servers and to users that installed it. */
export function sharesServer(hub: Hub, userId: string): boolean {
  const { botId } = hub.model.application;
  return [...hub.model.guilds.values()].some((guild) => guild.members.has(botId) && guild.members.has(userId));
}
