import type { ReadableAttachment, ReadableContext } from '../services/text/readable/context.ts';

/** A message posted in a server, with the facts needed for reading it aloud. */
export interface Posted {
  readonly id: string;
  readonly guildId: string;
  readonly channelId: string;
  /** In a public thread, its parent channel. */
  readonly parentChannelId?: string | undefined;
  readonly author: Author;
  /** Sent with `@silent`. */
  readonly isSilent: boolean;
  /** The time its content arrived, by Discord's clock. */
  readonly atMs: number;
  readonly content: string;
  readonly attachments: readonly ReadableAttachment[];
  /** Names of the stickers. */
  readonly stickers: readonly string[];
  /** The display name of the author it replies to. */
  readonly replyTo?: string | undefined;
  /** Who that is, as far as it is known. */
  readonly replyToId?: string | undefined;
  /** The server's own language, one of Discord's locale codes. */
  readonly guildLocale: string;
  /** Names of the members, roles and channels it mentions, after a short lookup of unknown ones. Never rejects. */
  names(signal: AbortSignal): Promise<Pick<ReadableContext, 'users' | 'channels' | 'roles'>>;
}

export interface Author {
  readonly id: string;
  readonly name: string;
  readonly kind: 'member' | 'bot' | 'webhook';
  readonly roleIds: readonly string[];
  readonly isAdmin: boolean;
  /** The author's voice channel. */
  readonly voiceChannelId: string | undefined;
}
