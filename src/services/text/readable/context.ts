/** The display names of what a message refers to, as Discord gives them; `undefined` when unknown. */
export interface Names {
  users(id: string): string | undefined;
  channels(id: string): string | undefined;
  roles(id: string): string | undefined;
}

export interface ReadableContext extends Names {
  /** Discord's locale of the server, or of the listener: the language of everything announced. */
  readonly locale: string;
  /** Now, in milliseconds since 1970: relative times count from it. */
  readonly now: number;
  /** 'keep' only for requesters who may use speech tags, in text given to be spoken. Otherwise tags have no effect. */
  readonly tags: 'keep' | 'remove';
  /** The attachments of a message; a typed text has none. */
  readonly attachments?: readonly ReadableAttachment[];
  /** Names of its stickers. */
  readonly stickers?: readonly string[];
  /** The display name of the author that it replies to. */
  readonly replyTo?: string;
}

export interface ReadableAttachment {
  readonly name: string;
  readonly contentType: string | null;
  readonly voiceMessage: boolean;
  readonly spoiler: boolean;
}

/** Spoken for an emoji in place of its name, by `bareEmoji`; nothing is spoken for an empty one. */
export type EmojiNames = ReadonlyMap<string, string>;
