import { setImmediate as nextTurn } from 'node:timers/promises';
import { UserError } from '../../errors/user-errors.ts';
import { LANGUAGES, type Text, text } from '../../texts/catalogue.ts';
import type { ServerRules, ServerRulesBook } from '../servers/server-rules.ts';
import { type BlockedWords, createBlockedWords } from './blocked-words.ts';
import { createDictionary, type Dictionary, type DictionaryEntry } from './dictionary-rules.ts';
import type { ReadableContext } from './readable/context.ts';
import { bareEmoji } from './readable/emoji-names.ts';
import { EMOJI } from './readable/patterns.ts';
import { readable } from './readable/readable.ts';
import { foldCase } from './readable/word-borders.ts';
import type { ServerDictionaries } from './server-dictionaries.ts';
import { type ServerWords, serverWords, type WordsHow } from './server-words.ts';
import { plainContext } from './text-tasks.ts';
import type { TextWork } from './text-thread.ts';

/** Where a text is to be spoken; no server in direct messages. */
interface SpokenWhere extends WordsHow {
  readonly guildId: string | undefined;
}

/** Whose turn the work on a text counts as. */
interface WrittenFrom {
  /** Undefined in direct messages. */
  readonly guildId: string | undefined;
  readonly userId: string;
}

const segmenter = new Intl.Segmenter();
const emojiByEntries = new WeakMap<readonly DictionaryEntry[], ReadonlyMap<string, string>>();

/** The spoken forms of the dictionary's entries for one emoji each, by `bareEmoji`. */
function emojiIn({ entries }: Dictionary): ReadonlyMap<string, string> {
  const known = emojiByEntries.get(entries);
  if (known) return known;
  const isEmoji = ({ from }: DictionaryEntry) => EMOJI.test(from) && [...segmenter.segment(from)].length === 1;
  const made = new Map(entries.filter(isEmoji).map(({ from, to }) => [bareEmoji(from), to]));
  emojiByEntries.set(entries, made);
  return made;
}

/** Words as they are spoken. */
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

/** The server blocks this text. Only its author may see it. */
export class BlockedWordError extends UserError {
  constructor(content: Text) {
    super(content, { toOthers: text('refused.by-rules'), kind: 'blocked-word' });
  }
}

/*
 * The event loop paces the packets of all servers: work on a text gets about 5 ms of it, as a message of Discord's longest
 * with ordinary rules takes at most. Crafted texts and larger rules go to the text thread, whose start takes half a second
 * and 50 MB (`npm run test:stall`).
 */
const MOST_CHARACTERS_IN_TURN = 2_000;
/** What a dictionary makes of them may be a hundred times as long. */
const MOST_PRONOUNCED_IN_TURN = 2 * MOST_CHARACTERS_IN_TURN;
/** Of Markdown and Discord's marks, whose parsing takes more than linear time: a text of this many characters may be all marks. */
const MOST_MARKS_IN_TURN = 500;
const MARKS = /[[\]()*_~|`<>:@#\\]/gu;
/** Of all blocked words of a server together. */
const MOST_BLOCKED_CHARACTERS_IN_TURN = 2_000;
/** Of a server's dictionary as JSON. */
const MOST_DICTIONARY_CHARACTERS_IN_TURN = 20_000;
/** Those times the characters of the text. */
const MOST_REPLACING_IN_TURN = 10_000_000;
/** Of the search for blocked words: 10,000 take about 1 ms. */
const MOST_STEPS_IN_TURN = 20_000;

const NO_DICTIONARY = createDictionary([]);

const refusedFor = (rule: string) => text('blocked.refused', { rule });

const marksIn = (written: string): number => written.match(MARKS)?.length ?? 0;

interface SpokenTextsOptions {
  readonly rules: Pick<ServerRulesBook, 'of'>;
  readonly dictionaries: Pick<ServerDictionaries, 'of'>;
  readonly textWork: TextWork;
}

/**
 * From written to spoken text, the same way for commands and for messages: made readable, searched for blocked words, and
 * replaced by the server's dictionary. Callers check the length of the result. Rejects with a BlockedWordError, or a
 * UserError where the text takes too long.
 */
export function createSpokenTexts({ rules, dictionaries, textWork }: SpokenTextsOptions) {
  /** Compiled words by the list of rules they were made from: a changed list is another object. */
  const compiled = new WeakMap<ServerRules, BlockedWords>();
  const asJson = new WeakMap<readonly DictionaryEntry[], string>();

  function blockedWordsOf(serverRules: ServerRules): BlockedWords {
    const known = compiled.get(serverRules);
    if (known) return known;
    const made = createBlockedWords(serverRules);
    compiled.set(serverRules, made);
    return made;
  }

  function jsonOf({ entries }: Dictionary): string {
    const json = asJson.get(entries) ?? JSON.stringify(entries);
    asJson.set(entries, json);
    return json;
  }

  async function checked(words: string, guildId: string, how: WordsHow): Promise<ServerWords> {
    const [serverRules, dictionary] = await Promise.all([
      rules.of(guildId),
      how.isPronounced ? NO_DICTIONARY : dictionaries.of(guildId),
    ]);
    const { blockedWords = [], blockedWordsExceptions = [], blockedWordsMode } = serverRules;
    const json = jsonOf(dictionary);
    const isQuick =
      words.length <= MOST_CHARACTERS_IN_TURN &&
      [...blockedWords, ...blockedWordsExceptions].join('').length <= MOST_BLOCKED_CHARACTERS_IN_TURN &&
      json.length <= MOST_DICTIONARY_CHARACTERS_IN_TURN &&
      words.length * json.length <= MOST_REPLACING_IN_TURN;
    if (isQuick) {
      // What comes before has had its turn.
      await nextTurn();
      const most = { steps: MOST_STEPS_IN_TURN, characters: MOST_PRONOUNCED_IN_TURN };
      const inTurn = serverWords(words, { blocked: blockedWordsOf(serverRules), dictionary }, how, most);
      if (inTurn.outcome !== 'tangled') return inTurn;
    }
    const plain = { blockedWords, blockedWordsExceptions, blockedWordsMode, dictionary: json };
    return textWork.run(guildId, { kind: 'server-words', words, how, rules: plain });
  }

  /** Rejects with a BlockedWordError where the words are refused. */
  async function allowed(words: string, { guildId, ...how }: SpokenWhere) {
    if (guildId === undefined) return { words, clean: words, bleeped: [] };
    const result = await checked(words, guildId, how);
    if (result.outcome === 'spoken') return result;
    throw new BlockedWordError(result.outcome === 'refused' ? refusedFor(result.rule) : text('blocked.tangled'));
  }

  /** From words that are readable already. */
  async function ofReadable(readableWords: string, where: SpokenWhere): Promise<Spoken> {
    const { words, bleeped } = await allowed(readableWords, where);
    return { words, isBleeped: bleeped.length > 0 };
  }

  /** From readable lines that are heard one after the other: what is split over two of them cannot be bleeped. */
  async function ofLines(
    lines: readonly { readonly words: string; readonly locale: string }[],
    where: SpokenWhere,
  ): Promise<readonly Spoken[]> {
    const spoken: Awaited<ReturnType<typeof allowed>>[] = [];
    for (const { words, locale } of lines) spoken.push(await allowed(words, { ...where, locale }));
    const together = spoken.map(({ clean }) => clean).join('\n');
    const { clean, bleeped } = await allowed(together, where);
    if (clean !== together) throw new BlockedWordError(refusedFor(bleeped[0] ?? ''));
    return spoken.map((line) => ({ words: line.words, isBleeped: line.bleeped.length > 0 }));
  }

  /** The refusal of words that the server blocks, also where they would only be bleeped. */
  async function blockedIn(
    words: string,
    guildId: string | undefined,
    how: Pick<WordsHow, 'isPronounced'> = {},
  ): Promise<BlockedWordError | undefined> {
    try {
      const { bleeped } = await allowed(words, { guildId, locale: 'en', ...how });
      return bleeped[0] === undefined ? undefined : new BlockedWordError(refusedFor(bleeped[0]));
    } catch (error) {
      if (error instanceof BlockedWordError) return error;
      throw error;
    }
  }

  /** A style goes to the service with the text, and a voice may say it: the refusal of one with a word that the server blocks. */
  async function blockedInStyle(style: string, guildId: string): Promise<BlockedWordError | undefined> {
    // Nothing of the dictionary is put into it.
    const isBlocked = (await blockedIn(style, guildId, { isPronounced: true })) !== undefined;
    return isBlocked ? new BlockedWordError(text('blocked.style')) : undefined;
  }

  /** What was accepted before: the refusal of its words as they are spoken, or of its style, unless that is the admins' own. */
  async function blockedInRequest(
    { input, style }: BlockableRequest,
    guildId: string,
  ): Promise<BlockedWordError | undefined> {
    const blocked = await blockedIn(input, guildId, { isPronounced: true });
    if (blocked !== undefined || style === undefined) return blocked;
    return (await rules.of(guildId)).style === style ? undefined : blockedInStyle(style, guildId);
  }

  /**
   * From written text, with the marks, mentions and links of Discord, as a person would read it. Emoji of the server's
   * dictionary are spoken by it here: only their names reach the dictionary itself.
   */
  async function asReadable(written: string, context: ReadableContext, from: WrittenFrom): Promise<string> {
    const hasEmoji = EMOJI.test(written);
    // The names of emoji are a large file, read at their first use.
    const isQuick = written.length <= MOST_CHARACTERS_IN_TURN && marksIn(written) <= MOST_MARKS_IN_TURN && !hasEmoji;
    if (isQuick) return readable(written, context);
    const { guildId, userId } = from;
    const emojiNames = hasEmoji && guildId !== undefined ? emojiIn(await dictionaries.of(guildId)) : undefined;
    const plain = plainContext(written, { ...context, ...(emojiNames && { emojiNames }) });
    return textWork.run(guildId ?? userId, { kind: 'readable', written, context: plain });
  }

  /**
   * The words that an emoji is spoken with in a server whose language in Discord is `guildLocale`: by its dictionary, or the
   * names in each language that a text there may be spoken in; none for an emoji that is left out.
   */
  async function emojiWords(emoji: string, guildId: string, guildLocale: string): Promise<readonly string[]> {
    const { language = guildLocale } = await rules.of(guildId);
    const unknown = () => undefined;
    const words: string[] = [];
    for (const locale of [language, ...LANGUAGES.map((one) => one.locale)]) {
      const context = { locale, now: 0, users: unknown, channels: unknown, roles: unknown };
      words.push((await asReadable(emoji, context, { guildId, userId: guildId })).trim());
    }
    const once = new Map(words.filter((one) => one !== '').map((one) => [foldCase(one), one]));
    return [...once.values()];
  }

  return {
    asReadable,
    emojiWords,
    ofReadable,
    ofLines,
    blockedIn,
    blockedInStyle,
    blockedInRequest,
    ofWritten: async (
      written: string,
      { guildId, ...context }: ReadableContext & { readonly guildId: string },
    ): Promise<Spoken> =>
      ofReadable(await asReadable(written, context, { guildId, userId: guildId }), {
        guildId,
        locale: context.locale,
        ...(context.tags && { tags: context.tags }),
      }),
  };
}

export type SpokenTexts = ReturnType<typeof createSpokenTexts>;
