import { leaveGuild } from '../../state/guilds.ts';
import { botDirectMessages, isPrivateToOthers, sharesServer } from '../../state/installations.ts';
import { createMessage, deleteMessage, editMessage, messagePayload } from '../../state/messages.ts';
import { type Channel, findChannel, type Guild, MESSAGE_FLAGS, type Member, type Message } from '../../state/model.ts';
import { channelPayload, guildPayload, memberPayload, voiceStatePayload } from '../../state/payloads.ts';
import {
  ALL_PERMISSIONS,
  channelPermissions,
  guildPermissions,
  PERMISSIONS,
  type PermissionName,
  permissionBits,
  writingPermission,
} from '../../state/permissions.ts';
import { changeVoiceState } from '../../state/voice-states.ts';
import { apiError, isObject, readForm, refuseForm } from '../problems.ts';
import {
  type Call,
  checkFileSizes,
  limitedRoute,
  NO_CONTENT,
  ok,
  param,
  type RestResponse,
  type Route,
  route,
} from '../router.ts';
import { readMessageEdit, readNewMessage } from '../rules/message-rules.ts';

function guildOf(call: Call): { guild: Guild; bot: Member } {
  const guild = call.hub.model.guilds.get(param(call, 'guildId'));
  const bot = guild?.members.get(call.hub.model.application.botId);
  if (!guild || !bot) throw apiError('unknownGuild');
  if (!guild.available) throw apiError('missingAccess');
  return { guild, bot };
}

/** Throws Discord's error 50001 if the bot cannot see the channel. In direct messages it has all permissions. */
function channelOf(call: Call): { channel: Channel; guild: Guild | undefined; bits: bigint } {
  const { model, clock } = call.hub;
  const channel = findChannel(model, param(call, 'channelId'));
  if (!channel) throw apiError('unknownChannel');
  if (isPrivateToOthers(call.hub, channel)) throw apiError('missingAccess');
  if (channel.guildId === undefined) return { channel, guild: undefined, bits: ALL_PERMISSIONS };
  const guild = model.guilds.get(channel.guildId);
  const bot = guild?.members.get(model.application.botId);
  if (!guild || !bot) throw apiError('missingAccess');
  const bits = channelPermissions(guild, bot, channel, clock.now());
  if (!(bits & PERMISSIONS.ViewChannel)) throw apiError('missingAccess');
  return { channel, guild, bits };
}

/** The bot can neither post nor edit messages in a closed and locked thread. */
export function mustBeOpen({ isLocked }: Channel): void {
  if (isLocked) throw apiError('threadArchived');
}

function needs(bits: bigint, ...names: PermissionName[]): void {
  const needed = permissionBits(names);
  if ((bits & needed) !== needed) throw apiError('missingPermissions');
}

const MESSAGE_LIMIT = { requests: 5, perMs: 5_000 };

export const guildRoutes: readonly Route[] = [
  route('GET', '/guilds/:guildId', (call) => ok(guildWithCounts(call))),
  route('GET', '/guilds/:guildId/members/search', searchMembers),
  route('GET', '/guilds/:guildId/members/:userId', (call) => ok(memberPayload(call.hub.model, memberOf(call).member))),
  route('GET', '/guilds/:guildId/voice-states/:userId', (call) =>
    ok(voiceStatePayload(call.hub.model, voiceStateOf(call).state)),
  ),
  route('PATCH', '/guilds/:guildId/voice-states/:userId', modifyVoiceState),
  route('GET', '/users/@me/guilds', ({ hub }) =>
    ok(
      [...hub.model.guilds.values()].flatMap((guild) => {
        const bot = guild.members.get(hub.model.application.botId);
        if (!bot) return [];
        const permissions = guildPermissions(guild, bot).toString();
        return [{ id: guild.id, name: guild.name, icon: null, banner: null, owner: false, permissions, features: [] }];
      }),
    ),
  ),
  route('DELETE', '/users/@me/guilds/:guildId', (call) => {
    leaveGuild(call.hub, guildOf(call).guild);
    return NO_CONTENT;
  }),
  route('GET', '/channels/:channelId', (call) => ok(channelPayload(call.hub.model, channelOf(call).channel))),
  limitedRoute(MESSAGE_LIMIT, 'POST', '/channels/:channelId/messages', postMessage),
  route('GET', '/channels/:channelId/messages/:messageId', (call) => {
    needs(channelOf(call).bits, 'ReadMessageHistory');
    return ok(messagePayload(call.hub.model, messageOf(call)));
  }),
  limitedRoute(MESSAGE_LIMIT, 'PATCH', '/channels/:channelId/messages/:messageId', (call) => {
    const { channel } = channelOf(call);
    mustBeOpen(channel);
    checkFileSizes(call.body);
    const message = messageOf(call);
    if (message.authorId !== call.hub.model.application.botId) throw apiError('notYourMessage');
    editMessage(call.hub, message, readMessageEdit(call.hub, call.body, message));
    return ok(messagePayload(call.hub.model, message));
  }),
  limitedRoute(MESSAGE_LIMIT, 'DELETE', '/channels/:channelId/messages/:messageId', (call) => {
    const { bits } = channelOf(call);
    const message = messageOf(call);
    if (message.authorId !== call.hub.model.application.botId) needs(bits, 'ManageMessages');
    deleteMessage(call.hub, message);
    return NO_CONTENT;
  }),
  route('POST', '/users/@me/channels', openDirectMessage),
];

function guildWithCounts(call: Call) {
  const { guild } = guildOf(call);
  const counts = { approximate_member_count: guild.members.size, approximate_presence_count: guild.members.size };
  return { ...guildPayload(guild), ...(call.query.get('with_counts') === 'true' ? counts : {}) };
}

function memberOf(call: Call): { guild: Guild; bot: Member; member: Member } {
  const { guild, bot } = guildOf(call);
  const id = param(call, 'userId');
  const member = guild.members.get(id === '@me' ? bot.userId : id);
  if (!member) throw apiError(call.hub.model.users.has(id) ? 'unknownMember' : 'unknownUser');
  return { guild, bot, member };
}

function searchMembers(call: Call): RestResponse {
  const { guild } = guildOf(call);
  const given = { query: call.query.get('query'), limit: Number(call.query.get('limit') ?? 1) };
  const { query, limit } = readForm(given, [], (fields) => ({
    query: (fields.text('query', { max: 100, required: true }) ?? '').toLowerCase(),
    limit: fields.integer('limit', { min: 1, max: 1_000 }),
  }));
  const found = [...guild.members.values()].filter((member) => {
    const user = call.hub.model.users.get(member.userId);
    return [user?.username, user?.displayName, member.nick].some((name) => name?.toLowerCase().startsWith(query));
  });
  return ok(found.slice(0, limit).map((member) => memberPayload(call.hub.model, member)));
}

function voiceStateOf(call: Call) {
  const found = memberOf(call);
  const state = found.guild.voiceStates.get(found.member.userId);
  if (!state) throw apiError('unknownVoiceState');
  return { ...found, state };
}

/**
 * On a stage, moves the bot or another member between speakers and audience, or changes a request to speak:
 * https://discord.com/developers/docs/resources/voice#modify-current-user-voice-state
 */
function modifyVoiceState(call: Call): RestResponse {
  const { guild, bot, member, state } = voiceStateOf(call);
  const { suppress, request, channelId } = readForm(call.body.json, [], (fields) => {
    const { channel_id = null, request_to_speak_timestamp: time } = fields.json;
    if (typeof time === 'string' && !Number.isFinite(Date.parse(time)))
      fields.fail('request_to_speak_timestamp', 'DATE_TIME_TYPE_PARSE', `Could not parse ${time}. Should be ISO8601.`);
    return { suppress: fields.flag('suppress'), request: time, channelId: channel_id ?? state.channelId };
  });
  const channel = guild.channels.get(String(channelId));
  if (!channel) throw apiError('unknownChannel');
  if (channel.kind !== 'stage') throw apiError('wrongChannelType');
  if (state.channelId !== channel.id) throw apiError('unknownVoiceState');
  const bits = channelPermissions(guild, bot, channel, call.hub.clock.now());
  const isSelf = member.userId === bot.userId;
  if (suppress === false || (suppress === true && !isSelf)) needs(bits, 'MuteMembers');
  if (typeof request === 'string') needs(bits, 'RequestToSpeak');
  changeVoiceState(call.hub, state, {
    suppress: suppress ?? state.suppress,
    requestToSpeakAt: request === undefined ? state.requestToSpeakAt : request === null ? null : String(request),
  });
  return NO_CONTENT;
}

/** Discord does not serve ephemeral messages through the channel. */
function messageOf(call: Call): Message {
  const message = call.hub.model.messages.get(param(call, 'messageId'));
  const there =
    message && !message.deleted && message.channelId === param(call, 'channelId') && message.onlyFor === undefined;
  if (!there) throw apiError('unknownMessage');
  return message;
}

function postMessage(call: Call): RestResponse {
  const { channel, guild, bits } = channelOf(call);
  if (channel.kind === 'forum') throw apiError('notATextChannel');
  needs(bits, writingPermission(channel));
  mustBeOpen(channel);
  if (!guild) checkRecipient(call, channel);
  checkFileSizes(call.body);
  const json = isObject(call.body.json) ? call.body.json : {};
  const content = readNewMessage(call.hub, call.body, { in: 'channel', json, path: [] });
  if (content.flags & MESSAGE_FLAGS.IsVoiceMessage && !(bits & PERMISSIONS.SendVoiceMessages))
    throw apiError('voiceMessageForbidden');
  if (content.attachments.length > 0) needs(bits, 'AttachFiles');
  if (json.tts === true) needs(bits, 'SendTTSMessages');
  const replyTo = isObject(json.message_reference) ? String(json.message_reference.message_id) : undefined;
  if (replyTo !== undefined) checkReference(call, json.message_reference as Record<string, unknown>, replyTo, bits);
  const nonce = json.nonce;
  const message = createMessage(call.hub, channel, {
    ...content,
    authorId: call.hub.model.application.botId,
    replyTo,
    nonce: typeof nonce === 'string' || typeof nonce === 'number' ? nonce : undefined,
  });
  return ok(messagePayload(call.hub.model, message));
}

function checkRecipient({ hub }: Call, channel: Channel): void {
  const { application, users, userInstalls } = hub.model;
  const recipient = users.get(channel.participants?.find((id) => id !== application.botId) ?? '');
  if (!recipient || userInstalls.has(recipient.id)) return;
  if (!sharesServer(hub, recipient.id)) throw apiError('noMutualGuilds');
}

function checkReference(call: Call, reference: Record<string, unknown>, replyTo: string, bits: bigint): void {
  needs(bits, 'ReadMessageHistory');
  const target = call.hub.model.messages.get(replyTo);
  const there = target && !target.deleted && target.channelId === param(call, 'channelId');
  if (there || reference.fail_if_not_exists === false) return;
  refuseForm(['message_reference'], 'MESSAGE_REFERENCE_UNKNOWN_MESSAGE');
}

function openDirectMessage(call: Call): RestResponse {
  const { hub } = call;
  const recipientId = isObject(call.body.json) ? String(call.body.json.recipient_id) : '';
  const user = hub.model.users.get(recipientId);
  if (!user) throw apiError('unknownUser');
  if (user.bot) throw apiError('cannotSendToUser');
  return ok(channelPayload(hub.model, botDirectMessages(hub, recipientId)));
}
