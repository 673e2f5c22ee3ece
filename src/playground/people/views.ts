import type { Hub } from '../state/hub.ts';
import { newMessage } from '../state/messages.ts';
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
import { buttonsOf, everyComponent, linesOf, menusOf } from './typed-command.ts';

export type VisibleMessage = ReturnType<typeof messageView>;
export type VisibleMember = NonNullable<ReturnType<typeof memberView>>;

/** Replaces mentions with names: https://discord.com/developers/docs/reference#message-formatting */
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

function readableText(hub: Hub, state: MessageContent): string {
  const displays = [...everyComponent(state.components)].filter(({ type }) => type === COMPONENT.textDisplay);
  const lines = [state.content, ...displays.map(({ content }) => String(content))];
  return withNames(hub, lines.filter((line) => line !== '').join('\n'));
}

function screenLines(hub: Hub, state: MessageContent): string[] {
  const isV2 = (state.flags & MESSAGE_FLAGS.IsComponentsV2) !== 0;
  const isVoice = (state.flags & MESSAGE_FLAGS.IsVoiceMessage) !== 0;
  const files = isV2
    ? []
    : state.attachments.map(({ filename, durationSeconds }) =>
        isVoice ? `[voice message: ${durationSeconds} s]` : `[file: ${filename}]`,
      );
  const lines = [...state.content.split('\n'), ...files, ...linesOf(state.components)];
  return lines.filter((line) => line !== '').map((line) => withNames(hub, line));
}

/** The file's download address `url` is valid until its message is deleted. */
const fileView = ({ filename, ...rest }: Attachment) => ({ name: filename, size: rest.bytes.length, ...rest });

const stateView = (hub: Hub, { atMs, state }: Message['history'][number]) => ({
  atMs,
  content: state.content,
  text: readableText(hub, state),
  thinking: (state.flags & MESSAGE_FLAGS.Loading) !== 0,
});

function commandAbove(hub: Hub, { interaction }: Message) {
  if (interaction?.name === undefined) return undefined;
  const user = hub.model.users.get(interaction.userId);
  return { name: interaction.name, user: user?.displayName ?? user?.username ?? interaction.userId };
}

export function messageView(hub: Hub, message: Message) {
  const author = hub.model.users.get(message.authorId);
  return {
    messageId: message.id,
    channelId: message.channelId,
    author: message.webhook?.name ?? author?.displayName ?? author?.username ?? message.authorId,
    authorId: message.webhook ? undefined : message.authorId,
    /** The command that the message answers, and the name of its user. Discord shows both above the message. */
    command: commandAbove(hub, message),
    content: message.content,
    /** The message's content and text displays, one per line, with names in place of mentions. */
    text: readableText(hub, message),
    components: message.components,
    /** Lines from top to bottom, with controls in brackets: `[Skip]`, `[Stop] (disabled)`, `[menu: Voice]`. */
    lines: screenLines(hub, message),
    buttons: buttonsOf(message.components),
    menus: menusOf(message.components),
    files: message.attachments.map(fileView),
    repliesTo: message.replyTo,
    silent: (message.flags & MESSAGE_FLAGS.SuppressNotifications) !== 0,
    ephemeral: message.onlyFor !== undefined,
    thinking: (message.flags & MESSAGE_FLAGS.Loading) !== 0,
    deleted: message.deleted,
    voiceMessage: (message.flags & MESSAGE_FLAGS.IsVoiceMessage) !== 0,
    /** True for Discord's own error "The application did not respond". */
    failed: false as boolean,
    createdAtMs: message.history[0]?.atMs ?? 0,
    edited: message.editedAtMs !== null,
    history: message.history.map((entry) => stateView(hub, entry)),
  };
}

/** The error that Discord's client shows in red if the bot does not answer an interaction within 3 seconds. */
export function failureView(hub: Hub, content: string, channelId: string): VisibleMessage {
  const shown = newMessage(hub, { id: channelId, guildId: undefined }, { authorId: '', content, onlyFor: '' });
  const view = messageView(hub, shown);
  return { ...view, messageId: '', author: 'Discord', authorId: undefined, failed: true };
}

/** Finds a candidate by name. A name in other letter case is accepted only if it fits exactly one candidate. */
export function byName<T>(
  candidates: readonly T[],
  name: string,
  namesOf: (candidate: T) => readonly (string | null | undefined)[],
): T | undefined {
  const exact = candidates.find((candidate) => namesOf(candidate).includes(name));
  if (exact) return exact;
  const lower = name.toLowerCase();
  const alike = candidates.filter((candidate) => namesOf(candidate).some((known) => known?.toLowerCase() === lower));
  return alike.length === 1 ? alike[0] : undefined;
}

export function findMember(hub: Hub, guild: Guild, name: string): Member | undefined {
  return byName([...guild.members.values()], name, (member) => {
    const user = hub.model.users.get(member.userId);
    return [member.userId, user?.username, user?.displayName, member.nick];
  });
}

export function memberView(hub: Hub, guild: Guild, member: Member) {
  const user = hub.model.users.get(member.userId);
  if (!user) return undefined;
  const state = guild.voiceStates.get(user.id);
  return {
    id: user.id,
    /** The name that `member()` accepts for this member; `bot` for the bot. */
    name: user.id === hub.model.application.botId ? 'bot' : user.username,
    displayName: member.nick ?? user.displayName ?? user.username,
    isBot: user.bot,
    isOwner: guild.ownerId === user.id,
    language: user.locale,
    voice: state && {
      channelId: state.channelId,
      selfMute: state.selfMute,
      selfDeaf: state.selfDeaf,
      mute: member.mute,
      deaf: member.deaf,
      /** True for a member who cannot speak in voice: in a stage's audience, or without the permission. */
      suppress: state.suppress,
    },
  };
}
