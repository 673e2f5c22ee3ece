import type { BaseInteraction } from 'discord.js';
import { mayManage } from '../../discord/channels/server-managers.ts';
import { parentOfThread } from '../../discord/client/thread-parents.ts';
import type { Requester } from '../../services/servers/admission.ts';

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
