import type { BaseInteraction } from 'discord.js';
import { mayManage } from '../discord/server-managers.ts';
import type { Speaker } from '../services/admission.ts';

/** Who asks by an interaction. */
export function speakerOf(interaction: BaseInteraction<'cached'>): Speaker {
  const { member, channel, user } = interaction;
  return {
    userId: user.id,
    roleIds: [...member.roles.cache.keys()],
    isAdmin: mayManage(member.permissions),
    textChannelId: (channel?.isThread() ? channel.parentId : channel?.id) ?? undefined,
    voiceChannelId: member.voice.channelId ?? undefined,
  };
}
