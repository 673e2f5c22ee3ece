import type { Attachment, Forwarded, InteractionMetadata, Message, Model } from '../model.ts';
import { isoTime, userPayload } from './entities.ts';

/** How the API shows messages and their files: https://discord.com/developers/docs/resources/message */
export function attachmentPayload(attachment: Attachment, ephemeral: boolean) {
  return {
    id: attachment.id,
    filename: attachment.filename,
    size: attachment.bytes.length,
    url: attachment.url,
    proxy_url: attachment.url,
    content_type: attachment.contentType,
    ephemeral: ephemeral || undefined,
    description: attachment.description,
    duration_secs: attachment.durationSeconds,
    waveform: attachment.waveform,
  };
}

const USER_MENTION = /<@!?(\d{17,20})>/g;
const ROLE_MENTION = /<@&(\d{17,20})>/g;

function authorPayload(model: Model, message: Message) {
  const { webhook } = message;
  if (webhook) {
    const { id, name: username } = webhook;
    return { ...userPayload({ id, username, displayName: null, bot: true }), discriminator: '0000' };
  }
  const author = model.users.get(message.authorId);
  return author ? userPayload(author) : null;
}

/** The parts of a message in its forwards: https://discord.com/developers/docs/resources/message#message-snapshot-object */
const IN_SNAPSHOT = [
  'type',
  'content',
  'embeds',
  'attachments',
  'timestamp',
  'edited_timestamp',
  'flags',
  'mentions',
  'mention_roles',
  'sticker_items',
  'components',
];

export function forwardedFrom(model: Model, message: Message): Forwarded {
  const { id: messageId, channelId, guildId } = message;
  const payload = messagePayload(model, message);
  const snapshot = Object.fromEntries(IN_SNAPSHOT.filter((key) => key in payload).map((key) => [key, payload[key]]));
  return { messageId, channelId, guildId, snapshot };
}

function forwardPayload({ messageId, channelId, guildId, snapshot }: Forwarded) {
  return {
    message_reference: { type: 1, message_id: messageId, channel_id: channelId, guild_id: guildId },
    message_snapshots: [{ message: snapshot }],
  };
}

/** https://discord.com/developers/docs/resources/message#message-interaction-metadata-object */
function metadataPayload(model: Model, metadata: InteractionMetadata): Record<string, unknown> {
  const user = model.users.get(metadata.userId);
  return {
    id: metadata.id,
    type: metadata.type,
    user: user && userPayload(user),
    authorizing_integration_owners: metadata.owners,
    interacted_message_id: metadata.interactedMessageId,
    triggering_interaction_metadata: metadata.triggeredBy && metadataPayload(model, metadata.triggeredBy),
  };
}

export function messagePayload(model: Model, message: Message): Record<string, unknown> {
  const named = [...message.content.matchAll(USER_MENTION)].map(([, id]) => id ?? '');
  const mentioned = [...named, ...(message.pings ?? [])].flatMap((id) => model.users.get(id) ?? []);
  const interaction = message.interaction;
  const interactionUser = interaction && model.users.get(interaction.userId);
  const repliedTo = message.replyTo === undefined ? undefined : model.messages.get(message.replyTo);
  return {
    id: message.id,
    channel_id: message.channelId,
    type: message.type,
    content: message.content,
    author: authorPayload(model, message),
    timestamp: isoTime(message.createdAtMs),
    edited_timestamp: message.editedAtMs === null ? null : isoTime(message.editedAtMs),
    tts: false,
    mention_everyone: message.mentionsEveryone ?? false,
    mentions: [...new Set(mentioned)].map(userPayload),
    mention_roles: [...new Set([...message.content.matchAll(ROLE_MENTION)].map(([, id]) => id))],
    attachments: message.attachments.map((attachment) => attachmentPayload(attachment, message.onlyFor !== undefined)),
    embeds: message.embeds,
    components: message.components,
    sticker_items: message.stickers?.map((sticker) => ({ ...sticker, format_type: 1 })),
    webhook_id: message.webhook?.id,
    pinned: false,
    flags: message.flags,
    nonce: message.nonce,
    ...(message.forwards ? forwardPayload(message.forwards) : {}),
    ...(repliedTo && {
      message_reference: {
        type: 0,
        message_id: repliedTo.id,
        channel_id: repliedTo.channelId,
        guild_id: repliedTo.guildId,
      },
      referenced_message: repliedTo.deleted ? null : messagePayload(model, { ...repliedTo, replyTo: undefined }),
    }),
    ...(interaction &&
      interactionUser && {
        application_id: interaction.appId,
        webhook_id: interaction.appId,
        interaction_metadata: metadataPayload(model, interaction),
        interaction:
          interaction.name === undefined
            ? undefined
            : {
                id: interaction.id,
                type: interaction.type,
                name: interaction.name,
                user: userPayload(interactionUser),
              },
      }),
  };
}
