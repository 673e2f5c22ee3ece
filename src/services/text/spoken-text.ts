import { UserError } from '../../errors/user-errors.ts';
import { parseTags, spokenText as withoutTags } from '../../speech/interface/tags.ts';
import { text } from '../../texts/catalogue.ts';
import type { ServerRules, ServerRulesBook } from '../servers/server-rules.ts';
import { type BlockedWords, createBlockedWords } from './blocked-words.ts';
import type { Dictionary } from './dictionary-rules.ts';
import type { ReadableContext } from './readable/context.ts';
import { readable } from './readable/readable.ts';
import type { ServerDictionaries } from './server-dictionaries.ts';

/** Where a text is to be spoken; no server in direct messages. */
interface SpokenWhere {
  readonly guildId: string | undefined;
  /** The language of replacements for other words. */
  readonly locale: string;
  /** 'keep' where the text may hold speech tags, which are not words. */
  readonly tags?: 'keep' | 'remove';
}

/** A letter, a digit or an emoji of any script. */
const SPEAKABLE = /[\p{L}\p{N}\p{Extended_Pictographic}]/u;

/** Whether a voice can speak any of it: text without a letter, digit or emoji is billed and silent. */
export const isSpeakable = (words: string): boolean => SPEAKABLE.test(words);

/** The server blocks this text. Only its author may see it. */
export class BlockedWordError extends UserError {}

interface SpokenTextsOptions {
  readonly rules: Pick<ServerRulesBook, 'of'>;
  readonly dictionaries: Pick<ServerDictionaries, 'of'>;
}

/**
 * From written to spoken text, the same way for commands and for messages: made readable, searched for blocked words, and
 * replaced by the server's dictionary. Callers check the length of the result. Rejects with a BlockedWordError.
 */
export function createSpokenTexts({ rules, dictionaries }: SpokenTextsOptions) {
  /** Compiled words by the list of rules they were made from: a changed list is another object. */
  const compiled = new WeakMap<ServerRules, BlockedWords>();

  function blockedWordsOf(serverRules: ServerRules): BlockedWords {
    const known = compiled.get(serverRules);
    if (known) return known;
    const made = createBlockedWords(serverRules.blockedWords ?? [], serverRules.blockedWordsMode);
    compiled.set(serverRules, made);
    return made;
  }

  /** From words that are readable already. */
  async function ofReadable(words: string, { guildId, locale, tags }: SpokenWhere): Promise<string> {
    if (guildId === undefined) return words;
    const [serverRules, dictionary] = await Promise.all([rules.of(guildId), dictionaries.of(guildId)]);
    const clean = withoutBlockedWords(words, blockedWordsOf(serverRules), locale);
    return tags === 'keep' ? pronouncedBetweenTags(clean, dictionary) : dictionary.apply(clean);
  }

  return {
    ofReadable,
    /** From written text, with the marks, mentions and links of Discord. */
    ofWritten: (written: string, { guildId, ...context }: ReadableContext & Pick<SpokenWhere, 'guildId'>) =>
      ofReadable(readable(written, context).text, {
        guildId,
        locale: context.locale,
        ...(context.tags && { tags: context.tags }),
      }),
  };
}

export type SpokenTexts = ReturnType<typeof createSpokenTexts>;

/** Tags of any family of voices, closed lists first: they wrap words. */
const TAG_SYNTAXES = ['closed', 'square-open', 'angle-open'] as const;

function withoutBlockedWords(words: string, blocked: BlockedWords, locale: string): string {
  const clean = checked(words, blocked, locale);
  // A tag in the middle of a word is silent: the text without it must be clean, too.
  const heard = TAG_SYNTAXES.reduce(withoutTags, clean);
  const cleanToo = heard === clean ? heard : checked(heard, blocked, locale);
  return cleanToo === heard ? clean : cleanToo;
}

function checked(words: string, blocked: BlockedWords, locale: string): string {
  const result = blocked.check(words, locale);
  if (result.outcome === 'refused') throw new BlockedWordError(text('blocked.refused', { rule: result.rule }));
  if (result.outcome === 'tangled') throw new BlockedWordError(text('blocked.tangled'));
  return result.text;
}

/** Bracketed text may be a tag of the voice, and tags are not pronounced. */
function pronouncedBetweenTags(words: string, dictionary: Dictionary): string {
  return TAG_SYNTAXES.slice(1)
    .reduce<readonly { readonly raw: string; readonly kind: string }[]>(
      (segments, syntax) =>
        segments.flatMap((segment) => (segment.kind === 'text' ? parseTags(segment.raw, syntax) : [segment])),
      [{ raw: words, kind: 'text' }],
    )
    .map(({ raw, kind }) => (kind === 'text' ? dictionary.apply(raw) : raw))
    .join('');
}
