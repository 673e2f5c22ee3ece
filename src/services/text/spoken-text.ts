import { parseTags, spokenText as withoutTags } from '../../speech/interface/tags.ts';
import { LANGUAGES, text } from '../../texts/catalog.ts';
import type { ServerRules, ServerRulesBook } from '../servers/server-rules.ts';
import { inSlices, type Pause, stepByStep } from '../time/slices.ts';
import { type Bleeped, BlockedWordError, BlockedWords, blockedBy } from './blocked-words.ts';
import { Dictionary, type ServerDictionaries } from './dictionary.ts';
import { foldCase } from './readable/characters.ts';
import { EMOJI } from './readable/emoji-names.ts';
import { type ReadableContext, readableSteps } from './readable/readable.ts';

/** The place and the manner of speaking. */
interface SpokenWhere {
  /** No server in direct messages. */
  readonly guildId: string | undefined;
  /** The language of replacements for other words. */
  readonly locale: string;
  /** 'keep' where the text may hold speech tags, which are not words. */
  readonly tags?: 'keep' | 'remove' | undefined;
  /** True for a spoken form of the dictionary, which is not looked up again. */
  readonly isPronounced?: true;
}

interface Spoken {
  readonly words: string;
  /** A word in them was blocked. */
  readonly isBleeped: boolean;
}

/** What a request has that may hold a blocked word. */
export interface BlockableRequest {
  readonly input: string;
  readonly style?: string | undefined;
}

/** A style or a spoken form of the dictionary is not looked up in it again. */
const NO_DICTIONARY = new Dictionary([]);

/** No server lets longer texts be spoken: of what a dictionary makes of a text, no more is looked at. */
const MOST_PRONOUNCED = 10_000;

/** Tags of any family of voices, closed lists first: they wrap words. */
const TAG_SYNTAXES = ['closed', 'square-open', 'angle-open'] as const;

/**
 * From written to spoken text, the same way for commands and for messages: made readable, searched for blocked words, and
 * replaced by the server's dictionary. Callers check the length of the result. Rejects with a BlockedWordError.
 */
export class SpokenTexts {
  readonly #rules: ServerRulesBook;
  readonly dictionaries: ServerDictionaries;
  /** Compiled words by the list of rules they were made from: a changed list is another object. */
  readonly #compiled = new WeakMap<ServerRules, BlockedWords>();

  constructor(rules: ServerRulesBook, dictionaries: ServerDictionaries) {
    this.#rules = rules;
    this.dictionaries = dictionaries;
  }

  #blockedWordsOf(serverRules: ServerRules): BlockedWords {
    const known = this.#compiled.get(serverRules);
    if (known) return known;
    const made = new BlockedWords(serverRules);
    this.#compiled.set(serverRules, made);
    return made;
  }

  /**
   * Words without the server's blocked ones, in its pronunciation and (`clean`) before the dictionary, and the rules whose words
   * were bleeped. Rejects with a BlockedWordError where they are refused.
   */
  async #allowed(words: string, { guildId, locale, tags, isPronounced }: SpokenWhere) {
    if (guildId === undefined) return { words, clean: words, bleeped: [] as readonly string[] };
    const [serverRules, dictionary] = await Promise.all([
      this.#rules.of(guildId),
      isPronounced ? NO_DICTIONARY : this.dictionaries.of(guildId),
    ]);
    const blocked = this.#blockedWordsOf(serverRules);
    const pause = inSlices();
    const written = await withoutBlocked(words, blocked, locale, pause);
    const clean = written.words;
    const pronounced =
      tags === 'keep'
        ? await pronouncedBetweenTags(clean, dictionary, pause)
        : await dictionary.apply(clean, MOST_PRONOUNCED, pause);
    if (pronounced === clean) return { words: clean, clean, bleeped: written.bleeped };
    // A pronunciation is no way around the blocked words.
    const heard = await withoutBlocked(pronounced, blocked, locale, pause);
    return { words: heard.words, clean, bleeped: [...written.bleeped, ...heard.bleeped] };
  }

  /** From words that are readable already. */
  async ofReadable(readableWords: string, where: SpokenWhere): Promise<Spoken> {
    const { words, bleeped } = await this.#allowed(readableWords, where);
    return { words, isBleeped: bleeped.length > 0 };
  }

  /** From readable lines that are heard one after the other: what is split over two of them cannot be bleeped. */
  async ofLines(
    lines: readonly { readonly words: string; readonly locale: string }[],
    where: SpokenWhere,
  ): Promise<readonly Spoken[]> {
    const spoken = [];
    for (const { words, locale } of lines) spoken.push(await this.#allowed(words, { ...where, locale }));
    const together = spoken.map(({ clean }) => clean).join('\n');
    const { clean, bleeped } = await this.#allowed(together, where);
    if (clean !== together) throw blockedBy(bleeped[0] ?? '');
    return spoken.map((line) => ({ words: line.words, isBleeped: line.bleeped.length > 0 }));
  }

  /** The refusal of words that the server blocks, also where they would only be bleeped. */
  async blockedIn(
    words: string,
    guildId: string | undefined,
    how: { readonly isPronounced?: true } = {},
  ): Promise<BlockedWordError | undefined> {
    try {
      const { bleeped } = await this.#allowed(words, { guildId, locale: 'en', ...how });
      return bleeped[0] === undefined ? undefined : blockedBy(bleeped[0]);
    } catch (error) {
      if (error instanceof BlockedWordError) return error;
      throw error;
    }
  }

  /** A style goes to the service with the text, and a voice may say it: the refusal of one with a word that the server blocks. */
  async blockedInStyle(style: string, guildId: string): Promise<BlockedWordError | undefined> {
    // Nothing of the dictionary is put into it.
    const isBlocked = (await this.blockedIn(style, guildId, { isPronounced: true })) !== undefined;
    return isBlocked ? new BlockedWordError(text('blocked.style')) : undefined;
  }

  /** What was accepted before: the refusal of its words as they are spoken, or of its style. */
  async blockedInRequest({ input, style }: BlockableRequest, guildId: string): Promise<BlockedWordError | undefined> {
    const blocked = await this.blockedIn(input, guildId, { isPronounced: true });
    if (blocked !== undefined || style === undefined) return blocked;
    return this.blockedInStyle(style, guildId);
  }

  /**
   * From written text, with the marks, mentions and links of Discord, as a person would read it. Emoji of the server's
   * dictionary are spoken by it here: only their names reach the dictionary itself.
   */
  async asReadable(written: string, context: ReadableContext, guildId: string | undefined): Promise<string> {
    const mayName = EMOJI.test(written) && guildId !== undefined;
    const { emojiNames } = mayName ? await this.dictionaries.of(guildId) : NO_DICTIONARY;
    return stepByStep(readableSteps(written, context, emojiNames), inSlices());
  }

  /**
   * The words that an emoji is spoken with in a server whose language in Discord is `guildLocale`: by its dictionary, or the
   * names in each language that a text there may be spoken in; none for an emoji that is left out.
   */
  async emojiWords(emoji: string, guildId: string, guildLocale: string): Promise<readonly string[]> {
    const { language = guildLocale } = await this.#rules.of(guildId);
    const unknown = () => undefined;
    const words: string[] = [];
    for (const locale of [language, ...LANGUAGES.map((one) => one.locale)]) {
      const context = { locale, now: 0, tags: 'remove', users: unknown, channels: unknown, roles: unknown } as const;
      words.push((await this.asReadable(emoji, context, guildId)).trim());
    }
    const once = new Map(words.filter((one) => one !== '').map((one) => [foldCase(one), one]));
    return [...once.values()];
  }

  async ofWritten(
    written: string,
    { guildId, ...context }: ReadableContext & { readonly guildId: string },
  ): Promise<Spoken> {
    const readableWords = await this.asReadable(written, context, guildId);
    return this.ofReadable(readableWords, { guildId, locale: context.locale, tags: context.tags });
  }
}

/** Rejects with a BlockedWordError. */
async function withoutBlocked(words: string, blocked: BlockedWords, locale: string, pause: Pause): Promise<Bleeped> {
  const checked = await blocked.check(words, locale, pause);
  // A tag in the middle of a word is silent: the text without it must be clean, too.
  let heard = checked.words;
  for (const syntax of TAG_SYNTAXES) {
    await pause();
    heard = withoutTags(heard, syntax);
  }
  if (heard === checked.words) return checked;
  const again = await blocked.check(heard, locale, pause);
  return {
    words: again.words === heard ? checked.words : again.words,
    bleeped: [...checked.bleeped, ...again.bleeped],
  };
}

/** Bracketed text may be a tag of the voice, and tags are not pronounced. */
async function pronouncedBetweenTags(words: string, dictionary: Dictionary, pause: Pause): Promise<string> {
  let segments: readonly { readonly raw: string; readonly kind: string }[] = [{ raw: words, kind: 'text' }];
  for (const syntax of TAG_SYNTAXES.slice(1)) {
    await pause();
    segments = segments.flatMap((segment) => (segment.kind === 'text' ? parseTags(segment.raw, syntax) : [segment]));
  }
  let pronounced = '';
  for (const { raw, kind } of segments) {
    const left = MOST_PRONOUNCED - pronounced.length;
    if (left <= 0) break;
    pronounced += kind === 'text' ? await dictionary.apply(raw, left, pause) : raw;
  }
  return pronounced;
}
