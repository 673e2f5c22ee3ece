/** The names that a message refers to. All names are display names, as Discord gives them; `undefined` when unknown. */
export interface ReadableContext {
  /** Discord's locale of the server, or of the listener: the language of everything announced. */
  readonly locale: string;
  /** Now, in milliseconds since 1970: relative times count from it. */
  readonly now: number;
  /** IANA name; times are told in UTC, and said to be, without one. */
  readonly timeZone?: string;
  /** 'keep' only for requesters who may use speech tags, in text given to be spoken. Otherwise tags have no effect. */
  readonly tags?: 'keep' | 'remove';
  /** Spoken for an emoji in place of its name in that language, by `bareEmoji`; nothing is spoken for an empty one. */
  readonly emojiNames?: ReadonlyMap<string, string>;
  users(id: string): string | undefined;
  channels(id: string): string | undefined;
  roles(id: string): string | undefined;
  readonly attachments?: readonly ReadableAttachment[];
  /** Names of the stickers. */
  readonly stickers?: readonly string[];
  /** The display name of the author that the message replies to. */
  readonly replyTo?: string;
}

export interface ReadableAttachment {
  readonly name: string;
  readonly contentType?: string | null | undefined;
  readonly voiceMessage?: boolean;
  readonly spoiler?: boolean;
}
