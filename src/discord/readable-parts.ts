import type { Message } from 'discord.js';
import type { ReadableContext } from '../services/readable/context.ts';

/** What is on a message besides its words, as it is announced. */
export function readableParts({
  attachments,
  stickers,
}: Pick<Message, 'attachments' | 'stickers'>): Required<Pick<ReadableContext, 'attachments' | 'stickers'>> {
  return {
    attachments: [...attachments.values()].map(({ name, contentType, duration, spoiler }) => ({
      name,
      contentType,
      voiceMessage: duration !== null,
      spoiler,
    })),
    stickers: [...stickers.values()].map(({ name }) => name),
  };
}
