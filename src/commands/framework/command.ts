import {
  type ApplicationCommandOptionChoiceData,
  type AutocompleteInteraction,
  type ButtonInteraction,
  type CacheType,
  type ChatInputCommandInteraction,
  InteractionContextType,
  type MessageContextMenuCommandInteraction,
  type ModalSubmitInteraction,
  type StringSelectMenuInteraction,
} from 'discord.js';
import type { Logger } from 'pino';
import type { ReadingPlaces } from '../../discord/messages/message-reading.ts';
import type { ModerationLog } from '../../discord/moderation/moderation-log.ts';
import type { Visibility } from '../../discord/replies/answer.ts';
import type { Content, VoiceMessage } from '../../discord/replies/content.ts';
import type { Modal, Row } from '../../discord/replies/layout.ts';
import type { TopUp } from '../../errors/explain.ts';
import { UserError } from '../../errors/user-errors.ts';
import type { BotStatus } from '../../services/monitoring/readiness.ts';
import type { GuildSpeakers } from '../../services/playback/guild-speakers.ts';
import type { Privacy } from '../../services/privacy/stored-data.ts';
import type { SpeechOrder } from '../../services/queue/queue-item.ts';
import type { ServerRulesBook } from '../../services/servers/server-rules.ts';
import type { Owners } from '../../services/spending/owners.ts';
import type { Spending } from '../../services/spending/spending.ts';
import type { Synthesizer } from '../../services/synthesis/synthesis.ts';
import type { SpokenTexts } from '../../services/text/spoken-text.ts';
import type { Pending } from '../../services/time/pending.ts';
import type { Voices } from '../../services/voices/voices.ts';
import type { SpeechClient } from '../../speech/client/client.ts';
import { type PlainTextKey, type Text, text } from '../../texts/catalog.ts';
import type { OptionDefinition } from './options.ts';

/** What commands work with; opened once by the app, and given to each of them whole. */
export interface Services {
  readonly bot: Bot;
  readonly voices: Voices;
  readonly settings: ServerRulesBook;
  readonly texts: SpokenTexts;
  readonly speakers: GuildSpeakers;
  /** Audio that is not spoken in a channel: files and voice messages. */
  readonly synthesizer: Synthesizer;
  readonly spending: Spending;
  readonly moderation: ModerationLog;
  readonly reading: ReadingPlaces;
  readonly privacy: Privacy;
  /** What was asked for and waits for a form or a button. */
  readonly pending: PendingActions;
  readonly log: Logger;
}

interface Bot {
  readonly owners: Owners;
  readonly status: () => Promise<BotStatus>;
  readonly billing: SpeechClient['billing'];
  /** Whether the voice is the embedded one, and costs nothing. */
  readonly localVoice: boolean;
  /** Whether no text is sent to any other service. */
  readonly isSpeechMadeHere: boolean;
  readonly topUp: TopUp;
  /** Whether the owner has enabled use in direct messages and in servers without the bot. */
  readonly directUse: boolean;
}

export type PendingActions = Pending<{
  readonly order: SpeechOrder;
  /** A form that was refused, with what was typed in it, for the button that opens it again. */
  readonly form: Pick<ControlCall, 'argument' | 'fields'> & { readonly userId: string; readonly words: string };
}>;

export const IN_SERVERS = [InteractionContextType.Guild] as const;

/** Commands for the bot's owner: in direct messages with the bot. */
export const FOR_OWNERS = [InteractionContextType.Guild, InteractionContextType.BotDM] as const;

/**
 * The bot's servers, direct messages with it, and wherever else its user takes it along, once the owner has enabled
 * that.
 */
export const EVERYWHERE = [
  InteractionContextType.Guild,
  InteractionContextType.BotDM,
  InteractionContextType.PrivateChannel,
] as const;

export interface Needs {
  /** The places that allow the command; direct messages and foreign servers only once the owner has enabled them. */
  readonly contexts: readonly InteractionContextType[];
  /** The caller is in the voice channel the bot is in; a moderator, who could move the bot anyway, need not be. */
  readonly voice?: 'together';
  /** Whether something is spoken or paid for: then the rules hold that the server's admins made for that. */
  readonly speaks?: boolean;
  readonly cooldown?: { readonly uses: number; readonly perMs: number };
}

interface Call<Interaction> {
  readonly interaction: Interaction;
  readonly services: Services;
  /** performance.now() when Discord told of it. */
  readonly askedAtMs: number;
  /** Aborts when Discord takes no answer any more: what was begun is then given up. */
  readonly signal: AbortSignal;
  /** Resolves when Discord has taken the first answer, as it does within 3 s; the signal aborts when it does not. */
  readonly acknowledged: Promise<void>;
  /** Resolves when Discord has taken the final reply. Never rejects. */
  readonly answered: Promise<void>;
}

export type CommandCall<Cache extends CacheType = CacheType> = Call<ChatInputCommandInteraction<Cache>>;

export type MessageCommandCall<Cache extends CacheType = CacheType> = Call<MessageContextMenuCommandInteraction<Cache>>;

export type ControlInteraction<Cache extends CacheType = CacheType> =
  | ButtonInteraction<Cache>
  | StringSelectMenuInteraction<Cache>
  | ModalSubmitInteraction<Cache>;

export interface ControlCall<Cache extends CacheType = CacheType> extends Call<ControlInteraction<Cache>> {
  /** The part of the custom id after the name. It is not to be trusted: a client can send any. */
  readonly argument: string;
  /** What was chosen in a select: ids, if it is one of roles, members or channels. */
  readonly values: readonly string[];
  /** What was typed or chosen in a form, by field name; several choices are separated by commas. */
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
  /** The reply itself; lines and rows then follow in a second message, for the caller alone. */
  readonly voiceMessage?: VoiceMessage;
  /** In place of the reply where it is for the caller alone and Discord lets only others read one, too. */
  readonly toOthers?: readonly Text[] | undefined;
  /** In a message of its own after the reply, for the caller alone. */
  readonly also?: Content;
  /** What the operator's log should hold of it; never what a member typed. */
  readonly facts?: Facts;
}

/** Shows meanwhile how far it has come. As often as it likes: only what Discord's limits allow is sent, the last always. */
export type ShowProgress = (content: Content) => void;

/** The part of a command that takes time, or waits for what `begin` has set going. */
export type Work = (progress: ShowProgress) => Promise<Reply>;

/** Instead of any other answer: a form to fill in. Only where nothing was shown yet. */
export interface Form {
  readonly modal: Modal;
}

/** A failure together with what can be done about it at the press of a button. */
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
   * The audience of the reply; failures are always for the caller alone. 'message': the reply replaces the message of
   * the control.
   */
  readonly replyTo: Visibility;
  /** Whether the work takes longer than the 3 seconds Discord waits: then the reply says that the bot is at it. */
  readonly deferred: boolean;
  /**
   * Checks everything that is known without waiting, before any placeholder is shown, and throws a UserError for what
   * cannot be done. Resolves with the rest, or with a form. Work may begin here, so that it need not wait for the
   * placeholder, and keeps the order of the requests.
   */
  begin(call: Call): Work | Form | Promise<Work | Form>;
}

export interface Control extends Action<ControlCall> {
  /** The custom ids of its buttons, selects and forms begin with it. Unique, without a colon. */
  readonly name: string;
  /**
   * Members who are allowed to use a control of an admin command: those allowed to use the command ('same', the
   * default), or everyone ('anyone', for controls that check by themselves).
   */
  readonly rights?: 'same' | 'anyone';
  /**
   * Returns the form of a modal control again, by its argument and with the rejected input, for the button that reopens
   * it. Undefined if the form is gone.
   */
  form?(call: ControlCall): Modal | undefined | Promise<Modal | undefined>;
}

interface CommandBase {
  readonly name: string;
  /**
   * Restricts the command to the bot's owners. Everyone else gets a refusal, and its buttons and forms do not exist for
   * them.
   */
  readonly onlyFor?: 'owner' | undefined;
  readonly defaultMemberPermissions?: bigint;
  readonly controls?: readonly Control[];
  /** The words of /help about it; Discord shows it beside a command that is typed. */
  readonly description: PlainTextKey;
}

export interface ChatCommand extends CommandBase, Action<CommandCall> {
  readonly kind?: 'chat';
  readonly options?: readonly OptionDefinition[];
  /** Suggestions for the option being typed into, up to 25. */
  complete?(call: CompletionCall): Promise<readonly ApplicationCommandOptionChoiceData<string | number>[]>;
}

export interface MessageCommand extends CommandBase, Action<MessageCommandCall> {
  readonly kind: 'message';
}

export type Command = ChatCommand | MessageCommand;

/** The same call, known to come from a server the bot is in. Elsewhere it throws a refusal. */
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

/** A control that changes its own message, after work that takes time. */
export const messageControl = (name: string, begin: (call: ControlCall<'cached'>) => Work): Control =>
  serverControl({ name, replyTo: 'message', deferred: true, begin });
