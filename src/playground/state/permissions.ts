import type { Channel, Guild, Member } from './model.ts';

/** The permissions that the playground uses: https://discord.com/developers/docs/topics/permissions#permissions-bitwise-permission-flags */
export const PERMISSIONS = {
  CreateInstantInvite: 1n << 0n,
  Administrator: 1n << 3n,
  ManageChannels: 1n << 4n,
  ManageGuild: 1n << 5n,
  AddReactions: 1n << 6n,
  PrioritySpeaker: 1n << 8n,
  Stream: 1n << 9n,
  ViewChannel: 1n << 10n,
  SendMessages: 1n << 11n,
  SendTTSMessages: 1n << 12n,
  ManageMessages: 1n << 13n,
  EmbedLinks: 1n << 14n,
  AttachFiles: 1n << 15n,
  ReadMessageHistory: 1n << 16n,
  MentionEveryone: 1n << 17n,
  UseExternalEmojis: 1n << 18n,
  Connect: 1n << 20n,
  Speak: 1n << 21n,
  MuteMembers: 1n << 22n,
  DeafenMembers: 1n << 23n,
  MoveMembers: 1n << 24n,
  UseVAD: 1n << 25n,
  ChangeNickname: 1n << 26n,
  UseApplicationCommands: 1n << 31n,
  RequestToSpeak: 1n << 32n,
  UseExternalStickers: 1n << 37n,
  SendMessagesInThreads: 1n << 38n,
  ModerateMembers: 1n << 40n,
  SendVoiceMessages: 1n << 46n,
  UseExternalApps: 1n << 50n,
} as const;

export type PermissionName = keyof typeof PERMISSIONS;

/** Discord's permissions are the bits 0 to 50. */
export const ALL_PERMISSIONS = (1n << 51n) - 1n;

const TIMED_OUT = PERMISSIONS.ViewChannel | PERMISSIONS.ReadMessageHistory;

export function permissionBits(names: readonly PermissionName[]): bigint {
  return names.reduce((bits, name) => bits | PERMISSIONS[name], 0n);
}

export function guildPermissions(guild: Guild, member: Member): bigint {
  if (guild.ownerId === member.userId) return ALL_PERMISSIONS;
  let bits = guild.roles.get(guild.id)?.permissions ?? 0n;
  for (const roleId of member.roles) bits |= guild.roles.get(roleId)?.permissions ?? 0n;
  return bits & PERMISSIONS.Administrator ? ALL_PERMISSIONS : bits;
}

/** Discord's order of overwrites: https://discord.com/developers/docs/topics/permissions#permission-overwrites */
export function channelPermissions(guild: Guild, member: Member, place: Channel, nowMs: number): bigint {
  const base = guildPermissions(guild, member);
  if (base & PERMISSIONS.Administrator) return base;
  // Permissions in threads: https://discord.com/developers/docs/topics/permissions#inherited-permissions-threads
  const channel = (place.parentId === undefined ? undefined : guild.channels.get(place.parentId)) ?? place;
  let bits = base;
  const apply = (deny: bigint, allow: bigint) => {
    bits = (bits & ~deny) | allow;
  };
  const everyone = channel.overwrites.find((overwrite) => overwrite.id === guild.id);
  if (everyone) apply(everyone.deny, everyone.allow);
  const ofRoles = channel.overwrites.filter(
    ({ id, kind }) => kind === 'role' && id !== guild.id && member.roles.includes(id),
  );
  apply(
    ofRoles.reduce((deny, overwrite) => deny | overwrite.deny, 0n),
    ofRoles.reduce((allow, overwrite) => allow | overwrite.allow, 0n),
  );
  const own = channel.overwrites.find(({ id, kind }) => kind === 'member' && id === member.userId);
  if (own) apply(own.deny, own.allow);
  if (member.timedOutUntilMs > nowMs) bits &= TIMED_OUT;
  return withoutImpliedDenials(bits, place);
}

export const writingPermission = (channel: Channel): PermissionName =>
  channel.kind === 'thread' ? 'SendMessagesInThreads' : 'SendMessages';

/** Removes permissions without effect, such as Speak without Connect: topics/permissions#implicit-permissions */
function withoutImpliedDenials(bits: bigint, channel: Channel): bigint {
  if (!(bits & PERMISSIONS.ViewChannel)) return 0n;
  let left = bits;
  if (!(bits & PERMISSIONS[writingPermission(channel)])) {
    left &= ~(
      PERMISSIONS.MentionEveryone |
      PERMISSIONS.SendTTSMessages |
      PERMISSIONS.AttachFiles |
      PERMISSIONS.EmbedLinks |
      PERMISSIONS.SendVoiceMessages
    );
  }
  if ((channel.kind === 'voice' || channel.kind === 'stage') && !(bits & PERMISSIONS.Connect)) {
    left &= ~(PERMISSIONS.Speak | PERMISSIONS.Stream | PERMISSIONS.UseVAD | PERMISSIONS.PrioritySpeaker);
    left &= ~(PERMISSIONS.MuteMembers | PERMISSIONS.DeafenMembers | PERMISSIONS.MoveMembers);
  }
  return left;
}
