import { ChannelType, type Client, type Guild, type GuildMember, PermissionFlagsBits } from 'discord.js';
import type { ReadableContext } from '../../services/text/readable/context.ts';
import { namesOfMentioned } from './mentioned-members.ts';

export type MentionedNames = Pick<ReadableContext, 'users' | 'channels' | 'roles'>;

interface Written {
  readonly words: string;
  readonly client: Client;
  /** Null in direct messages, and in servers without the bot. */
  readonly guild: Guild | null;
  /** The author or the requester. Null for webhooks, which see public channels only. */
  readonly reader: GuildMember | null;
  /** Names that were delivered with the message. */
  readonly mentioned?: (userId: string) => string | undefined;
}

/** Names of the members, roles and channels that a text mentions, after a short lookup of unknown ones. Never rejects. */
export async function mentionedNames({ words, client, guild, reader, mentioned }: Written): Promise<MentionedNames> {
  const asked = await namesOfMentioned(guild, words);
  return {
    users: (id) =>
      guild?.members.cache.get(id)?.displayName ??
      asked.get(id) ??
      mentioned?.(id) ??
      client.users.cache.get(id)?.displayName,
    channels: (id) => (guild ? channelName(guild, id, reader) : undefined),
    roles: (id) => guild?.roles.cache.get(id)?.name,
  };
}

/** A text can mention any id: channels of other servers, and those hidden from the author, are not named to the listeners. */
function channelName(guild: Guild, channelId: string, reader: GuildMember | null): string | undefined {
  const channel = guild.channels.cache.get(channelId);
  // The members of a private thread are not known here.
  if (!channel || channel.type === ChannelType.PrivateThread) return undefined;
  const permissions = channel.permissionsFor(reader ?? guild.roles.everyone);
  return permissions?.has(PermissionFlagsBits.ViewChannel) ? channel.name : undefined;
}
