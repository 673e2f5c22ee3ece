import type { Hub } from './hub.ts';
import { isPrivateToOthers } from './installations.ts';
import { INTENTS } from './intents.ts';
import {
  type Attachment,
  type Channel,
  findChannel,
  type InteractionMetadata,
  MESSAGE_FLAGS,
  type Message,
  type MessageContent,
  type Model,
} from './model.ts';
import { isoTime, partialMemberPayload, userPayload } from './payloads.ts';
import { channelPermissions, PERMISSIONS } from './permissions.ts';

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

type NewAttachment = Pick<Attachment, 'filename' | 'contentType' | 'bytes'> & Partial<Attachment>;

export function newAttachment(hub: Hub, details: NewAttachment): Attachment {
  const id = hub.newId();
  return {
    id,
    url: `${hub.origin}/attachments/0/${id}/${encodeURIComponent(details.filename)}`,
    description: undefined,
    waveform: undefined,
    durationSeconds: undefined,
    ...details,
  };
}

const USER_MENTION = /<@!?(\d{17,20})>/g;
const ROLE_MENTION = /<@&(\d{17,20})>/g;

function authorPayload(model: Model, message: Message) {
  const { webhook } = message;
  if (webhook) {
    const { id, name: username } = webhook;
    return { ...userPayload({ id, username, displayName: null, bot: true, locale: '' }), discriminator: '0000' };
  }
  const author = model.users.get(message.authorId);
  return author ? userPayload(author) : null;
}

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

const answeredPayload = (model: Model, message: Message) =>
  message.deleted ? null : messagePayload(model, { ...message, replyTo: undefined });

export function messagePayload(model: Model, message: Message): Record<string, unknown> {
  const named = [...message.content.matchAll(USER_MENTION)].map(([, id]) => id ?? '');
  const mentioned = [...named, ...message.pings].flatMap((id) => model.users.get(id) ?? []);
  const { interaction } = message;
  const user = interaction && model.users.get(interaction.userId);
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
    mention_everyone: message.mentionsEveryone,
    mentions: [...new Set(mentioned)].map(userPayload),
    mention_roles: [...new Set([...message.content.matchAll(ROLE_MENTION)].map(([, id]) => id))],
    attachments: message.attachments.map((attachment) => attachmentPayload(attachment, message.onlyFor !== undefined)),
    embeds: message.embeds,
    components: message.components,
    webhook_id: message.webhook?.id ?? interaction?.appId,
    pinned: false,
    flags: message.flags,
    nonce: message.nonce,
    message_reference: repliedTo && {
      type: 0,
      message_id: repliedTo.id,
      channel_id: repliedTo.channelId,
      guild_id: repliedTo.guildId,
    },
    referenced_message: repliedTo && answeredPayload(model, repliedTo),
    application_id: interaction?.appId,
    interaction_metadata: interaction && metadataPayload(model, interaction),
    interaction:
      interaction?.name === undefined
        ? undefined
        : { id: interaction.id, type: interaction.type, name: interaction.name, user: user && userPayload(user) },
  };
}

/**
 * A message as the gateway sends it: without the intent MessageContent, most messages lack their text.
 * https://discord.com/developers/docs/events/gateway#message-content-intent
 */
function gatewayMessage(hub: Hub, message: Message, intents: number): Record<string, unknown> {
  const { model } = hub;
  const payload = messagePayload(model, message);
  const guild = message.guildId === undefined ? undefined : model.guilds.get(message.guildId);
  const member = guild?.members.get(message.authorId);
  if (guild) payload.guild_id = guild.id;
  if (member) payload.member = { ...partialMemberPayload(member), deaf: member.deaf, mute: member.mute };
  const bot = model.application.botId;
  const mentionsBot = (payload.mentions as { id: string }[]).some(({ id }) => id === bot);
  if (intents & INTENTS.MessageContent || message.authorId === bot || !guild || mentionsBot) return payload;
  return { ...payload, content: '', embeds: [], attachments: [], components: [] };
}

/** Ephemeral messages reach the bot only in Discord's responses to its REST requests. */
function publishMessage(hub: Hub, name: 'MESSAGE_CREATE' | 'MESSAGE_UPDATE', message: Message) {
  if (message.onlyFor !== undefined || !botSees(hub, message)) return hub.changed();
  hub.publish({
    name,
    guildId: message.guildId,
    always: false,
    render: (intents) => gatewayMessage(hub, message, intents),
  });
}

function botSees(hub: Hub, message: Message): boolean {
  const guild = message.guildId === undefined ? undefined : hub.model.guilds.get(message.guildId);
  if (!guild) {
    const channel = findChannel(hub.model, message.channelId);
    return channel !== undefined && !isPrivateToOthers(hub, channel);
  }
  const bot = guild.members.get(hub.model.application.botId);
  const channel = guild.channels.get(message.channelId);
  if (!bot || !channel) return false;
  return (channelPermissions(guild, bot, channel, hub.clock.now()) & PERMISSIONS.ViewChannel) !== 0n;
}

const contentOf = (message: MessageContent): MessageContent => ({
  content: message.content,
  embeds: message.embeds,
  components: message.components,
  attachments: message.attachments,
  flags: message.flags,
});

type NewMessage = Partial<Message> & { readonly authorId: string };

/** Makes a message that is neither stored nor announced to the bot. */
export function newMessage(hub: Hub, { id, guildId }: Pick<Channel, 'id' | 'guildId'>, draft: NewMessage): Message {
  const content = contentOf({ content: '', embeds: [], components: [], attachments: [], flags: 0, ...draft });
  return {
    type: draft.replyTo === undefined ? 0 : 19,
    nonce: undefined,
    replyTo: undefined,
    onlyFor: undefined,
    webhook: undefined,
    pings: [],
    mentionsEveryone: false,
    interaction: undefined,
    ...draft,
    ...content,
    id: hub.newId(),
    channelId: id,
    guildId,
    createdAtMs: hub.clock.now(),
    editedAtMs: null,
    deleted: false,
    history: [{ atMs: performance.now(), state: content }],
  };
}

export function createMessage(hub: Hub, channel: Channel, draft: NewMessage): Message {
  const message = newMessage(hub, channel, draft);
  hub.model.messages.set(message.id, message);
  if (message.onlyFor === undefined) channel.lastMessageId = message.id;
  publishMessage(hub, 'MESSAGE_CREATE', message);
  return message;
}

/** A message that replaces “thinking” does not count as edited: it gets no `edited_timestamp`. */
export function editMessage(hub: Hub, message: Message, change: Partial<MessageContent>): Message {
  const wasLoading = (message.flags & MESSAGE_FLAGS.Loading) !== 0;
  Object.assign(message, change);
  message.flags &= ~MESSAGE_FLAGS.Loading;
  if (!wasLoading) message.editedAtMs = hub.clock.now();
  message.history.push({ atMs: performance.now(), state: contentOf(message) });
  publishMessage(hub, 'MESSAGE_UPDATE', message);
  return message;
}

/** Deletes messages together: the bot gets one event MESSAGE_DELETE_BULK for each channel. */
export function purgeMessages(hub: Hub, messages: readonly Message[]) {
  for (const message of messages) message.deleted = true;
  for (const [channelId, purged] of Map.groupBy(messages, (message) => message.channelId)) {
    const seen = purged.filter((message) => botSees(hub, message));
    const [first] = seen;
    if (!first) continue;
    const { guildId } = first;
    const ids = seen.map(({ id }) => id);
    hub.announce(guildId, 'MESSAGE_DELETE_BULK', { ids, channel_id: channelId, guild_id: guildId });
  }
  hub.changed();
}

export function deleteMessage(hub: Hub, message: Message) {
  message.deleted = true;
  if (message.onlyFor !== undefined || !botSees(hub, message)) return hub.changed();
  const { id, channelId, guildId } = message;
  hub.announce(guildId, 'MESSAGE_DELETE', { id, channel_id: channelId, guild_id: guildId });
}
