import type { APIApplicationCommand, APIEmbed, APIMessageTopLevelComponent } from 'discord-api-types/v10';

export interface User {
  readonly id: string;
  readonly username: string;
  readonly displayName: string | null;
  readonly bot: boolean;
  locale: string;
}

export interface Role {
  readonly id: string;
  name: string;
  permissions: bigint;
  position: number;
  /** The bot for which Discord made this role when the bot was invited; undefined for other roles. */
  readonly botId: string | undefined;
}

export interface Overwrite {
  readonly id: string;
  readonly kind: 'role' | 'member';
  allow: bigint;
  deny: bigint;
}

/** A `forum` contains only threads. `dm` and `group` are private channels of their `participants`. */
export type ChannelKind = 'text' | 'voice' | 'stage' | 'forum' | 'thread' | 'dm' | 'group';

export interface Channel {
  readonly id: string;
  readonly guildId: string | undefined;
  readonly kind: ChannelKind;
  name: string;
  position: number;
  userLimit: number;
  overwrites: Overwrite[];
  lastMessageId: string | null;
  readonly participants: readonly string[] | undefined;
  readonly parentId: string | undefined;
  readonly ownerId: string | undefined;
  readonly isPrivate: boolean;
  /** True for a closed and locked thread, in which the bot can neither post nor edit messages. */
  isLocked: boolean;
}

export interface Member {
  readonly userId: string;
  readonly guildId: string;
  nick: string | null;
  roles: string[];
  readonly joinedAtMs: number;
  deaf: boolean;
  mute: boolean;
  timedOutUntilMs: number;
}

export interface OwnVoice {
  sessionId: string;
  selfMute: boolean;
  selfDeaf: boolean;
}

export interface VoiceState extends OwnVoice {
  readonly guildId: string;
  readonly userId: string;
  channelId: string;
  suppress: boolean;
  requestToSpeakAt: string | null;
}

export interface Guild {
  readonly id: string;
  readonly name: string;
  readonly ownerId: string;
  locale: string;
  available: boolean;
  systemChannelId: string | null;
  readonly roles: Map<string, Role>;
  readonly channels: Map<string, Channel>;
  readonly members: Map<string, Member>;
  readonly voiceStates: Map<string, VoiceState>;
}

export interface Attachment {
  readonly id: string;
  readonly filename: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
  readonly url: string;
  description: string | undefined;
  readonly durationSeconds: number | undefined;
  readonly waveform: string | undefined;
}

/**
 * The installations of the bot that allow an interaction. The key `0` has the id of the server that installed the bot, or
 * '0' in direct messages with the bot. The key `1` has the id of the user who installed the bot.
 * receiving-and-responding#interaction-object-authorizing-integration-owners-object
 */
export type InstallationOwners = Readonly<Partial<Record<'0' | '1', string>>>;

export interface MessageContent {
  content: string;
  embeds: APIEmbed[];
  components: APIMessageTopLevelComponent[];
  attachments: Attachment[];
  flags: number;
}

export interface InteractionMetadata {
  readonly id: string;
  readonly type: number;
  readonly userId: string;
  readonly owners: InstallationOwners;
  readonly interactedMessageId: string | undefined;
  readonly triggeredBy: InteractionMetadata | undefined;
}

export interface Message extends MessageContent {
  readonly id: string;
  readonly channelId: string;
  readonly guildId: string | undefined;
  readonly authorId: string;
  /** Discord's message type: 0 default, 19 reply, 20 slash command, 23 context menu command. */
  readonly type: number;
  readonly createdAtMs: number;
  editedAtMs: number | null;
  deleted: boolean;
  readonly nonce: string | number | undefined;
  readonly replyTo: string | undefined;
  readonly onlyFor: string | undefined;
  /** The webhook that posted the message, with its name, which is shown as the author; undefined for messages of users. */
  readonly webhook: { readonly id: string; readonly name: string } | undefined;
  /** The users that a reply mentions without naming them in its text. */
  readonly pings: readonly string[];
  readonly mentionsEveryone: boolean;
  readonly interaction:
    | (InteractionMetadata & { readonly name: string | undefined; readonly appId: string })
    | undefined;
  /** All versions of the message, oldest first; `atMs` is when a version began, by `performance.now()`. */
  readonly history: { readonly atMs: number; readonly state: MessageContent }[];
}

export interface Application {
  readonly id: string;
  readonly name: string;
  token: string;
  readonly botId: string;
  readonly ownerId: string;
  readonly flags: number;
}

export type RegisteredCommand = APIApplicationCommand;

export interface Model {
  readonly application: Application;
  readonly users: Map<string, User>;
  readonly guilds: Map<string, Guild>;
  readonly dms: Map<string, Channel>;
  readonly userInstalls: Set<string>;
  readonly messages: Map<string, Message>;
  /** Files that members gave to commands and forms; no message contains these files. */
  readonly uploads: Map<string, Attachment>;
  readonly globalCommands: Map<string, RegisteredCommand>;
  readonly guildCommands: Map<string, Map<string, RegisteredCommand>>;
  /** Creation times of commands in ms, by server id; '' is the key of global commands. */
  readonly commandCreations: Map<string, number[]>;
}

/** Flag bits of messages: https://discord.com/developers/docs/resources/message#message-object-message-flags */
export const MESSAGE_FLAGS = {
  SuppressEmbeds: 1 << 2,
  Ephemeral: 1 << 6,
  Loading: 1 << 7,
  SuppressNotifications: 1 << 12,
  IsVoiceMessage: 1 << 13,
  IsComponentsV2: 1 << 15,
} as const;

/** Type numbers of command options: application-commands#application-command-object-application-command-option-type */
export const OPTION = {
  subcommand: 1,
  group: 2,
  string: 3,
  integer: 4,
  boolean: 5,
  user: 6,
  channel: 7,
  role: 8,
  mentionable: 9,
  number: 10,
  attachment: 11,
} as const;

/** Type numbers of components: https://discord.com/developers/docs/components/reference#component-object-component-types */
export const COMPONENT = {
  actionRow: 1,
  button: 2,
  stringSelect: 3,
  textInput: 4,
  userSelect: 5,
  roleSelect: 6,
  mentionableSelect: 7,
  channelSelect: 8,
  section: 9,
  textDisplay: 10,
  separator: 14,
  container: 17,
  label: 18,
  fileUpload: 19,
} as const;

/** The type numbers of channels: https://discord.com/developers/docs/resources/channel#channel-object-channel-types */
export const CHANNEL_TYPES: Readonly<Record<ChannelKind, number>> = {
  text: 0,
  dm: 1,
  voice: 2,
  group: 3,
  thread: 11,
  stage: 13,
  forum: 15,
};
export const PRIVATE_THREAD_TYPE = 12;

export function findChannel(model: Model, channelId: string): Channel | undefined {
  for (const guild of model.guilds.values()) {
    const channel = guild.channels.get(channelId);
    if (channel) return channel;
  }
  return model.dms.get(channelId);
}

export function membersIn(guild: Guild, channelId: string): VoiceState[] {
  return [...guild.voiceStates.values()].filter((state) => state.channelId === channelId);
}

/** All commands that can be used in a server. A server's own command hides a global command of the same name. */
export function commandsOf(model: Model, guildId: string | undefined): RegisteredCommand[] {
  const own = guildId === undefined ? [] : [...(model.guildCommands.get(guildId)?.values() ?? [])];
  const global = [...model.globalCommands.values()].filter(
    (command) => !own.some((other) => other.name === command.name && other.type === command.type),
  );
  return [...own, ...global];
}
