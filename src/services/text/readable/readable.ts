import { removeTags } from '../../../speech/interface/tags.ts';
import { render, text } from '../../../texts/catalogue.ts';
import { spokenAttachments } from './attachments.ts';
import { cleanCharacters, cutAt, dropJoiners, joinLines, tameRepeats } from './characters.ts';
import type { Readable, ReadableContext } from './context.ts';
import { spokenLink } from './links.ts';
import { nameOr } from './names.ts';
import { LEFT_OVER_TOKEN, LEFT_OVER_URL } from './patterns.ts';
import { speakMarkdown } from './speak-markdown.ts';

/** The longest text Discord lets anybody give: an option of a command. Messages have at most 4,000 characters. */
export const LONGEST_CONTENT = 6_000;

/**
 * What a message sounds like: its words as a person would read them out, with everything that is not words announced
 * in the context's language. Pure, and bounded for any content.
 */
export function readable(content: string, context: ReadableContext): Readable {
  const { locale } = context;
  const taken = cutAt(content, LONGEST_CONTENT);
  const { words, removed } = speakMarkdown(cleanCharacters(taken), context);
  const lines = [
    context.replyTo === undefined
      ? ''
      : render(text('readable.reply', { name: nameOr(context.replyTo, text('readable.somebody'), locale) }), locale),
    tameRepeats(dropJoiners(words)),
    spokenAttachments(context),
  ];
  return {
    // Last: what is one line now could be a tag or an address that was none on two.
    text: withoutEffect(joinLines(lines.join('\n')), locale, context.tags ?? 'remove'),
    removed: { ...removed, characters: content.length - taken.length },
  };
}

/** Enough for what taking one thing out may put together; what still has an effect then was made to. */
const ROUNDS = 4;

/** Takes out the tags, and the addresses and ids that came together only when Markdown's marks were gone. */
function withoutEffect(words: string, locale: string, tags: 'keep' | 'remove'): string {
  let result = words;
  for (let round = 0; round < ROUNDS; round++) {
    const before = result;
    result = result
      .replaceAll(LEFT_OVER_TOKEN, '')
      .replaceAll(LEFT_OVER_URL, (address) => ` ${spokenLink(address, locale)}`);
    // Whichever voice will speak: brackets are not heard, so nothing is lost. Closed lists first, as they wrap words.
    if (tags === 'remove') {
      for (const syntax of ['closed', 'square-open', 'angle-open'] as const) result = removeTags(result, syntax);
    }
    result = result.replaceAll(/\s+/gu, ' ').trim();
    if (result === before) return result;
  }
  return tags === 'remove' ? result.replaceAll(/[<>[\]]|:\/\//gu, '') : result;
}
