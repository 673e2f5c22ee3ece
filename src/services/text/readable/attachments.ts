import { render, type TextKey, text } from '../../../texts/catalogue.ts';
import type { ReadableAttachment, ReadableContext } from './context.ts';
import { spokenName } from './names.ts';
import { enumerate } from './times.ts';

type Kind = Extract<
  TextKey,
  | 'readable.voice-messages'
  | 'readable.images'
  | 'readable.videos'
  | 'readable.sounds'
  | 'readable.files'
  | 'readable.hidden-files'
>;

/** Stickers are at most 3 in a message; a webhook could claim more. */
const MOST_STICKERS = 3;

/** The attachments of a message in words: '2 images and a file'. Empty without any. */
export function spokenAttachments({ attachments = [], stickers = [], locale }: ReadableContext): string {
  const counts = new Map<Kind, number>();
  for (const attachment of attachments) counts.set(kindOf(attachment), (counts.get(kindOf(attachment)) ?? 0) + 1);
  return enumerate(
    [
      ...[...counts].map(([kind, count]) => render(text(kind, { count }), locale)),
      ...stickers
        .slice(0, MOST_STICKERS)
        .map((name) => render(text('readable.sticker', { name: spokenName(name, locale) }), locale).trim()),
    ],
    locale,
  );
}

function kindOf({ contentType, voiceMessage, spoiler, name }: ReadableAttachment): Kind {
  if (voiceMessage) return 'readable.voice-messages';
  if (spoiler || name.startsWith('SPOILER_')) return 'readable.hidden-files';
  switch (contentType?.split('/', 1)[0]) {
    case 'image':
      return 'readable.images';
    case 'video':
      return 'readable.videos';
    case 'audio':
      return 'readable.sounds';
    default:
      return 'readable.files';
  }
}
