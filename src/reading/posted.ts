import type { ReadableAttachment, ReadableContext } from '../services/text/readable/context.ts';

/** A message that somebody has posted in a server, as far as reading it out is concerned. */
export interface Posted {
  readonly id: string;
  readonly guildId: string;
  readonly channelId: string;
  /** In a thread that everybody can see, the channel above. */
  readonly parentChannelId?: string | undefined;
  readonly author: Author;
  /** Sent with `@silent`. */
  readonly isSilent: boolean;
  /** When its words came, by Discord's clock. */
  readonly atMs: number;
  readonly content: string;
  readonly attachments: readonly ReadableAttachment[];
  /** Names of the stickers. */
  readonly stickers: readonly string[];
  /** The shown name of whom it replies to. */
  readonly replyTo?: string | undefined;
  /** The server's own language, one of Discord's locale codes. */
  readonly guildLocale: string;
  /** Names of who and what is mentioned, after a short look for those that are not known. Never rejects. */
  names(): Promise<Pick<ReadableContext, 'users' | 'channels' | 'roles'>>;
}

export interface Author {
  readonly id: string;
  readonly name: string;
  readonly kind: 'member' | 'bot' | 'webhook';
  readonly roleIds: readonly string[];
  readonly isAdmin: boolean;
  /** The voice channel the author is in. */
  readonly voiceChannelId: string | undefined;
}
