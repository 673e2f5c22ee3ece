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
import type { Content, Visibility, VoiceMessage } from '../../discord/replies/content.ts';
import type { Modal, Row } from '../../discord/replies/layout.ts';
import { UserError } from '../../errors/user-errors.ts';
import type { GuildSpeakers } from '../../services/playback/guild-speakers.ts';
import type { Privacy } from '../../services/privacy/stored-data.ts';
import type { ServerRulesBook } from '../../services/servers/server-rules.ts';
import type { Spending } from '../../services/spending/spending.ts';
import type { Synthesizer } from '../../services/synthesis/synthesis.ts';
import type { SpokenTexts } from '../../services/text/spoken-text.ts';
import type { Voices } from '../../services/voices/voices.ts';
import { type PlainTextKey, type Text, text } from '../../texts/catalog.ts';
import type { Bot } from './bot.ts';
import type { OptionDefinition } from './options.ts';
import type { PendingActions } from './pending-actions.ts';

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
  readonly pending: PendingActions;
  readonly log: Logger;
}

export const IN_SERVERS = [InteractionContextType.Guild] as const;

/**
 * The contexts in which the bot accepts the commands for its owner. Discord offers these commands only in direct
 * messages with the bot, because `toCommandBody` registers no other context.
 */
export const FOR_OWNERS = [InteractionContextType.Guild, InteractionContextType.BotDM] as const;

/**
 * Commands for everyone work in servers with the bot. If the bot's owner has enabled it, they also work in direct
 * messages, group chats and servers without the bot.
 */
export const EVERYWHERE = [
  InteractionContextType.Guild,
  InteractionContextType.BotDM,
  InteractionContextType.PrivateChannel,
] as const;

export interface Needs {
  readonly contexts: readonly InteractionContextType[];
  /**
   * With 'together', the caller must be in the bot's voice channel, if the bot is in one. Members with the permission
   * Move Members are exempt, because they could move the bot anyway.
   */
  readonly voice?: 'together';
  /** True if the command speaks or costs credits: the admins' rules about members, roles and channels then apply. */
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
  /**
   * Resolves when Discord has accepted “… is thinking” as the bot's first answer. If Discord rejects it, `signal`
   * aborts instead.
   */
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
  /**
   * The part of a custom id (of a button, menu or form) after the control's name and the first colon. Untrusted,
   * because a client can send any text.
   */
  readonly argument: string;
  readonly values: readonly string[];
  /** What a member submitted in a form, by field name. Commas separate several choices of a field. */
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
  /** A voice message cannot contain text, so lines and buttons follow in a second message that only the caller sees. */
  readonly voiceMessage?: VoiceMessage;
  /**
   * The lines for everyone, sent if a reply for the requester alone can only be a public message. This happens, for
   * example, if Discord does not delete the public “… is thinking”.
   */
  readonly toOthers?: readonly Text[];
  /** A second message after the reply, which only the caller sees. */
  readonly also?: Content;
  /** Fields for the command's log line. Never include a member's text. */
  readonly facts?: Facts;
}

/**
 * Shows a command's progress in place of “… is thinking”. Of updates that come too fast for Discord's limits, only the
 * latest is sent. `atOnce` sends an update without the usual pause, once for each reply.
 */
export type ShowProgress = (content: Content, atOnce?: boolean) => void;

/** The slow part of a command: runs while Discord shows “… is thinking”, and resolves with the reply. */
export type Work = (progress: ShowProgress) => Promise<Reply>;

/** Discord accepts a form only as the first answer to a command, so not after “… is thinking”. */
export interface Form {
  readonly modal: Modal;
}

/** A failure whose reply has buttons, for example to try again. */
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
   * Who sees the reply. With 'message', the reply takes the place of the message that contains the pressed button. Only
   * the caller sees failures.
   */
  readonly replyTo: Visibility;
  /** True if the work may take longer than the 3 s that Discord waits: the bot first shows “… is thinking”. */
  readonly deferred: boolean;
  /**
   * Runs the quick checks, before “… is thinking” is shown, and resolves with the slow work or with a form. Throws a
   * UserError to reject the request. Speech is already queued here, so that it starts sooner and requests keep their
   * order.
   */
  begin(call: Call): Work | Form | Promise<Work | Form>;
}

export interface Control extends Action<ControlCall> {
  /** Custom ids of the control's buttons, menus and forms begin with this name and a colon. Unique, without a colon. */
  readonly name: string;
  /**
   * Builds a rejected form again, with the member's input from `call.fields`, for the button that reopens it. Undefined
   * if the bot no longer has such a form.
   */
  form?(call: ControlCall): Modal | undefined | Promise<Modal | undefined>;
}

interface CommandBase {
  readonly name: string;
  /**
   * With 'owner', the bot refuses the command to everyone but its owners. It treats the buttons and forms of others as
   * expired.
   */
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
  /**
   * The text key of the command's translated name in a message's Apps menu. Discord identifies the command by the
   * English text in `name`.
   */
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

export const messageControl = (name: string, begin: (call: ControlCall<'cached'>) => Work): Control =>
  serverControl({ name, replyTo: 'message', deferred: true, begin });
