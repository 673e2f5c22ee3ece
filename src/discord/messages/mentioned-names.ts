import { ChannelType, type Client, type Guild, type GuildMember, PermissionFlagsBits } from 'discord.js';
import type { ReadableContext } from '../../services/text/readable/context.ts';
import { namesOfMentioned } from './mentioned-members.ts';

export type MentionedNames = Pick<ReadableContext, 'users' | 'channels' | 'roles'>;

interface Written {
  readonly words: string;
  readonly client: Client;
  /** Null in direct messages, and in servers without the bot. */
  readonly guild: Guild | null;
  /** Whoever wrote it, or wants to have it read. Null for webhooks, which see what everybody sees. */
  readonly reader: GuildMember | null;
  /** Names that came along with a message. */
  readonly mentioned?: (userId: string) => string | undefined;
}

/** Names of who and what a text mentions, after a short look for those that are not known. Never rejects. */
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

/** Anybody can write any id: channels of other servers, and those their readers cannot see, are not named to all who listen. */
function channelName(guild: Guild, channelId: string, reader: GuildMember | null): string | undefined {
  const channel = guild.channels.cache.get(channelId);
  // Who is in a private thread is not known here.
  if (!channel || channel.type === ChannelType.PrivateThread) return undefined;
  const permissions = channel.permissionsFor(reader ?? guild.roles.everyone);
  return permissions?.has(PermissionFlagsBits.ViewChannel) ? channel.name : undefined;
}
