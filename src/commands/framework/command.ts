import {
  type ApplicationCommandOptionAllowedChannelTypes,
  type ApplicationCommandOptionChoiceData,
  type AutocompleteInteraction,
  type ButtonInteraction,
  type CacheType,
  type ChatInputCommandInteraction,
  InteractionContextType,
  type MessageContextMenuCommandInteraction,
  type ModalSubmitInteraction,
  type ApplicationCommandOptionType as OptionType,
  type StringSelectMenuInteraction,
} from 'discord.js';
import type { Logger } from 'pino';
import type { ReadingPlaces } from '../../discord/messages/message-reading.ts';
import type { ModerationLog } from '../../discord/moderation/moderation-log.ts';
import type { Content, Visibility, VoiceMessage } from '../../discord/replies/content.ts';
import type { Modal, Row } from '../../discord/replies/layout.ts';
import type { TopUp } from '../../errors/explain.ts';
import { UserError } from '../../errors/user-errors.ts';
import type { BotStatus } from '../../services/monitoring/readiness.ts';
import type { GuildSpeakers } from '../../services/playback/guild-speakers.ts';
import type { Privacy } from '../../services/privacy/stored-data.ts';
import type { SpeechOrder } from '../../services/queue/queue-item.ts';
import type { ServerRulesBook } from '../../services/servers/admission.ts';
import type { Spending } from '../../services/spending/spending.ts';
import type { Synthesizer } from '../../services/synthesis/synthesis.ts';
import type { SpokenTexts } from '../../services/text/spoken-text.ts';
import type { Pending } from '../../services/time/timers.ts';
import type { Voices } from '../../services/voices/voices.ts';
import type { SpeechClient } from '../../speech/client/client.ts';
import { type CommandIds, type LanguageName, type PlainTextKey, type Text, text } from '../../texts/catalog.ts';

interface Bot {
  readonly owners: { isOwner(userId: string, locale?: string): Promise<boolean> };
  readonly status: () => Promise<BotStatus>;
  readonly billing: SpeechClient['billing'];
  /**
   * True if speech costs nothing: the built-in speech service speaks, and the owner has set no prices for its engines.
   */
  readonly localVoice: boolean;
  /** True if the bot sends no text to an external speech service. */
  readonly isSpeechMadeHere: boolean;
  readonly topUp: TopUp;
  /** True if all members see the account's balance, not only the bot's owners. */
  readonly showsBalance: boolean;
  /** The ids of the registered commands, with which a reply can mention a command. */
  readonly commandIds: CommandIds;
  /** True if the owner has enabled use in direct messages and in servers without the bot. */
  readonly directUse: boolean;
}

interface RejectedForm {
  readonly userId: string;
  readonly argument: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly words: string;
}

export interface Services {
  readonly bot: Bot;
  readonly voices: Voices;
  readonly settings: ServerRulesBook;
  readonly texts: SpokenTexts;
  readonly speakers: GuildSpeakers;
  /** Makes files and voice messages. To speak in a channel, use `speakers`. */
  readonly synthesizer: Synthesizer;
  readonly spending: Spending;
  readonly moderation: ModerationLog;
  readonly reading: ReadingPlaces;
  readonly privacy: Privacy;
  /** Requests that wait for a button. A speech order is used only once; a rejected form can be opened repeatedly. */
  readonly pending: Pending<{ readonly order: SpeechOrder; readonly form: RejectedForm }>;
  readonly log: Logger;
}

export const IN_SERVERS = [InteractionContextType.Guild] as const;

/** Outside the bot's servers, commands work only if the bot's owner has enabled that. */
export const EVERYWHERE = [
  InteractionContextType.Guild,
  InteractionContextType.BotDM,
  InteractionContextType.PrivateChannel,
] as const;

export interface Needs {
  readonly contexts: readonly InteractionContextType[];
  /** With 'together', the caller must be in the bot's voice channel. Members who could move the bot are exempt. */
  readonly voice?: 'together';
  /** True if the admins' rules about members, roles and channels apply, because the command speaks or costs credits. */
  readonly speaks?: boolean;
  readonly cooldown?: { readonly uses: number; readonly perMs: number };
}

interface Call<Interaction> {
  readonly interaction: Interaction;
  readonly services: Services;
  /** When the interaction arrived, by `performance.now()`. */
  readonly askedAtMs: number;
  /** Aborts if Discord rejects the bot's first answer, so that the command stops its work. */
  readonly signal: AbortSignal;
  /** Resolves when Discord has accepted “… is thinking”. If Discord rejects it, `signal` aborts instead. */
  readonly acknowledged: Promise<void>;
  /** Resolves when Discord has accepted the command's final reply; stays pending if Discord rejects it. */
  readonly answered: Promise<void>;
}

export type CommandCall<Cache extends CacheType = CacheType> = Call<ChatInputCommandInteraction<Cache>>;

export type MessageCommandCall<Cache extends CacheType = CacheType> = Call<MessageContextMenuCommandInteraction<Cache>>;

export type ControlInteraction<Cache extends CacheType = CacheType> =
  | ButtonInteraction<Cache>
  | StringSelectMenuInteraction<Cache>
  | ModalSubmitInteraction<Cache>;

export interface ControlCall<Cache extends CacheType = CacheType> extends Call<ControlInteraction<Cache>> {
  /** The part of a custom id after the first colon. Untrusted, because a client can send any text. */
  readonly argument: string;
  readonly values: readonly string[];
  /** The submitted values of a form, by field name. Commas separate several choices of a field. */
  readonly fields: Readonly<Record<string, string>>;
}

export type SpeakCall<Cache extends CacheType = CacheType> =
  | CommandCall<Cache>
  | MessageCommandCall<Cache>
  | ControlCall<Cache>;

export interface CompletionCall<Cache extends CacheType = CacheType> {
  readonly interaction: AutocompleteInteraction<Cache>;
  readonly services: Services;
}

export type Facts = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Reply extends Content {
  /** A voice message cannot contain text, so lines and buttons follow in a second message to the caller. */
  readonly voiceMessage?: VoiceMessage;
  /** Lines for everyone, used if Discord does not delete a public “… is thinking” before a reply to the caller alone. */
  readonly toOthers?: readonly Text[];
  /** A second message, which only the caller sees. */
  readonly also?: Content;
  /** Fields of the log line. Never include a member's text. */
  readonly facts?: Facts;
}

/**
 * Replaces “… is thinking”. Of updates that come too fast for Discord's limits, only the latest is sent. `atOnce` sends
 * an update without the usual pause, once for each reply.
 */
export type ShowProgress = (content: Content, atOnce?: boolean) => void;

/** The slow part of a command, which runs while Discord shows “… is thinking”. */
export type Work = (progress: ShowProgress) => Promise<Reply>;

/** Discord accepts a form only as the first answer to a command. */
export interface Form {
  readonly modal: Modal;
}

export class OfferedError extends Error {
  override readonly name = 'OfferedError';
  readonly rows: readonly Row[];
  readonly facts: Facts;

  constructor(cause: unknown, rows: readonly Row[], facts: Facts = {}) {
    super('A failure with an offer', { cause });
    this.rows = rows;
    this.facts = facts;
  }
}

export interface Action<Call> {
  readonly needs: Needs;
  /**
   * Who sees the reply, by default only the caller, who alone sees failures. With 'message', the reply replaces the
   * message of the pressed button.
   */
  readonly replyTo?: Visibility;
  /** True if the work may take longer than the 3 s that Discord waits. */
  readonly deferred?: boolean;
  /**
   * Runs the quick checks before “… is thinking” is shown. Throws a UserError to reject the request. Speech is already
   * queued here, so that it starts sooner and requests keep their order.
   */
  begin(call: Call): Work | Form | Promise<Work | Form>;
}

export interface Control extends Action<ControlCall> {
  /** Begins all custom ids of the control, before a colon. Unique, without a colon. */
  readonly name: string;
  /** Builds a rejected form again, before the member's input fills it. Undefined if the bot has no such form now. */
  form?(call: ControlCall): Modal | undefined | Promise<Modal | undefined>;
}

/** A plain string is the same for everyone; other names are shown in the reader's language. */
export interface OptionChoice {
  readonly name: Text | LanguageName | string;
  readonly value: string;
}

interface Described {
  readonly name: string;
  readonly description: PlainTextKey;
}

export type OptionWords =
  | { readonly choices: readonly OptionChoice[] }
  | { readonly maxLength: number; readonly autocomplete?: true };
export type OptionChannels = readonly ApplicationCommandOptionAllowedChannelTypes[];

export type OptionValues =
  | ({ readonly type: OptionType.String } & OptionWords)
  | { readonly type: OptionType.Integer | OptionType.Number; readonly min: number; readonly max: number }
  | { readonly type: OptionType.Channel; readonly channelTypes: OptionChannels }
  | { readonly type: OptionType.Boolean | OptionType.Attachment | OptionType.User };

export type ValueOption = Described & OptionValues & { readonly required: boolean };

export type OptionDefinition =
  | ValueOption
  | (Described & { readonly type: OptionType.Subcommand; readonly options: readonly OptionDefinition[] });

interface CommandBase {
  readonly name: string;
  /** With 'owner', the command's buttons and forms count as expired for everyone except the bot's owners. */
  readonly onlyFor?: 'owner';
  readonly defaultMemberPermissions?: bigint;
  readonly controls?: readonly Control[];
  readonly description: PlainTextKey;
}

export interface ChatCommand extends CommandBase, Action<CommandCall> {
  readonly kind?: 'chat';
  readonly options?: readonly OptionDefinition[];
  complete?(call: CompletionCall): Promise<readonly ApplicationCommandOptionChoiceData<string | number>[]>;
}

export interface MessageCommand extends CommandBase, Action<MessageCommandCall> {
  readonly kind: 'message';
  /** The key of the translated name in the Apps menu. Discord identifies the command by the English `name`. */
  readonly label: PlainTextKey;
}

export type Command = ChatCommand | MessageCommand;

/** Throws a UserError for a call from outside the servers that the bot is in. */
export function serverCall(call: CommandCall): CommandCall<'cached'>;
export function serverCall(call: ControlCall): ControlCall<'cached'>;
export function serverCall(call: CompletionCall): CompletionCall<'cached'>;
export function serverCall(call: SpeakCall): SpeakCall<'cached'>;
export function serverCall(call: SpeakCall | CompletionCall): SpeakCall<'cached'> | CompletionCall<'cached'> {
  if (!call.interaction.inCachedGuild()) throw new UserError(text('refused.server-only'));
  return call as SpeakCall<'cached'> | CompletionCall<'cached'>;
}

type ServerAction<Action, Call> = Omit<Action, 'needs' | 'begin'> & {
  readonly needs?: Omit<Needs, 'contexts'>;
  begin(call: Call): Work | Form | Promise<Work | Form>;
};

export const serverCommand = (command: ServerAction<ChatCommand, CommandCall<'cached'>>): ChatCommand => ({
  ...command,
  needs: { ...command.needs, contexts: IN_SERVERS },
  begin: (call: CommandCall) => command.begin(serverCall(call)),
});

export const serverControl = (control: ServerAction<Control, ControlCall<'cached'>>): Control => ({
  ...control,
  needs: { ...control.needs, contexts: IN_SERVERS },
  begin: (call: ControlCall) => control.begin(serverCall(call)),
});

export const messageControl = (name: string, begin: (call: ControlCall<'cached'>) => Work | Promise<Work>): Control =>
  serverControl({ name, replyTo: 'message', deferred: true, begin });
