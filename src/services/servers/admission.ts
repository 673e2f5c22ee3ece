import { type Text, text } from '../../texts/catalogue.ts';
import type { ServerRules } from './server-rules.ts';

/** Who wants to have something spoken, as far as the rules of the server are concerned. */
export interface Requester {
  readonly userId: string;
  readonly roleIds: readonly string[];
  /** Could change the rules, so they are no hindrance; `settings.managers-exempt` tells those who make them. */
  readonly isAdmin: boolean;
  /** Where it was asked for; in a thread, the channel above. */
  readonly textChannelId: string | undefined;
  readonly voiceChannelId: string | undefined;
}

/** Why the server's admins do not want this, or undefined where nothing is against it. */
export function admissionRefusal(rules: ServerRules, speaker: Requester): Text | undefined {
  if (speaker.isAdmin) return undefined;
  const { mutedMembers = [], blockedRoles = [], allowedRoles, allowedChannels } = rules;
  if (mutedMembers.includes(speaker.userId)) return text('refused.member-muted');
  const blocked = blockedRoles.find((id) => speaker.roleIds.includes(id));
  if (blocked !== undefined) return text('refused.blocked-role', { role: `<@&${blocked}>` });
  if (allowedRoles && !allowedRoles.some((id) => speaker.roleIds.includes(id))) {
    return text('refused.role-needed', { roles: { list: allowedRoles.map((id) => `<@&${id}>`) } });
  }
  const here = [speaker.textChannelId, speaker.voiceChannelId];
  if (allowedChannels && !here.some((id) => id !== undefined && allowedChannels.includes(id))) {
    return text('refused.channel-needed', { channels: { list: allowedChannels.map((id) => `<#${id}>`) } });
  }
  return undefined;
}
