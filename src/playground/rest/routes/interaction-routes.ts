import {
  addReply,
  type Choice,
  editReply,
  INTERACTION_TYPES,
  type Interaction,
  type InteractionResponse,
  originalMessage,
} from '../../state/interactions.ts';
import { deleteMessage, messagePayload } from '../../state/messages.ts';
import { MESSAGE_FLAGS, type Message, type MessageContent } from '../../state/model.ts';
import { channelPermissions, PERMISSIONS } from '../../state/permissions.ts';
import { apiError, type Fields, isObject, type Json, readForm } from '../problems.ts';
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
import { readTranslations } from '../rules/command-rules.ts';
import { checkModal } from '../rules/component-rules.ts';
import { readMessageEdit, readNewMessage } from '../rules/message-rules.ts';
import { mustBeOpen } from './guild-routes.ts';

/** Type numbers of a bot's answers: receiving-and-responding#interaction-response-object-interaction-callback-type */
const CALLBACK = { message: 4, deferredMessage: 5, deferredUpdate: 6, update: 7, choices: 8, modal: 9 } as const;

const ALLOWED: Readonly<Record<Interaction['kind'], readonly number[]>> = {
  command: [CALLBACK.message, CALLBACK.deferredMessage, CALLBACK.modal],
  component: [CALLBACK.message, CALLBACK.deferredMessage, CALLBACK.deferredUpdate, CALLBACK.update, CALLBACK.modal],
  autocomplete: [CALLBACK.choices],
  modalSubmit: [CALLBACK.message, CALLBACK.deferredMessage, CALLBACK.deferredUpdate, CALLBACK.update],
};

const MAX_FOLLOW_UPS = 5;
const LIMIT = { requests: 5, perMs: 2_000 };
/** Edits of an answer to an interaction have the same rate limit as edits in a channel, but are counted separately. */
const EDIT_LIMIT = { requests: 5, perMs: 5_000 };

const REPLY = '/webhooks/:applicationId/:token/messages/:messageId';

/** Routes of interactions need no bot token, because their paths contain the interaction's own token. */
export const interactionRoutes: readonly Route[] = [
  route('POST', '/interactions/:interactionId/:token/callback', answerInteraction),
  limitedRoute(LIMIT, 'POST', '/webhooks/:applicationId/:token', followUp),
  route('GET', REPLY, (call) => ok(messagePayload(call.hub.model, namedMessage(call, answered(call))))),
  limitedRoute(EDIT_LIMIT, 'PATCH', REPLY, (call) => {
    const interaction = answered(call);
    const message = namedMessage(call, interaction);
    mustBeOpen(interaction.channel);
    editReply(call.hub, interaction, message, readMessageEdit(call.hub, call.body, message));
    return ok(messagePayload(call.hub.model, message));
  }),
  limitedRoute(LIMIT, 'DELETE', REPLY, (call) => {
    const interaction = answered(call);
    mustBeOpen(interaction.channel);
    deleteMessage(call.hub, namedMessage(call, interaction));
    return NO_CONTENT;
  }),
].map((closed) => ({ ...closed, open: true }));

function answerInteraction(call: Call): RestResponse {
  const { hub } = call;
  const interaction = call.interactions.byId(param(call, 'interactionId'));
  if (!interaction || interaction.token !== param(call, 'token')) throw apiError('unknownInteraction');
  if (interaction.response.kind === 'timed-out') throw apiError('unknownInteraction');
  if (interaction.response.kind !== 'pending') throw apiError('alreadyAcknowledged');
  if (interaction.kind !== 'autocomplete') mustBeOpen(interaction.channel);
  checkFileSizes(call.body);
  const allowed = ALLOWED[interaction.kind].filter((type) => interaction.sourceMessage || type < 6 || type > 7);
  const { type, data } = readForm(call.body.json, [], (fields) => ({
    type: fields.oneOf('type', allowed, true) ?? 0,
    data: isObject(fields.json.data) ? fields.json.data : {},
  }));
  const { response, message } = respond(call, interaction, type, data);
  interaction.response = response;
  interaction.acknowledgedAtMs = performance.now();
  hub.changed();
  if (call.query.get('with_response') !== 'true') return NO_CONTENT;
  return { status: 200, body: callbackResponse(call, interaction, type, message) };
}

function respond(
  call: Call,
  interaction: Interaction,
  type: number,
  data: Json,
): { response: InteractionResponse; message?: Message } {
  const { hub } = call;
  switch (type) {
    case CALLBACK.message: {
      const content = readNewMessage(hub, call.body, { in: 'interaction', json: data, path: ['data'] });
      needsToAnswer(call, interaction, content);
      const message = addReply(hub, interaction, content);
      return { response: { kind: 'message', messageId: message.id }, message };
    }
    case CALLBACK.deferredMessage: {
      const given = readForm(data, ['data'], (fields) =>
        fields.integer('flags', { min: 0, max: Number.POSITIVE_INFINITY }),
      );
      const flags = (given ?? 0) & (MESSAGE_FLAGS.Ephemeral | MESSAGE_FLAGS.IsComponentsV2);
      const empty = { content: '', embeds: [], components: [], attachments: [] };
      const message = addReply(hub, interaction, { ...empty, flags: flags | MESSAGE_FLAGS.Loading });
      return { response: { kind: 'deferred', messageId: message.id, filled: false }, message };
    }
    case CALLBACK.deferredUpdate:
      return { response: { kind: 'deferred-update', messageId: sourceOf(interaction).id } };
    case CALLBACK.update: {
      const source = sourceOf(interaction);
      const message = editReply(hub, interaction, source, readMessageEdit(hub, { ...call.body, json: data }, source));
      return { response: { kind: 'update', messageId: message.id }, message };
    }
    case CALLBACK.choices:
      return { response: { kind: 'choices', choices: readForm(data, ['data'], readChoices) } };
    default: {
      readForm(data, ['data'], checkModal);
      const [customId, title] = [String(data.custom_id), String(data.title)];
      return { response: { kind: 'modal', customId, title, components: data.components as unknown[] } };
    }
  }
}

function sourceOf(interaction: Interaction): Message {
  if (!interaction.sourceMessage || interaction.sourceMessage.deleted) throw apiError('unknownMessage');
  return interaction.sourceMessage;
}

/** Reads the choices of an autocomplete answer: receiving-and-responding#interaction-response-object-autocomplete */
function readChoices(fields: Fields): Choice[] {
  return fields.objects('choices', { max: 25, required: true }).map((one) => {
    const name = one.text('name', { min: 1, max: 100, required: true }) ?? '';
    readTranslations(one, 'name_localizations');
    const value =
      typeof one.json.value === 'number' ? one.json.value : one.text('value', { min: 1, max: 100, required: true });
    return { name, value: value ?? '' };
  });
}

function callbackResponse(call: Call, interaction: Interaction, type: number, message: Message | undefined) {
  const { model } = call.hub;
  return {
    interaction: {
      id: interaction.id,
      type: INTERACTION_TYPES[interaction.kind],
      response_message_id: message?.id,
      response_message_loading: message && (message.flags & MESSAGE_FLAGS.Loading) !== 0,
      response_message_ephemeral: message && message.onlyFor !== undefined,
      channel_id: message?.channelId,
      guild_id: message?.guildId,
    },
    resource: { type, message: message && messagePayload(model, message) },
  };
}

/** Throws before the bot's first answer, and after 15 minutes, when the token expires. */
function answered(call: Call): Interaction {
  const interaction = call.interactions.byToken(param(call, 'token'));
  if (!interaction || param(call, 'applicationId') !== call.hub.model.application.id)
    throw apiError('invalidWebhookToken');
  checkFileSizes(call.body);
  const { kind } = interaction.response;
  if (kind === 'pending' || kind === 'timed-out' || kind === 'choices') throw apiError('unknownWebhook');
  return interaction;
}

function namedMessage(call: Call, interaction: Interaction): Message {
  const id = param(call, 'messageId');
  if (id === '@original') {
    const original = originalMessage(call.hub, interaction);
    if (!original) throw apiError('unknownMessage');
    return original;
  }
  const message = call.hub.model.messages.get(id);
  const ours =
    interaction.messageIds.includes(id) ||
    ('messageId' in interaction.response && interaction.response.messageId === id);
  if (!message || message.deleted || !ours) throw apiError('unknownMessage');
  return message;
}

/**
 * The first follow-up to a deferral replaces “thinking”. The deferral's ephemeral flag stays, and a voice message
 * becomes a plain file. receiving-and-responding#create-followup-message, discord-api-docs pull request 7267
 */
function followUp(call: Call): RestResponse {
  const { hub } = call;
  const interaction = answered(call);
  mustBeOpen(interaction.channel);
  const original = originalMessage(hub, interaction);
  const { response } = interaction;
  if (response.kind === 'deferred' && !response.filled && original) {
    editReply(hub, interaction, original, readMessageEdit(hub, call.body, original));
    return ok(messagePayload(hub.model, original));
  }
  const content = readNewMessage(hub, call.body, { in: 'interaction', json: call.body.json, path: [] });
  needsToAnswer(call, interaction, content);
  // Discord limits the number of follow-up messages only for a bot that is installed to the user alone.
  if (interaction.owners['0'] === undefined && interaction.followUps >= MAX_FOLLOW_UPS)
    throw apiError('tooManyFollowUps');
  interaction.followUps += 1;
  return ok(messagePayload(hub.model, addReply(hub, interaction, content)));
}

/** Only an answer with a voice message needs a permission: the bot's or, outside its servers, the user's (change log, 29 June 2022). */
function needsToAnswer({ hub }: Call, { guild, channel, userId }: Interaction, { flags }: MessageContent): void {
  if (!guild || !(flags & MESSAGE_FLAGS.IsVoiceMessage)) return;
  const member = guild.members.get(hub.model.application.botId) ?? guild.members.get(userId);
  const bits = member ? channelPermissions(guild, member, channel, hub.clock.now()) : 0n;
  if (!(bits & PERMISSIONS.SendVoiceMessages)) throw apiError('voiceMessageForbidden');
}
