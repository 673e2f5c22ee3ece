import type { APIEmbed, APIMessageTopLevelComponent } from 'discord-api-types/v10';

export interface Deadline {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** A file as the person can download it. */
export interface VisibleFile {
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
  /** Bytes. */
  readonly size: number;
  /** Where it can be downloaded, as long as the message exists. */
  readonly url: string;
  readonly description?: string;
  /** Of audio and video. */
  readonly durationSeconds?: number;
  /** Of a voice message alone. */
  readonly waveform?: string;
}

/** A message's appearance from `atMs` (`performance.now()`) on. */
export interface VisibleState {
  readonly atMs: number;
  readonly content: string;
  /** Everything that can be read on it: content, embeds and text displays, a line each; mentions by name. */
  readonly text: string;
  /** "… is thinking": a deferred reply without content yet. */
  readonly thinking: boolean;
}

export interface VisibleButton {
  /** '' when it shows nothing but an emoji. */
  readonly label: string;
  readonly emoji: string | undefined;
  /** Undefined for links. */
  readonly customId: string | undefined;
  readonly url: string | undefined;
  readonly style: 'primary' | 'secondary' | 'success' | 'danger' | 'link' | 'premium';
  readonly disabled: boolean;
}

export interface VisibleMenu {
  readonly customId: string;
  readonly kind: 'string' | 'user' | 'role' | 'mentionable' | 'channel';
  readonly placeholder: string;
  /** Options of a menu of kind `string`; `chosen` are preselected. */
  readonly options: readonly {
    readonly label: string;
    readonly value: string;
    readonly description: string | undefined;
    readonly chosen: boolean;
  }[];
  readonly min: number;
  readonly max: number;
  readonly disabled: boolean;
}

/** A message as the viewer sees it now. */
export interface VisibleMessage {
  readonly messageId: string;
  readonly channelId: string;
  readonly author: string;
  /** Undefined for webhooks and Discord itself. */
  readonly authorId: string | undefined;
  /** The command it answers, and the name of the user of that command, as they stand above it. */
  readonly command: { readonly name: string; readonly user: string } | undefined;
  readonly content: string;
  /** Everything that can be read on it: content, embeds and text displays, a line each; mentions by name. */
  readonly text: string;
  readonly embeds: readonly APIEmbed[];
  readonly components: readonly APIMessageTopLevelComponent[];
  /** Everything on it in the order it stands, a line each; controls in brackets: `[Skip]`, `[Stop] (disabled)`, `[menu: Voice]`. */
  readonly lines: readonly string[];
  readonly buttons: readonly VisibleButton[];
  readonly menus: readonly VisibleMenu[];
  readonly files: readonly VisibleFile[];
  readonly stickers: readonly string[];
  /** Id of the message it replies to. */
  readonly repliesTo: string | undefined;
  /** Sends no notification: written with `@silent`, or flagged so. */
  readonly silent: boolean;
  /** Visible only to the person that started the interaction. */
  readonly ephemeral: boolean;
  readonly thinking: boolean;
  readonly deleted: boolean;
  readonly voiceMessage: boolean;
  /** Discord's own words ("The application did not respond"), not the bot's. */
  readonly failed: boolean;
  readonly createdAtMs: number;
  readonly edited: boolean;
  /** Every state it went through, oldest first. */
  readonly history: readonly VisibleState[];
}

export interface VisibleModal {
  readonly interactionId: string;
  readonly customId: string;
  readonly title: string;
  /** The components as the bot sent them. */
  readonly components: readonly unknown[];
  /** The text besides the fields. */
  readonly text: string;
  /** The input fields, in order. */
  readonly fields: readonly VisibleField[];
}

export interface VisibleField {
  readonly customId: string;
  readonly label: string;
  readonly description: string | undefined;
  readonly kind: 'text' | 'paragraph' | VisibleMenu['kind'] | 'file' | 'radio' | 'checkboxes' | 'checkbox';
  readonly required: boolean;
  readonly placeholder: string;
  /** The preset value. */
  readonly value: string;
  /** Labels on offer. */
  readonly options: readonly string[];
  /** Characters of a text, otherwise how many may be chosen. */
  readonly min: number | undefined;
  readonly max: number | undefined;
}

export interface ReplyOptions extends Deadline {
  /** Keep waiting until the visible reply matches (its `text`), or the predicate holds. */
  readonly until?: RegExp | ((reply: VisibleMessage) => boolean);
}

/** A member as the list of members, and the voice channel, show it. */
export interface VisibleMember {
  readonly id: string;
  /** As `member()` takes it; the bot is `bot`. */
  readonly name: string;
  readonly displayName: string;
  readonly isBot: boolean;
  readonly isOwner: boolean;
  /** The language of this person's Discord. */
  readonly language: string;
  readonly timedOut: boolean;
  readonly voice: VisibleVoice | undefined;
}

interface VisibleVoice {
  readonly channelId: string;
  readonly selfMute: boolean;
  readonly selfDeaf: boolean;
  /** By a moderator. */
  readonly mute: boolean;
  readonly deaf: boolean;
  /** In the audience of a stage, or without the permission to speak. */
  readonly suppress: boolean;
}

/** Something a person did that the bot has to answer. */
export interface SentInteraction {
  readonly id: string;
  /** `performance.now()` when it was sent. */
  readonly sentAtMs: number;
  /** `performance.now()` when the bot acknowledged it, undefined before that. */
  readonly acknowledgedAtMs: number | undefined;
  /** All messages in answer to it, oldest first, deleted ones included. */
  readonly replies: readonly VisibleMessage[];
  /**
   * The newest message the person sees in answer, once there is one that is neither deleted nor still "thinking", nor
   * small print alone, which bots use for progress.
   * After 3 s without an answer: Discord's "The application did not respond", with `failed: true`.
   */
  reply(options: ReplyOptions): Promise<VisibleMessage>;
  /** The modal the bot answered with. */
  modal(options: Deadline): Promise<VisibleModal>;
  /** Whichever comes: a modal, or the reply as `reply` gives it. */
  answer(options: Deadline): Promise<{ readonly modal: VisibleModal } | { readonly reply: VisibleMessage }>;
}

export type OptionInput = string | number | boolean | FileInput;

/** A file from the person's disk. */
export interface FileInput {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly contentType?: string;
  /** Discord measures audio and video; the playground uses this value, by default 1. */
  readonly durationSeconds?: number;
}
