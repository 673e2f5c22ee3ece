import type {
  APIApplicationCommandOption,
  ApplicationCommandOptionChoiceData,
  AutocompleteInteraction,
  ButtonInteraction,
  CacheType,
  ChatInputCommandInteraction,
  MessageContextMenuCommandInteraction,
  ModalSubmitInteraction,
  StringSelectMenuInteraction,
} from 'discord.js';
import type { Logger } from 'pino';
import type { ReadingPlaces } from '../../discord/messages/message-reading.ts';
import type { ModerationLog } from '../../discord/moderation/moderation-log.ts';
import type { Content, Modal, Row, Visibility, VoiceMessage } from '../../discord/replies/layout.ts';
import type { Circumstances } from '../../errors/explain.ts';
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
import { type CommandIds, type PlainTextKey, type Text, text } from '../../texts/catalog.ts';

interface Bot extends Circumstances {
  readonly owners: { isOwner(userId: string, locale?: string): Promise<boolean> };
  readonly status: () => Promise<BotStatus>;
  readonly billing: SpeechClient['billing'];
  /** True if the bot sends no text to an external speech service. */
  readonly isSpeechMadeHere: boolean;
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
  /**
   * - 'servers': works only in the bot's servers. Others also work elsewhere, if the bot's owner has enabled that.
   * - 'owner': a command whose buttons and forms count as expired for everyone except the bot's owners.
   */
  readonly onlyFor?: 'servers' | 'owner';
  /** True if the caller must be in the bot's voice channel. Members who could move the bot are exempt. */
  readonly together?: true;
  /** True if the admins' rules about members, roles and channels apply, because the command speaks or costs credits. */
  readonly speaks?: true;
  readonly cooldown?: { readonly uses: number; readonly perMs: number };
  /**
   * Who sees the reply, by default only the caller, who alone sees failures. With 'message', the reply replaces the
   * message of the pressed button.
   */
  readonly replyTo?: Visibility;
  /** True if the work may take longer than the 3 s that Discord waits. */
  readonly deferred?: boolean;
  /**
   * Runs the quick checks before “… is thinking” is shown. Throws a UserError to reject the request. Speech is already
   * queued here, so that it starts sooner and requests keep their order. A form is returned here, because Discord
   * accepts it only as the first answer.
   */
  begin(call: Call): Work | Modal | Promise<Work | Modal>;
}

export interface Control<Call = ControlCall> extends Action<Call> {
  /** Begins all custom ids of the control, before a colon. Unique, without a colon. */
  readonly name: string;
  /** Builds a rejected form again, before the member's input fills it. Undefined if the bot has no such form now. */
  form?(call: ControlCall): Modal | undefined | Promise<Modal | undefined>;
}

interface CommandBase {
  readonly defaultMemberPermissions?: bigint;
  readonly controls?: readonly Control[];
}

/** The text `<name>.description` describes a command. */
type ChatCommandName =
  Extract<PlainTextKey, `${string}.description`> extends `${infer Name}.description` ? Name : never;

export interface ChatCommand<Call = CommandCall> extends CommandBase, Action<Call> {
  readonly name: ChatCommandName;
  readonly kind?: 'chat';
  readonly options?: readonly APIApplicationCommandOption[];
  complete?(call: CompletionCall): Promise<readonly ApplicationCommandOptionChoiceData<string | number>[]>;
}

export interface MessageCommand extends CommandBase, Action<MessageCommandCall> {
  readonly name: string;
  readonly kind: 'message';
  /** The key of the translated name in the Apps menu. Discord identifies the command by the English `name`. */
  readonly label: PlainTextKey;
  readonly description: PlainTextKey;
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

export const serverCommand = (command: ChatCommand<CommandCall<'cached'>>): ChatCommand => ({
  ...command,
  onlyFor: 'servers',
  begin: (call: CommandCall) => command.begin(serverCall(call)),
});

export const serverControl = (control: Control<ControlCall<'cached'>>): Control => ({
  ...control,
  onlyFor: 'servers',
  begin: (call: ControlCall) => control.begin(serverCall(call)),
});

export const messageControl = (name: string, begin: (call: ControlCall<'cached'>) => Work | Promise<Work>): Control =>
  serverControl({ name, replyTo: 'message', deferred: true, begin });
