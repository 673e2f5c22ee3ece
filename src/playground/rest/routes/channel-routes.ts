import { createMessage, deleteMessage, editMessage } from '../../state/messages.ts';
import { type Channel, MESSAGE_FLAGS, type Message } from '../../state/model.ts';
import { channelPayload } from '../../state/payloads/entities.ts';
import { messagePayload } from '../../state/payloads/messages.ts';
import { PERMISSIONS, writingPermission } from '../../state/permissions.ts';
import { botDirectMessages, sharesServer } from '../../state/private-channels.ts';
import { ATTACHMENT_LIMIT_BYTES } from '../../state/starting-model.ts';
import { checkFileSizes } from '../body.ts';
import { apiError } from '../errors.ts';
import { type Call, NO_CONTENT, ok, param, type RestResponse, type Route, route } from '../router.ts';
import { isObject, refuseForm } from '../rules/body-problems.ts';
import { readMessageEdit, readNewMessage } from '../rules/message-rules.ts';
import { channelOf, mustBeOpen, needs } from './access.ts';

const MESSAGE_LIMIT = { requests: 5, perMs: 5_000 };

/** https://discord.com/developers/docs/resources/channel and …/resources/message */
export const channelRoutes: readonly Route[] = [
  route('GET', '/channels/:channelId', (call) => ok(channelPayload(call.hub.model, channelOf(call).channel))),
  { method: 'POST', pattern: '/channels/:channelId/messages', limit: MESSAGE_LIMIT, handle: postMessage },
  route('GET', '/channels/:channelId/messages/:messageId', (call) => {
    needs(channelOf(call).bits, 'ReadMessageHistory');
    return ok(messagePayload(call.hub.model, messageOf(call)));
  }),
  {
    method: 'PATCH',
    pattern: '/channels/:channelId/messages/:messageId',
    limit: MESSAGE_LIMIT,
    handle: (call) => {
      const { channel } = channelOf(call);
      mustBeOpen(channel);
      checkFileSizes(call.body, ATTACHMENT_LIMIT_BYTES);
      const message = messageOf(call);
      if (message.authorId !== call.hub.model.application.botId) throw apiError('notYourMessage');
      editMessage(call.hub, message, readMessageEdit(call.hub, call.body, message));
      return ok(messagePayload(call.hub.model, message));
    },
  },
  {
    method: 'DELETE',
    pattern: '/channels/:channelId/messages/:messageId',
    limit: MESSAGE_LIMIT,
    handle: (call) => {
      const { bits } = channelOf(call);
      const message = messageOf(call);
      if (message.authorId !== call.hub.model.application.botId) needs(bits, 'ManageMessages');
      deleteMessage(call.hub, message);
      return NO_CONTENT;
    },
  },
  route('POST', '/users/@me/channels', openDirectMessage),
];

/** Ephemeral messages cannot be reached through the channel. */
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
  checkFileSizes(call.body, ATTACHMENT_LIMIT_BYTES);
  const json = isObject(call.body.json) ? call.body.json : {};
  const content = readNewMessage(call.hub, call.body, { in: 'channel', json, path: [] });
  if (content.flags & MESSAGE_FLAGS.IsVoiceMessage && !(bits & PERMISSIONS.SendVoiceMessages))
    throw apiError('voiceMessageForbidden');
  if (content.attachments.length > 0) needs(bits, 'AttachFiles');
  if (content.embeds.length > 0) needs(bits, 'EmbedLinks');
  if (json.tts === true) needs(bits, 'SendTTSMessages');
  const replyTo = isObject(json.message_reference) ? String(json.message_reference.message_id) : undefined;
  if (replyTo !== undefined) checkReference(call, json.message_reference as Record<string, unknown>, replyTo, bits);
  const nonce = json.nonce;
  const message = createMessage(call.hub, {
    ...content,
    channelId: channel.id,
    guildId: guild?.id,
    authorId: call.hub.model.application.botId,
    type: replyTo === undefined ? 0 : 19,
    replyTo,
    ...(typeof nonce === 'string' || typeof nonce === 'number' ? { nonce } : {}),
  });
  return ok(messagePayload(call.hub.model, message));
}

/** A bot writes to no strangers. */
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
  refuseForm(['message_reference'], 'MESSAGE_REFERENCE_UNKNOWN_MESSAGE', 'Unknown message');
}

/** https://discord.com/developers/docs/resources/user#create-dm */
function openDirectMessage(call: Call): RestResponse {
  const { hub } = call;
  const recipientId = isObject(call.body.json) ? String(call.body.json.recipient_id) : '';
  const user = hub.model.users.get(recipientId);
  if (!user) throw apiError('unknownUser');
  if (user.bot) throw apiError('cannotSendToUser');
  return ok(channelPayload(hub.model, botDirectMessages(hub, recipientId)));
}
