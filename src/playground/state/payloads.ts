import { INTENTS } from './intents.ts';
import {
  CHANNEL_TYPES,
  type Channel,
  type Guild,
  type Member,
  type Model,
  PRIVATE_THREAD_TYPE,
  type Role,
  type User,
  type VoiceState,
} from './model.ts';
import { channelPermissions, guildPermissions } from './permissions.ts';

export const isoTime = (ms: number) => new Date(ms).toISOString().replace('Z', '000+00:00');

export function userPayload(user: User) {
  return {
    id: user.id,
    username: user.username,
    global_name: user.displayName,
    discriminator: user.bot ? '0001' : '0',
    avatar: null,
    bot: user.bot,
    public_flags: 0,
    flags: 0,
    primary_guild: null,
  };
}

export function botPayload({ users, application }: Model) {
  const bot = users.get(application.botId);
  return bot && { ...userPayload(bot), verified: true, email: null, mfa_enabled: true, locale: bot.locale };
}

export function rolePayload(role: Role) {
  return {
    id: role.id,
    name: role.name,
    permissions: role.permissions.toString(),
    position: role.position,
    color: 0,
    colors: { primary_color: 0, secondary_color: null, tertiary_color: null },
    hoist: false,
    managed: role.botId !== undefined,
    mentionable: false,
    icon: null,
    unicode_emoji: null,
    flags: 0,
    tags: role.botId === undefined ? undefined : { bot_id: role.botId },
  };
}

function guildChannelFields(channel: Channel) {
  return {
    id: channel.id,
    type: channel.isPrivate ? PRIVATE_THREAD_TYPE : CHANNEL_TYPES[channel.kind],
    guild_id: channel.guildId,
    name: channel.name,
    position: channel.position,
    parent_id: channel.parentId ?? null,
    topic: null,
    nsfw: false,
    flags: 0,
    rate_limit_per_user: 0,
    last_message_id: channel.lastMessageId,
  };
}

/** A private channel's recipients are all its participants except `viewerId`. */
export function channelPayload(model: Model, channel: Channel, viewerId = model.application.botId) {
  if (channel.participants) {
    const others = channel.participants.filter((userId) => userId !== viewerId);
    const isGroup = channel.kind === 'group';
    return {
      id: channel.id,
      type: CHANNEL_TYPES[channel.kind],
      last_message_id: channel.lastMessageId,
      flags: 0,
      recipients: others.flatMap((userId) => model.users.get(userId) ?? []).map(userPayload),
      name: isGroup ? null : undefined,
      icon: isGroup ? null : undefined,
      owner_id: isGroup ? channel.participants[0] : undefined,
    };
  }
  if (channel.kind === 'thread') return threadPayload(channel);
  const isVoice = channel.kind === 'voice' || channel.kind === 'stage';
  return {
    ...guildChannelFields(channel),
    permission_overwrites: channel.overwrites.map((overwrite) => ({
      id: overwrite.id,
      type: overwrite.kind === 'role' ? 0 : 1,
      allow: overwrite.allow.toString(),
      deny: overwrite.deny.toString(),
    })),
    bitrate: isVoice ? 64_000 : undefined,
    user_limit: isVoice ? channel.userLimit : undefined,
    rtc_region: isVoice ? null : undefined,
  };
}

function threadPayload(channel: Channel) {
  return {
    ...guildChannelFields(channel),
    owner_id: channel.ownerId,
    message_count: 0,
    member_count: 1,
    total_message_sent: 0,
    thread_metadata: {
      archived: channel.isLocked,
      auto_archive_duration: 1440,
      archive_timestamp: isoTime(0),
      locked: channel.isLocked,
      create_timestamp: isoTime(0),
    },
  };
}

export function partialChannelPayload(guild: Guild, member: Member, channel: Channel, nowMs: number) {
  return {
    ...guildChannelFields(channel),
    permissions: channelPermissions(guild, member, channel, nowMs).toString(),
  };
}

export function partialMemberPayload(member: Member) {
  return {
    nick: member.nick,
    avatar: null,
    banner: null,
    roles: [...member.roles],
    joined_at: isoTime(member.joinedAtMs),
    premium_since: null,
    pending: false,
    flags: 0,
    communication_disabled_until: member.timedOutUntilMs > 0 ? isoTime(member.timedOutUntilMs) : null,
  };
}

export function memberPayload(model: Model, member: Member) {
  const user = model.users.get(member.userId);
  return {
    ...partialMemberPayload(member),
    deaf: member.deaf,
    mute: member.mute,
    user: user && userPayload(user),
  };
}

export function voiceStatePayload(model: Model, state: VoiceState, channelId: string | null = state.channelId) {
  const member = model.guilds.get(state.guildId)?.members.get(state.userId);
  return {
    guild_id: state.guildId,
    channel_id: channelId,
    user_id: state.userId,
    session_id: state.sessionId,
    deaf: member?.deaf ?? false,
    mute: member?.mute ?? false,
    self_deaf: state.selfDeaf,
    self_mute: state.selfMute,
    self_stream: false,
    self_video: false,
    suppress: state.suppress,
    request_to_speak_timestamp: state.requestToSpeakAt,
    member: member && memberPayload(model, member),
  };
}

export function guildPayload(guild: Guild) {
  return {
    id: guild.id,
    name: guild.name,
    icon: null,
    splash: null,
    discovery_splash: null,
    banner: null,
    description: null,
    home_header: null,
    owner_id: guild.ownerId,
    afk_channel_id: null,
    afk_timeout: 300,
    verification_level: 0,
    default_message_notifications: 1,
    explicit_content_filter: 0,
    roles: [...guild.roles.values()].map(rolePayload),
    emojis: [],
    stickers: [],
    features: [],
    mfa_level: 0,
    application_id: null,
    system_channel_id: guild.systemChannelId,
    system_channel_flags: 0,
    widget_enabled: false,
    widget_channel_id: null,
    max_presences: null,
    max_members: 500_000,
    max_stage_video_channel_users: 50,
    max_video_channel_users: 25,
    rules_channel_id: null,
    public_updates_channel_id: null,
    safety_alerts_channel_id: null,
    vanity_url_code: null,
    premium_tier: 0,
    premium_subscription_count: 0,
    premium_progress_bar_enabled: false,
    preferred_locale: guild.locale,
    nsfw: false,
    nsfw_level: 0,
    region: 'deprecated',
    incidents_data: null,
  };
}

const channelPayloads = (model: Model, guild: Guild, fits: (channel: Channel) => boolean) =>
  [...guild.channels.values()].filter(fits).map((channel) => channelPayload(model, channel));

export function guildCreatePayload(model: Model, guild: Guild, intents: number) {
  const seesVoice = (intents & INTENTS.GuildVoiceStates) !== 0;
  const seesAll = (intents & INTENTS.GuildPresences) !== 0;
  const listed = [...guild.members.values()].filter(
    (member) =>
      seesAll || member.userId === model.application.botId || (seesVoice && guild.voiceStates.has(member.userId)),
  );
  return {
    ...guildPayload(guild),
    joined_at: isoTime(guild.members.get(model.application.botId)?.joinedAtMs ?? 0),
    large: false,
    unavailable: false,
    member_count: guild.members.size,
    members: listed.map((member) => memberPayload(model, member)),
    channels: channelPayloads(model, guild, (channel) => channel.kind !== 'thread'),
    threads: channelPayloads(model, guild, (channel) => channel.kind === 'thread'),
    presences: [],
    stage_instances: [],
    guild_scheduled_events: [],
    soundboard_sounds: [],
    voice_states: seesVoice
      ? [...guild.voiceStates.values()].map((state) => {
          const { guild_id: _guildId, member: _member, ...rest } = voiceStatePayload(model, state);
          return rest;
        })
      : [],
  };
}

export function resolvedMemberPayload(guild: Guild, member: Member) {
  return { ...partialMemberPayload(member), permissions: guildPermissions(guild, member).toString() };
}
