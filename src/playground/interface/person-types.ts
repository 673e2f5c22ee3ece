import type { APIEmbed } from 'discord-api-types/v10';
import type { Choice } from '../state/interactions.ts';
import type { Listener } from '../voice/types.ts';
import type {
  FileInput,
  OptionInput,
  SentInteraction,
  VisibleMenu,
  VisibleMessage,
  VisibleModal,
} from './visible-types.ts';

/**
 * Where a person acts: `in` is a channel's name, default `general`; `@bot` is the direct messages with the bot, `@bob`
 * those with bob, `@bob,@frank` the group of the three.
 */
export interface Place {
  readonly in?: string;
}

export interface Person {
  readonly name: string;
  readonly id: string;
  /** Name of the voice channel the person is in. */
  readonly voiceChannel: string | undefined;
  /** The person's listener; throws before the first voice channel was joined. */
  readonly listener: Listener;
  joins(channel: string): Listener;
  leaves(): void;
  moves(channel: string): Listener;
  /** Types a line that starts with `/`. Rejects with `CommandRefused` when Discord's client would not send it. */
  types(line: string, place?: Place): Promise<SentInteraction>;
  /** The same with the options' values given. Subcommands are named as `settings voice`. */
  command(name: string, options?: Readonly<Record<string, OptionInput>>, place?: Place): Promise<SentInteraction>;
  /** The suggestions while the person types into option `focused`; rejects after 3 s as Discord does. */
  autocompletes(
    name: string,
    focused: Readonly<Record<string, string>>,
    options?: Place & { readonly filled?: Readonly<Record<string, OptionInput>> },
  ): Promise<readonly Choice[]>;
  /** Clicks a button, by its label or custom id. */
  presses(message: VisibleMessage, button: string): Promise<SentInteraction>;
  /** Picks from a select menu, by its custom id or placeholder; values by label or value, names for users, roles and channels. */
  selects(message: VisibleMessage, menu: string, values: readonly string[]): Promise<SentInteraction>;
  /** Fills in a modal, by custom id or label, and submits it. */
  submits(modal: VisibleModal, fields: Readonly<Record<string, FieldInput>>): Promise<SentInteraction>;
  /** Apps → `command` on a message. */
  usesOnMessage(command: string, message: VisibleMessage): Promise<SentInteraction>;
  /** A modified client: sends a button, menu or modal of any custom id, in any name, from anywhere. */
  forges(component: ForgedComponent): Promise<SentInteraction>;
  /** A modified client: uses any registered command, shown to this person or not; otherwise as `command`. */
  forcesCommand(name: string, options?: Readonly<Record<string, OptionInput>>, place?: Place): Promise<SentInteraction>;
  /** The commands Discord's client shows this person, in the person's language. */
  seesCommands(place?: Place): readonly VisibleCommand[];
  /** The language of the person's Discord. */
  readonly language: string;
  /** The same client in another language (https://discord.com/developers/docs/reference#locales), such as `de`. */
  setsLanguage(locale: string): void;
  /** Adds the application to the own account, so that its commands come along everywhere. */
  installsApp(): void;
  /** Posts an ordinary message. `@name` and `#channel` become mentions, a leading `@silent` silences it. */
  says(text: string, place?: Place & MessageParts): VisibleMessage;
  edits(message: VisibleMessage, text: string): VisibleMessage;
  /** One's own message, or with Manage Messages any. */
  deletes(message: VisibleMessage): void;
  /** Many at once, as with a ban or through a moderators' bot; needs Manage Messages. */
  purges(messages: readonly VisibleMessage[]): void;
  /** The message as this person sees it now. */
  looksAt(message: VisibleMessage): VisibleMessage;
  /** The messages this person sees in a channel (or `@bot` …), oldest first. */
  sees(channel: string): readonly VisibleMessage[];
  /** Disconnects a member (`bot` for the bot) from voice. */
  disconnects(member: string): void;
  /** Drags a member (`bot` for the bot) to another voice channel. */
  drags(member: string, channel: string): void;
  /** Lets a member (`bot` for the bot) speak on a stage. */
  invitesToSpeak(member: string): void;
  /** Sends a speaker on a stage back to the audience. */
  movesToAudience(member: string): void;
  /** Raises or lowers the own hand on a stage. */
  raisesHand(raised?: boolean): void;
  /** A moderator's mute and deafening of a member in voice, `bot` for the bot. They last when the member leaves. */
  serverMutes(member: string, muted: boolean): void;
  serverDeafens(member: string, deaf: boolean): void;
  timesOut(member: string, forMs: number): void;
}

/** A component or modal as no honest client would send it. */
export interface ForgedComponent extends Place {
  readonly customId: string;
  /** Default `button`. */
  readonly kind?: 'button' | VisibleMenu['kind'] | 'modal';
  /** Of a menu: values as they go over the wire. */
  readonly values?: readonly string[];
  /** Of a modal: the value of each custom id. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Changes what goes over the wire into anything at all: components missing, or of another type. */
  readonly distort?: (data: unknown) => unknown;
  /** The message it claims to stand on, seen or not. Default: one of the bot's that has nothing to do with it. */
  readonly message?: VisibleMessage;
}

/** The parts of a message besides its text. */
export interface MessageParts {
  readonly replyTo?: VisibleMessage;
  /** A forward says nothing itself. */
  readonly forwards?: VisibleMessage;
  /** Another bot's deferred reply: 'is thinking', until it is edited. */
  readonly thinking?: boolean;
  /** A reply pings the author it answers. Default true. */
  readonly ping?: boolean;
  readonly files?: readonly FileInput[];
  /** A recorded voice message: no words, one file. */
  readonly voiceMessage?: { readonly durationSeconds: number };
  readonly embeds?: readonly APIEmbed[];
  readonly stickers?: readonly string[];
  readonly silent?: boolean;
}

export type FieldInput = string | readonly string[] | FileInput | readonly FileInput[];

export interface VisibleCommand {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly kind: 'slash' | 'message';
  /** Subcommands too. */
  readonly options: readonly {
    readonly name: string;
    readonly description: string;
    readonly required: boolean;
    readonly choices: readonly string[];
  }[];
}
