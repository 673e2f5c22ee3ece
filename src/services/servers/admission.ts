import { refusal } from '../../errors/refusals.ts';
import { type Text, text } from '../../texts/catalog.ts';
import type { ServerRules } from './server-rules.ts';
import { EVERYBODY, isListed } from './server-settings.ts';

/** The member who requests speech, or whose chat message is read aloud. */
export interface Speaker {
  readonly userId: string;
  /** True if the member can change the server's rules and is therefore exempt from them. */
  readonly isAdmin: boolean;
}

export interface Requester extends Speaker {
  readonly roleIds: readonly string[];
  /** The channel of the request; for a thread, its parent channel. */
  readonly textChannelId: string | undefined;
  readonly voiceChannelId: string | undefined;
}

export function admissionRefusal(rules: ServerRules, speaker: Requester): Text | undefined {
  if (speaker.isAdmin) return undefined;
  const { mutedMembers, blockedRoles = [], allowedRoles, allowedChannels } = rules;
  if (isListed(mutedMembers, speaker.userId)) return refusal('member-muted');
  const blocked = blockedRoles.find((id) => id === EVERYBODY || speaker.roleIds.includes(id));
  if (blocked !== undefined) return refusal('blocked-role', { role: `<@&${blocked}>` });
  if (allowedRoles && !allowedRoles.some((id) => speaker.roleIds.includes(id))) {
    return refusal('role-needed', { roles: { anyOf: allowedRoles.map((id) => `<@&${id}>`) } });
  }
  const here = [speaker.textChannelId, speaker.voiceChannelId];
  if (allowedChannels && !here.some((id) => id !== undefined && allowedChannels.includes(id))) {
    return text('refused.channel-needed', { channels: { list: allowedChannels.map((id) => `<#${id}>`) } });
  }
  return undefined;
}

/** A server's rules for checks in which the channel of the request does not matter. */
export function wherever({ allowedChannels: _, ...rules }: ServerRules): ServerRules {
  return rules;
}

interface SpokenIn {
  readonly isAdmin: boolean;
  readonly voiceChannelId: string;
  readonly isVoiceChannel: (channelId: string) => boolean;
}

/** Why the bot must not speak in a voice channel. Allowed text channels alone do not restrict voice channels. */
export function placeRefusal({ allowedChannels = [] }: ServerRules, where: SpokenIn): Text | undefined {
  const { isAdmin, voiceChannelId, isVoiceChannel } = where;
  if (isAdmin || allowedChannels.includes(voiceChannelId)) return undefined;
  const allowed = allowedChannels.filter(isVoiceChannel);
  if (allowed.length === 0) return undefined;
  return refusal('not-spoken-there', {
    channel: `<#${voiceChannelId}>`,
    channels: { list: allowed.map((id) => `<#${id}>`) },
  });
}
