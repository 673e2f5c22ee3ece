import type { Attachment, Channel, Guild, Member, Message, Model, Role, User, VoiceState } from './model.ts';
import { CHANNEL_TYPES } from './model.ts';
import { channelPermissions, guildPermissions } from './permissions.ts';

/** How the API shows the model's objects: https://discord.com/developers/docs/resources/ */

const isoTime = (ms: number) => new Date(ms).toISOString().replace('Z', '000+00:00');

export function userPayload(user: User) {
  return {
    id: user.id,
    username: user.username,
    global_name: user.displayName,
    discriminator: user.bot ? '0001' : '0',
    avatar: null,
    bot: user.bot,
    public_flags: 0,
  };
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
    ...(role.botId === undefined ? {} : { tags: { bot_id: role.botId } }),
  };
}

function guildChannelFields(channel: Channel) {
  return {
    id: channel.id,
    type: CHANNEL_TYPES[channel.kind],
    guild_id: channel.guildId,
    name: channel.name,
    position: channel.position,
    parent_id: null,
    topic: null,
    nsfw: false,
    flags: 0,
    rate_limit_per_user: 0,
    last_message_id: channel.lastMessageId,
  };
}

export function channelPayload(model: Model, channel: Channel) {
  if (channel.kind === 'dm') {
    const recipient = model.users.get(channel.recipientId ?? '');
    return {
      id: channel.id,
      type: CHANNEL_TYPES.dm,
      last_message_id: channel.lastMessageId,
      flags: 0,
      recipients: recipient ? [userPayload(recipient)] : [],
    };
  }
  return {
    ...guildChannelFields(channel),
    permission_overwrites: channel.overwrites.map((overwrite) => ({
      id: overwrite.id,
      type: overwrite.kind === 'role' ? 0 : 1,
      allow: overwrite.allow.toString(),
      deny: overwrite.deny.toString(),
    })),
    ...(channel.kind === 'text' ? {} : { bitrate: 64_000, user_limit: channel.userLimit, rtc_region: null }),
  };
}

/** A channel as it stands in an interaction: with the permissions of who acts. */
export function partialChannelPayload(guild: Guild, member: Member, channel: Channel, nowMs: number) {
  return {
    ...guildChannelFields(channel),
    permissions: channelPermissions(guild, member, channel, nowMs).toString(),
  };
}

/** A member without its user, as in messages and resolved data. */
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
    ...(user ? { user: userPayload(user) } : {}),
  };
}

export function voiceStatePayload(model: Model, state: Omit<VoiceState, 'channelId'> & { channelId: string | null }) {
  const member = model.guilds.get(state.guildId)?.members.get(state.userId);
  return {
    guild_id: state.guildId,
    channel_id: state.channelId,
    user_id: state.userId,
    session_id: state.sessionId,
    deaf: member?.deaf ?? false,
    mute: member?.mute ?? false,
    self_deaf: state.selfDeaf,
    self_mute: state.selfMute,
    self_video: false,
    suppress: state.suppress,
    request_to_speak_timestamp: state.requestToSpeakAt,
    ...(member ? { member: memberPayload(model, member) } : {}),
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
    system_channel_id: null,
    system_channel_flags: 0,
    rules_channel_id: null,
    public_updates_channel_id: null,
    safety_alerts_channel_id: null,
    vanity_url_code: null,
    premium_tier: 0,
    premium_subscription_count: 0,
    premium_progress_bar_enabled: false,
    preferred_locale: guild.locale,
    nsfw_level: 0,
    region: 'deprecated',
    incidents_data: null,
  };
}

/** GUILD_CREATE. Without the GuildPresences intent Discord lists only the bot and the members in voice. */
export function guildCreatePayload(model: Model, guild: Guild, sees: { voiceStates: boolean; allMembers: boolean }) {
  const listed = [...guild.members.values()].filter(
    (member) =>
      sees.allMembers ||
      member.userId === model.application.botId ||
      (sees.voiceStates && guild.voiceStates.has(member.userId)),
  );
  return {
    ...guildPayload(guild),
    joined_at: isoTime(guild.members.get(model.application.botId)?.joinedAtMs ?? 0),
    large: false,
    unavailable: false,
    member_count: guild.members.size,
    members: listed.map((member) => memberPayload(model, member)),
    channels: [...guild.channels.values()].map((channel) => channelPayload(model, channel)),
    threads: [],
    presences: [],
    stage_instances: [],
    guild_scheduled_events: [],
    soundboard_sounds: [],
    voice_states: sees.voiceStates
      ? [...guild.voiceStates.values()].map((state) => {
          const { guild_id: _guildId, member: _member, ...rest } = voiceStatePayload(model, state);
          return rest;
        })
      : [],
  };
}

export function attachmentPayload(attachment: Attachment, ephemeral: boolean) {
  return {
    id: attachment.id,
    filename: attachment.filename,
    size: attachment.bytes.length,
    url: attachment.url,
    proxy_url: attachment.url,
    content_type: attachment.contentType,
    ...(ephemeral ? { ephemeral: true } : {}),
    ...(attachment.description === undefined ? {} : { description: attachment.description }),
    ...(attachment.durationSeconds === undefined ? {} : { duration_secs: attachment.durationSeconds }),
    ...(attachment.waveform === undefined ? {} : { waveform: attachment.waveform }),
  };
}

const USER_MENTION = /<@!?(\d{17,20})>/g;
const ROLE_MENTION = /<@&(\d{17,20})>/g;

export function messagePayload(model: Model, message: Message): Record<string, unknown> {
  const author = model.users.get(message.authorId);
  const mentioned = [...message.content.matchAll(USER_MENTION)].flatMap(([, id]) => model.users.get(id ?? '') ?? []);
  const interaction = message.interaction;
  const interactionUser = interaction && model.users.get(interaction.userId);
  const repliedTo = message.replyTo === undefined ? undefined : model.messages.get(message.replyTo);
  return {
    id: message.id,
    channel_id: message.channelId,
    type: message.type,
    content: message.content,
    author: author ? userPayload(author) : null,
    timestamp: isoTime(message.createdAtMs),
    edited_timestamp: message.editedAtMs === null ? null : isoTime(message.editedAtMs),
    tts: false,
    mention_everyone: false,
    mentions: [...new Set(mentioned)].map(userPayload),
    mention_roles: [...message.content.matchAll(ROLE_MENTION)].map(([, id]) => id),
    attachments: message.attachments.map((attachment) => attachmentPayload(attachment, message.onlyFor !== undefined)),
    embeds: message.embeds,
    components: message.components,
    pinned: false,
    flags: message.flags,
    ...(message.nonce === undefined ? {} : { nonce: message.nonce }),
    ...(repliedTo === undefined
      ? {}
      : {
          message_reference: {
            type: 0,
            message_id: repliedTo.id,
            channel_id: repliedTo.channelId,
            guild_id: repliedTo.guildId,
          },
          referenced_message: repliedTo.deleted ? null : messagePayload(model, { ...repliedTo, replyTo: undefined }),
        }),
    ...(interaction === undefined || interactionUser === undefined
      ? {}
      : {
          application_id: interaction.appId,
          webhook_id: interaction.appId,
          interaction_metadata: {
            id: interaction.id,
            type: interaction.type,
            user: userPayload(interactionUser),
            authorizing_integration_owners: message.guildId ? { 0: message.guildId } : { 0: '0' },
          },
          ...(interaction.name === undefined
            ? {}
            : {
                interaction: {
                  id: interaction.id,
                  type: interaction.type,
                  name: interaction.name,
                  user: userPayload(interactionUser),
                },
              }),
        }),
  };
}

/** `permissions` of an interaction's member, and `app_permissions`. */
export function memberInChannelPayload(model: Model, guild: Guild, member: Member, channel: Channel, nowMs: number) {
  return {
    ...memberPayload(model, member),
    permissions: channelPermissions(guild, member, channel, nowMs).toString(),
  };
}

export function resolvedMemberPayload(guild: Guild, member: Member) {
  return { ...partialMemberPayload(member), permissions: guildPermissions(guild, member).toString() };
}
