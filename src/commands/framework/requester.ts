import type { BaseInteraction } from 'discord.js';
import { mayManage } from '../../discord/channels/permissions.ts';
import { parentOfThread } from '../../discord/client/client.ts';
import type { Requester } from '../../services/servers/admission.ts';

/**
 * Where it counts how often a person does something: each of the bot's servers, and everywhere else together, since there
 * is no end of servers that a person could bring the bot to.
 */
export const countedIn = (interaction: BaseInteraction): string | null =>
  interaction.inCachedGuild() ? interaction.guildId : null;

/** Who asks by an interaction. */
export function requesterOf(interaction: BaseInteraction<'cached'>): Requester {
  const { member, user } = interaction;
  return {
    userId: user.id,
    roleIds: [...member.roles.cache.keys()],
    isAdmin: mayManage(member.permissions),
    textChannelId: textChannelOf(interaction),
    voiceChannelId: member.voice.channelId ?? undefined,
  };
}

/** Where it was asked for; in a thread, also in a private one that discord.js does not know, the channel above. */
function textChannelOf({ channel, channelId, client }: BaseInteraction<'cached'>): string | undefined {
  if (channelId === null) return undefined;
  if (channel?.isThread()) return channel.parentId ?? undefined;
  return parentOfThread(client, channelId) ?? channelId;
}
