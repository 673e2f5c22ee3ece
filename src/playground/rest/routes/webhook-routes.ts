import { addReply, editReply, type Interaction, originalMessage } from '../../state/interactions.ts';
import { deleteMessage } from '../../state/messages.ts';
import type { Message } from '../../state/model.ts';
import { messagePayload } from '../../state/payloads/messages.ts';
import { ATTACHMENT_LIMIT_BYTES } from '../../state/starting-model.ts';
import { checkFileSizes } from '../body.ts';
import { apiError } from '../errors.ts';
import { type Call, NO_CONTENT, ok, param, type RestResponse, type Route } from '../router.ts';
import { readMessageEdit, readNewMessage } from '../rules/message-rules.ts';
import { mustBeOpen, needsToAnswer } from './access.ts';

const LIMIT = { requests: 5, perMs: 2_000 };
/** No more often than in a channel. */
const EDIT_LIMIT = { requests: 5, perMs: 5_000 };

/** https://discord.com/developers/docs/interactions/receiving-and-responding#endpoints */
export const webhookRoutes: readonly Route[] = [
  { method: 'POST', pattern: '/webhooks/:applicationId/:token', open: true, limit: LIMIT, handle: followUp },
  {
    method: 'GET',
    pattern: '/webhooks/:applicationId/:token/messages/:messageId',
    open: true,
    handle: (call) => ok(messagePayload(call.hub.model, namedMessage(call, answered(call)))),
  },
  {
    method: 'PATCH',
    pattern: '/webhooks/:applicationId/:token/messages/:messageId',
    open: true,
    limit: EDIT_LIMIT,
    handle: (call) => {
      const interaction = answered(call);
      const message = namedMessage(call, interaction);
      mustBeOpen(interaction.channel);
      editReply(call.hub, interaction, message, readMessageEdit(call.hub, call.body, message));
      return ok(messagePayload(call.hub.model, message));
    },
  },
  {
    method: 'DELETE',
    pattern: '/webhooks/:applicationId/:token/messages/:messageId',
    open: true,
    limit: LIMIT,
    handle: (call) => {
      const interaction = answered(call);
      mustBeOpen(interaction.channel);
      deleteMessage(call.hub, namedMessage(call, interaction));
      return NO_CONTENT;
    },
  },
];

/** The interaction of the token, once it has been answered; the token dies after 15 minutes. */
function answered(call: Call): Interaction {
  const interaction = call.interactions.byToken(param(call, 'token'));
  if (!interaction || param(call, 'applicationId') !== call.hub.model.application.id)
    throw apiError('invalidWebhookToken');
  checkFileSizes(call.body, ATTACHMENT_LIMIT_BYTES);
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
 * A follow-up. Directly after a deferral it functions as an edit of the deferred message instead of making a new one: the
 * ephemeral flag of the deferral stands, and a voice message becomes a plain file, because an edit makes none.
 * receiving-and-responding#create-followup-message, discord-api-docs pull request 7267
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
  // Only for applications installed to a user alone: receiving-and-responding#create-followup-message
  if (interaction.owners['0'] === undefined && interaction.followUps >= MAX_FOLLOW_UPS)
    throw apiError('tooManyFollowUps');
  interaction.followUps += 1;
  return ok(messagePayload(hub.model, addReply(hub, interaction, content)));
}

const MAX_FOLLOW_UPS = 5;
