import { parseTags, spokenText as withoutTags } from '../../speech/interface/tags.ts';
import type { BlockedWords } from './blocked-words.ts';
import type { Dictionary } from './dictionary-rules.ts';

/** A server's own rules for the words of a text. */
export interface WordRules {
  readonly blocked: BlockedWords;
  readonly dictionary: Dictionary;
}

export interface WordsHow {
  /** The language of replacements for other words. */
  readonly locale: string;
  /** 'keep' where the text may hold speech tags, which are not words. */
  readonly tags?: 'keep' | 'remove' | undefined;
  /** Of a spoken form of the dictionary, which is not looked up in it again. */
  readonly isPronounced?: true;
}

/** What one search for blocked words may take where the event loop waits for it. */
export interface MostInTurn {
  readonly steps: number;
  readonly characters: number;
}

export type ServerWords =
  | {
      readonly outcome: 'spoken';
      readonly words: string;
      /** The words before the dictionary's pronunciation. */
      readonly clean: string;
      /** Rules whose words were bleeped. */
      readonly bleeped: readonly string[];
    }
  | { readonly outcome: 'refused'; readonly rule: string }
  /** The search for blocked words would take more than it may. */
  | { readonly outcome: 'tangled' };

/** Tags of any family of voices, closed lists first: they wrap words. */
const TAG_SYNTAXES = ['closed', 'square-open', 'angle-open'] as const;

/** Readable words without a server's blocked ones, in its pronunciation. Pure. */
export function serverWords(words: string, rules: WordRules, how: WordsHow, most?: MostInTurn): ServerWords {
  const { blocked, dictionary } = rules;
  const { locale, tags } = how;
  const written = allowed(words, blocked, locale, most?.steps);
  if (written.outcome !== 'allowed') return written;
  const clean = written.words;
  const pronounced = tags === 'keep' ? pronouncedBetweenTags(clean, dictionary) : dictionary.apply(clean);
  if (pronounced === clean) return { outcome: 'spoken', words: clean, clean, bleeped: written.bleeped };
  if (most && pronounced.length > most.characters) return { outcome: 'tangled' };
  // A pronunciation is no way around the blocked words.
  const heard = allowed(pronounced, blocked, locale, most?.steps);
  if (heard.outcome !== 'allowed') return heard;
  return { outcome: 'spoken', words: heard.words, clean, bleeped: [...written.bleeped, ...heard.bleeped] };
}

function allowed(words: string, blocked: BlockedWords, locale: string, mostSteps?: number) {
  const checked = blocked.check(words, locale, mostSteps);
  if (checked.outcome === 'refused' || checked.outcome === 'tangled') return checked;
  const clean = checked.text;
  // A tag in the middle of a word is silent: the text without it must be clean, too.
  const heard = TAG_SYNTAXES.reduce(withoutTags, clean);
  const again = heard === clean ? checked : blocked.check(heard, locale, mostSteps);
  if (again.outcome === 'refused' || again.outcome === 'tangled') return again;
  return {
    outcome: 'allowed',
    words: again.text === heard ? clean : again.text,
    bleeped: [checked, again].flatMap((result) => (result.outcome === 'bleeped' ? result.rules : [])),
  } as const;
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
