import type {
  ApplicationCommandOptionChoiceData,
  ApplicationCommandOptionType,
  AutocompleteInteraction,
  ChatInputCommandInteraction,
  InteractionContextType,
} from 'discord.js';
import type { Logger } from 'pino';
import type { GuildSpeakers } from '../services/guild-speakers.ts';
import type { MemberSettings } from '../services/member-settings.ts';
import type { Settings } from '../services/settings.ts';
import type { SpeechClient } from '../services/speech/client.ts';
import type { VoiceCatalogue } from '../services/voice-catalogue.ts';
import type { PlainTextKey, Text } from '../texts/catalogue.ts';

/** What commands work with; made once by app.ts. */
export interface Services {
  readonly speech: Pick<SpeechClient, 'billing'>;
  readonly voices: VoiceCatalogue;
  readonly settings: Settings;
  readonly members: MemberSettings;
  readonly speakers: GuildSpeakers;
  /** Whether the voice is the embedded one. */
  readonly localVoice: boolean;
  readonly log: Logger;
}

interface OptionBase {
  readonly name: string;
  readonly description: PlainTextKey;
}

/** One of a few values to pick from; without a name of its own it is shown as it is. */
export interface OptionChoice {
  readonly name?: PlainTextKey;
  readonly value: string;
}

export type OptionDefinition =
  | (OptionBase & {
      readonly type: ApplicationCommandOptionType.String;
      readonly required?: boolean;
      readonly autocomplete?: boolean;
      readonly choices?: readonly OptionChoice[];
      readonly minLength?: number;
      readonly maxLength?: number;
    })
  | (OptionBase & {
      readonly type: ApplicationCommandOptionType.Integer | ApplicationCommandOptionType.Number;
      readonly required?: boolean;
      readonly min: number;
      readonly max: number;
    })
  | (OptionBase & { readonly type: ApplicationCommandOptionType.Boolean; readonly required?: boolean })
  | (OptionBase & {
      readonly type: ApplicationCommandOptionType.Subcommand;
      readonly options?: readonly OptionDefinition[];
    });

/** What must hold before a command is begun; dispatch.ts checks it. */
export interface Needs {
  readonly contexts: readonly InteractionContextType[];
  /**
   * 'speak': the caller is in a voice channel in which the bot may speak; 'together': in the one the bot is in (a
   * moderator, who could move the bot anyway, need not be).
   */
  readonly voice?: 'speak' | 'together';
  /** At most so many uses by one member in so many milliseconds. */
  readonly cooldown?: { readonly uses: number; readonly perMs: number };
}

export interface CommandCall {
  readonly interaction: ChatInputCommandInteraction<'cached'>;
  readonly services: Services;
  /** Aborts when Discord takes no answer any more: what was begun is then given up. */
  readonly signal: AbortSignal;
}

export interface CompletionCall {
  readonly interaction: AutocompleteInteraction<'cached'>;
  readonly services: Services;
}

export type Facts = Readonly<Record<string, string | number | undefined>>;

export interface Reply {
  /** One text a line. */
  readonly lines: readonly Text[];
  /** What the operator's log should hold of it; never what a member typed. */
  readonly facts?: Facts;
}

/** The part of a command that takes time, or waits for what `begin` has set going. */
export type Work = () => Promise<Reply>;

export interface Command {
  readonly name: string;
  readonly description: PlainTextKey;
  readonly options?: readonly OptionDefinition[];
  /** Who sees it unless a server's admins decide otherwise; absent: everybody. */
  readonly defaultMemberPermissions?: bigint;
  readonly needs: Needs;
  /** Who sees the reply. Failures are shown to the caller alone in any case. */
  readonly replyTo: 'everyone' | 'caller';
  /** Whether the work takes longer than the 3 seconds Discord waits: then the reply says that the bot is at it. */
  readonly deferred: boolean;
  /**
   * Checks everything that is known without waiting for anybody and throws a UserError for what cannot be done: that is
   * told before any placeholder is shown. Resolves with the rest. Work may be set going here already, so that it need
   * not wait for the placeholder, and so that things happen in the order in which they were asked for.
   */
  begin(call: CommandCall): Work | Promise<Work>;
  /** Suggestions for the option being typed into, at most 25. */
  complete?(call: CompletionCall): Promise<readonly ApplicationCommandOptionChoiceData<string>[]>;
}
