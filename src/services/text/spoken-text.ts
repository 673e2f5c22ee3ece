import { parseTags, spokenText as withoutTags } from '../../speech/interface/models.ts';
import { text } from '../../texts/catalog.ts';
import type { ServerRules, ServerRulesBook } from '../servers/admission.ts';
import { inSlices, type Pause } from '../time/slices.ts';
import { type Bleeped, BlockedWordError, type BlockedWords, blockedBy, createBlockedWords } from './blocked-words.ts';
import { type Dictionary, NO_DICTIONARY, type ServerDictionaries } from './dictionary.ts';
import { type ReadableContext, readable, TAG_SYNTAXES } from './readable/readable.ts';

interface SpokenWhere {
  /** The server where the text is spoken; undefined in direct messages. */
  readonly guildId: string | undefined;
  /** The language of the bot's own words in a text, which replace emoji, links and the like. */
  readonly locale: string;
  /** Speech tags that stay in the text ('keep') are not words, so the dictionary does not change them. */
  readonly tags?: 'keep' | 'remove' | undefined;
  /** True for a text that the server's dictionary must not change, such as a spoken form from the dictionary. */
  readonly isPronounced?: true;
}

export interface BlockableRequest {
  readonly input: string;
  readonly style?: string | undefined;
}

/** Maximum characters after the dictionary was applied: the rest is dropped. No server allows longer texts. */
const MAX_PRONOUNCED = 10_000;

/**
 * Turns written text into spoken text: makes it readable, searches it for blocked words, and applies the server's
 * dictionary. Callers check the length of the result. Rejects with a BlockedWordError.
 */
export class SpokenTexts {
  readonly #rules: ServerRulesBook;
  readonly dictionaries: ServerDictionaries;
  /** Servers' compiled blocked words. Changed rules are a new `ServerRules` object, for which the words are compiled again. */
  readonly #compiled = new WeakMap<ServerRules, BlockedWords>();

  constructor(rules: ServerRulesBook, dictionaries: ServerDictionaries) {
    this.#rules = rules;
    this.dictionaries = dictionaries;
  }

  /** Bleeps blocked words (result: `clean`) or rejects with a BlockedWordError. Then the dictionary turns `clean` into `words`. */
  async #allowed(words: string, { guildId, locale, tags, isPronounced }: SpokenWhere) {
    if (guildId === undefined) return { words, clean: words, bleeped: [] as readonly string[] };
    const [serverRules, dictionary] = await Promise.all([
      this.#rules.of(guildId),
      isPronounced ? NO_DICTIONARY : this.dictionaries.of(guildId),
    ]);
    const blocked = this.#compiled.get(serverRules) ?? createBlockedWords(serverRules);
    this.#compiled.set(serverRules, blocked);
    const pause = inSlices();
    const written = await withoutBlocked(words, blocked, locale, pause);
    const clean = written.words;
    const pronounced =
      tags === 'keep'
        ? await pronouncedBetweenTags(clean, dictionary, pause)
        : await dictionary.apply(clean, MAX_PRONOUNCED, pause);
    if (pronounced === clean) return { words: clean, clean, bleeped: written.bleeped };
    // Spoken forms from the server's dictionary are searched for blocked words, too.
    const heard = await withoutBlocked(pronounced, blocked, locale, pause);
    return { words: heard.words, clean, bleeped: [...written.bleeped, ...heard.bleeped] };
  }

  async ofReadable(readableWords: string, where: SpokenWhere) {
    const { words, bleeped } = await this.#allowed(readableWords, where);
    return { words, isBleeped: bleeped.length > 0 };
  }

  /** Throws if a blocked word spans two lines: a bleep cannot replace words of two lines that are spoken separately. */
  async ofLines(lines: readonly { readonly words: string; readonly locale: string }[], where: SpokenWhere) {
    const spoken = [];
    for (const { words, locale } of lines) spoken.push(await this.#allowed(words, { ...where, locale }));
    const together = spoken.map(({ clean }) => clean).join('\n');
    const { clean, bleeped } = await this.#allowed(together, where);
    if (clean !== together) throw blockedBy(bleeped[0] ?? '');
    return spoken.map((line) => ({ words: line.words, isBleeped: line.bleeped.length > 0 }));
  }

  /** Returns an error for a blocked word, even if the server only bleeps. For texts that are used whole or not at all. */
  async blockedIn(words: string, guildId: string | undefined, how: { readonly isPronounced?: true } = {}) {
    try {
      const { bleeped } = await this.#allowed(words, { guildId, locale: 'en', ...how });
      return bleeped[0] === undefined ? undefined : blockedBy(bleeped[0]);
    } catch (error) {
      if (error instanceof BlockedWordError) return error;
      throw error;
    }
  }

  /** Searches a style for blocked words, because the speech service receives the style and a voice may speak it aloud. */
  async blockedInStyle(style: string, guildId: string): Promise<BlockedWordError | undefined> {
    const isBlocked = (await this.blockedIn(style, guildId, { isPronounced: true })) !== undefined;
    return isBlocked ? new BlockedWordError(text('blocked.style')) : undefined;
  }

  /** Searches a request for blocked words again: the server's rules may have changed since the request was accepted. */
  async blockedInRequest({ input, style }: BlockableRequest, guildId: string): Promise<BlockedWordError | undefined> {
    const blocked = await this.blockedIn(input, guildId, { isPronounced: true });
    if (blocked !== undefined || style === undefined) return blocked;
    return this.blockedInStyle(style, guildId);
  }

  /** Emoji get their spoken form from the server's dictionary here, because afterwards only their names remain. */
  async asReadable(written: string, context: ReadableContext, guildId: string | undefined): Promise<string> {
    const { emojiNames } = guildId === undefined ? NO_DICTIONARY : await this.dictionaries.of(guildId);
    return readable(written, context, emojiNames, inSlices());
  }

  async ofWritten(written: string, { guildId, ...context }: ReadableContext & { readonly guildId: string }) {
    const readableWords = await this.asReadable(written, context, guildId);
    return this.ofReadable(readableWords, { guildId, locale: context.locale, tags: context.tags });
  }
}

async function withoutBlocked(words: string, blocked: BlockedWords, locale: string, pause: Pause): Promise<Bleeped> {
  const checked = await blocked(words, locale, pause);
  // A speech tag inside a word is silent and could hide a blocked word.
  let heard = checked.words;
  for (const syntax of TAG_SYNTAXES) {
    await pause();
    heard = withoutTags(heard, syntax);
  }
  if (heard === checked.words) return checked;
  const again = await blocked(heard, locale, pause);
  return {
    words: again.words === heard ? checked.words : again.words,
    bleeped: [...checked.bleeped, ...again.bleeped],
  };
}

/** Applies the dictionary outside of brackets only. Bracketed text may be a speech tag, which must stay as it is written. */
async function pronouncedBetweenTags(words: string, dictionary: Dictionary, pause: Pause): Promise<string> {
  let segments: readonly { readonly raw: string; readonly kind: string }[] = [{ raw: words, kind: 'text' }];
  for (const syntax of TAG_SYNTAXES.slice(1)) {
    await pause();
    segments = segments.flatMap((segment) => (segment.kind === 'text' ? parseTags(segment.raw, syntax) : [segment]));
  }
  let pronounced = '';
  for (const { raw, kind } of segments) {
    const left = MAX_PRONOUNCED - pronounced.length;
    if (left <= 0) break;
    pronounced += kind === 'text' ? await dictionary.apply(raw, left, pause) : raw;
  }
  return pronounced;
}
