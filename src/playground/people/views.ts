import type { VisibleFile, VisibleMember, VisibleMessage, VisibleState } from '../interface/world-types.ts';
import type { Hub } from '../state/hub.ts';
import {
  type Attachment,
  COMPONENT,
  findChannel,
  type Guild,
  MESSAGE_FLAGS,
  type Member,
  type Message,
  type MessageContent,
} from '../state/model.ts';
import { buttonsOf, everyComponent, linesOf, menusOf } from './visible-components.ts';

/** Mentions as the client shows them: https://discord.com/developers/docs/reference#message-formatting */
function withNames(hub: Hub, text: string): string {
  const { model } = hub;
  const roleName = (id: string) => [...model.guilds.values()].map((guild) => guild.roles.get(id)?.name).find(Boolean);
  return text
    .replace(/<#(\d+)>/g, (mention, id: string) =>
      findChannel(model, id) ? `#${findChannel(model, id)?.name}` : mention,
    )
    .replace(/<@&(\d+)>/g, (mention, id: string) => (roleName(id) === undefined ? mention : `@${roleName(id)}`))
    .replace(/<@!?(\d+)>/g, (mention, id: string) => {
      const user = model.users.get(id);
      return user ? `@${user.displayName ?? user.username}` : mention;
    })
    .replace(/<\/([^:>]+):\d+>/g, '/$1');
}

function embedLines(state: MessageContent): string[] {
  const lines: (string | undefined)[] = [];
  for (const embed of state.embeds) {
    lines.push(embed.author?.name, embed.title, embed.description);
    for (const field of embed.fields ?? []) lines.push(field.name, field.value);
    lines.push(embed.footer?.text);
  }
  return lines.filter((line) => line !== undefined);
}

/** All that can be read on a message, a line each: content, embeds, text displays; mentions by name. */
function readableText(hub: Hub, state: MessageContent): string {
  const displays = [...everyComponent(state.components)].filter(({ type }) => type === COMPONENT.textDisplay);
  const lines = [state.content, ...embedLines(state), ...displays.map(({ content }) => String(content))];
  return withNames(hub, lines.filter((line) => line !== '').join('\n'));
}

/** All that is on a message, controls and files too. A Components V2 message shows the files that its components show. */
function screenLines(hub: Hub, state: MessageContent): string[] {
  const isV2 = (state.flags & MESSAGE_FLAGS.IsComponentsV2) !== 0;
  const isVoice = (state.flags & MESSAGE_FLAGS.IsVoiceMessage) !== 0;
  const files = isV2
    ? []
    : state.attachments.map(({ filename, durationSeconds }) =>
        isVoice ? `[voice message: ${durationSeconds} s]` : `[file: ${filename}]`,
      );
  const lines = [...state.content.split('\n'), ...embedLines(state), ...files, ...linesOf(state.components)];
  return lines.filter((line) => line !== '').map((line) => withNames(hub, line));
}

function fileView(attachment: Attachment): VisibleFile {
  return {
    name: attachment.filename,
    contentType: attachment.contentType,
    bytes: attachment.bytes,
    size: attachment.bytes.length,
    url: attachment.url,
    description: attachment.description,
    durationSeconds: attachment.durationSeconds,
    waveform: attachment.waveform,
  };
}

const stateView = (hub: Hub, { atMs, state }: Message['history'][number]): VisibleState => ({
  atMs,
  content: state.content,
  text: readableText(hub, state),
  thinking: (state.flags & MESSAGE_FLAGS.Loading) !== 0,
});

function commandAbove(hub: Hub, { interaction }: Message): VisibleMessage['command'] {
  if (interaction?.name === undefined) return undefined;
  const user = hub.model.users.get(interaction.userId);
  return { name: interaction.name, user: user?.displayName ?? user?.username ?? interaction.userId };
}

/** The message as it looks now. */
export function messageView(hub: Hub, message: Message): VisibleMessage {
  const author = hub.model.users.get(message.authorId);
  return {
    messageId: message.id,
    channelId: message.channelId,
    author: message.webhook?.name ?? author?.displayName ?? author?.username ?? message.authorId,
    authorId: message.webhook ? undefined : message.authorId,
    command: commandAbove(hub, message),
    content: message.content,
    text: readableText(hub, message),
    embeds: message.embeds,
    components: message.components,
    lines: screenLines(hub, message),
    buttons: buttonsOf(message.components),
    menus: menusOf(message.components),
    files: message.attachments.map(fileView),
    stickers: (message.stickers ?? []).map(({ name }) => name),
    repliesTo: message.replyTo,
    silent: (message.flags & MESSAGE_FLAGS.SuppressNotifications) !== 0,
    ephemeral: message.onlyFor !== undefined,
    thinking: (message.flags & MESSAGE_FLAGS.Loading) !== 0,
    deleted: message.deleted,
    voiceMessage: (message.flags & MESSAGE_FLAGS.IsVoiceMessage) !== 0,
    failed: false,
    createdAtMs: message.history[0]?.atMs ?? 0,
    edited: message.editedAtMs !== null,
    history: message.history.map((entry) => stateView(hub, entry)),
  };
}

/** Discord's client shows this in red when the bot did not answer within 3 seconds. */
export function failureView(words: string, channelId: string): VisibleMessage {
  const atMs = performance.now();
  return {
    messageId: '',
    channelId,
    author: 'Discord',
    authorId: undefined,
    command: undefined,
    content: words,
    text: words,
    embeds: [],
    components: [],
    lines: [words],
    buttons: [],
    menus: [],
    files: [],
    stickers: [],
    repliesTo: undefined,
    silent: false,
    ephemeral: true,
    thinking: false,
    deleted: false,
    voiceMessage: false,
    failed: true,
    createdAtMs: atMs,
    edited: false,
    history: [{ atMs, content: words, text: words, thinking: false }],
  };
}

export function memberView(hub: Hub, guild: Guild, member: Member): VisibleMember | undefined {
  const user = hub.model.users.get(member.userId);
  if (!user) return undefined;
  const state = guild.voiceStates.get(user.id);
  return {
    id: user.id,
    name: user.id === hub.model.application.botId ? 'bot' : user.username,
    displayName: member.nick ?? user.displayName ?? user.username,
    isBot: user.bot,
    isOwner: guild.ownerId === user.id,
    language: user.locale,
    timedOut: member.timedOutUntilMs > hub.clock.now(),
    voice: state && {
      channelId: state.channelId,
      selfMute: state.selfMute,
      selfDeaf: state.selfDeaf,
      mute: member.mute,
      deaf: member.deaf,
      suppress: state.suppress,
    },
  };
}
