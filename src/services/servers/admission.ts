import { refusal } from '../../errors/refusals.ts';
import { type Text, text } from '../../texts/catalog.ts';
import type { ServerRules } from './server-rules.ts';
import { EVERYBODY, isListed } from './server-settings.ts';

/** A member who speaks, or whose message is spoken. */
export interface Speaker {
  readonly userId: string;
  /** May change the rules and is therefore exempt; `settings.managers-exempt` tells admins about it. */
  readonly isAdmin: boolean;
}

/** The requester of an utterance, with the facts needed by the server's rules. */
export interface Requester extends Speaker {
  readonly roleIds: readonly string[];
  /** The channel of the request; in a thread, its parent. */
  readonly textChannelId: string | undefined;
  readonly voiceChannelId: string | undefined;
}

/** The rule of the server's admins that forbids a request; undefined where none does. */
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

/** The rules for a member, from whichever channel they ask. */
export function wherever({ allowedChannels: _, ...rules }: ServerRules): ServerRules {
  return rules;
}

/** The voice channel of an utterance, and the kinds of the channels that the rules may list. */
interface SpokenIn {
  readonly isAdmin: boolean;
  readonly voiceChannelId: string;
  /** False for a text channel and for one that is gone. */
  readonly isVoiceChannel: (channelId: string) => boolean;
}

/**
 * The refusal that forbids speaking in a voice channel, independent of the place of the request; undefined without one.
 * A list of text channels alone says nothing about voice channels.
 */
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
