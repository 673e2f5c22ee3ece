import { withoutFaces } from '../../../language/faces.ts';
import { removeTags } from '../../../speech/interface/tags.ts';
import { render, type TextKey, text } from '../../../texts/catalog.ts';
import { cleanCharacters, cutAt, dropJoiners, joinLines, tameRepeats, withoutDividers } from './characters.ts';
import type { EmojiNames, ReadableAttachment, ReadableContext } from './context.ts';
import { LEFT_OVER_TOKEN, LEFT_OVER_URL, spokenLink } from './links.ts';
import { nameOr, spokenName } from './names.ts';
import { speakMarkdown } from './speak-markdown.ts';
import { enumerate } from './times.ts';

/** The longest text in Discord: a string option of a command. Messages have up to 4,000 characters. */
export const LONGEST_CONTENT = 6_000;

/**
 * The spoken form of a message: its words as a person would read them aloud, with everything else announced in the
 * context's language. Pure, and bounded for any content.
 */
export function readable(content: string, context: ReadableContext): string {
  const steps = readableSteps(content, context, new Map());
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/** The same, step by step, each bounded by itself: others may have their turn in between. */
export function* readableSteps(
  content: string,
  context: ReadableContext,
  ownNames: EmojiNames,
): Generator<void, string> {
  const { locale } = context;
  const clean = cleanCharacters(cutAt(content, LONGEST_CONTENT));
  yield;
  const words = yield* speakMarkdown(withoutFaces(clean), context, ownNames);
  yield;
  const lines = [
    context.replyTo === undefined
      ? ''
      : render(text('readable.reply', { name: nameOr(context.replyTo, text('readable.somebody'), locale) }), locale),
    tameRepeats(withoutDividers(dropJoiners(words))),
    spokenAttachments(context),
  ];
  // Last: joining lines can form a tag or an address out of two lines.
  yield;
  return yield* withoutEffect(joinLines(lines.join('\n')), locale, context.tags);
}

/** Enough rounds for constructs that appear when others are removed; more of them are only made on purpose. */
const ROUNDS = 4;

/** Removes tags, and addresses and ids that appeared when Markdown's marks were removed. */
function* withoutEffect(words: string, locale: string, tags: 'keep' | 'remove'): Generator<void, string> {
  let result = words;
  for (let round = 0; round < ROUNDS; round++) {
    const before = result;
    result = result
      .replaceAll(LEFT_OVER_TOKEN, '')
      .replaceAll(LEFT_OVER_URL, (address) => ` ${spokenLink(address, locale)}`);
    // For the tags of any voice: brackets are not spoken, so nothing is lost. Closed lists first, as they wrap words.
    if (tags === 'remove') {
      for (const syntax of ['closed', 'square-open', 'angle-open'] as const) {
        yield;
        result = removeTags(result, syntax);
      }
    }
    result = result.replaceAll(/\s+/gu, ' ').trim();
    if (result === before) return result;
  }
  return tags === 'remove' ? result.replaceAll(/[<>[\]]|:\/\//gu, '') : result;
}

type Kind = Extract<
  TextKey,
  | 'readable.voice-messages'
  | 'readable.images'
  | 'readable.videos'
  | 'readable.sounds'
  | 'readable.files'
  | 'readable.hidden-files'
>;

/** A message has up to 3 stickers; a webhook could claim more. */
const MOST_STICKERS = 3;

/** The attachments of a message in words: '2 images and a file'. Empty without any. */
function spokenAttachments({ attachments = [], stickers = [], locale }: ReadableContext): string {
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
