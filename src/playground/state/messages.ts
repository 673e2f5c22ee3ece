import type { Hub } from './hub.ts';
import { INTENTS } from './intents.ts';
import { findChannel, MESSAGE_FLAGS, type Message, type MessageContent } from './model.ts';
import { partialMemberPayload } from './payloads/entities.ts';
import { messagePayload } from './payloads/messages.ts';
import { channelPermissions, PERMISSIONS } from './permissions.ts';
import { isPrivateToOthers } from './private-channels.ts';

/**
 * The message as a gateway session sees it: without the MessageContent intent its words are left out, except in the bot's
 * own messages, direct messages and those that mention it.
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
  const hidden = { content: '', embeds: [], attachments: [], components: [] };
  return { ...payload, ...hidden, ...(message.forwards && { message_snapshots: [] }) };
}

/** The bot hears of messages it may see; ephemeral ones travel only in the answers to its own calls. */
function publishMessage(hub: Hub, name: 'MESSAGE_CREATE' | 'MESSAGE_UPDATE', message: Message) {
  if (message.onlyFor !== undefined || !botSees(hub, message)) return hub.changed();
  hub.publish({ name, guildId: message.guildId, render: (intents) => gatewayMessage(hub, message, intents) });
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

type NewMessage = Omit<Message, 'id' | 'createdAtMs' | 'editedAtMs' | 'deleted' | 'history' | keyof MessageContent> &
  Partial<MessageContent>;

export function createMessage(hub: Hub, draft: NewMessage): Message {
  const content: MessageContent = {
    content: draft.content ?? '',
    embeds: draft.embeds ?? [],
    components: draft.components ?? [],
    attachments: draft.attachments ?? [],
    flags: draft.flags ?? 0,
  };
  const message: Message = {
    ...draft,
    ...content,
    id: hub.newId(),
    createdAtMs: hub.clock.now(),
    editedAtMs: null,
    deleted: false,
    history: [{ atMs: performance.now(), state: content }],
  };
  hub.model.messages.set(message.id, message);
  const channel = findChannel(hub.model, message.channelId);
  if (channel && message.onlyFor === undefined) channel.lastMessageId = message.id;
  publishMessage(hub, 'MESSAGE_CREATE', message);
  return message;
}

/** Changes a message. Filling a deferred one is not an edit: no `edited_timestamp`. */
export function editMessage(hub: Hub, message: Message, change: Partial<MessageContent>): Message {
  const wasLoading = (message.flags & MESSAGE_FLAGS.Loading) !== 0;
  Object.assign(message, change);
  message.flags &= ~MESSAGE_FLAGS.Loading;
  if (!wasLoading) message.editedAtMs = hub.clock.now();
  message.history.push({ atMs: performance.now(), state: contentOf(message) });
  publishMessage(hub, 'MESSAGE_UPDATE', message);
  return message;
}

/** One event for messages of one channel deleted together: MESSAGE_DELETE_BULK. */
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
  const payload = {
    id: message.id,
    channel_id: message.channelId,
    guild_id: message.guildId,
  };
  hub.announce(message.guildId, 'MESSAGE_DELETE', payload);
}
