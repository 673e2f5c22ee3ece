import type { Logger } from 'pino';
import { z } from 'zod';
import { createRecords, type Store } from '../storage/store.ts';
import type { Pause } from '../time/slices.ts';
import { atWordBorder, betweenGraphemes, cutAt, foldCase } from './readable/characters.ts';
import { bareEmoji, emojiIn } from './readable/emoji-names.ts';

export const MAX_ENTRIES = 1_000;
/** Maximum lengths of an entry's written form (`from`) and spoken form (`to`), in UTF-16 units. */
export const MAX_FROM = 100;
export const MAX_TO = 200;

/** A stored entry, which was cleaned before it was stored: cleaning a thousand entries again would block the event loop. */
export const entrySchema = z.object({
  from: z.string().min(1).max(MAX_FROM),
  /** The spoken form; if empty, nothing is spoken. */
  to: z.string().max(MAX_TO),
  /** True if the entry does not match inside other words. In scripts without spaces, entries match anywhere. */
  wholeWord: z.boolean().default(true),
  caseSensitive: z.boolean().optional(),
});

export const dictionarySchema = z.array(entrySchema).max(MAX_ENTRIES);

export type DictionaryEntry = Readonly<z.infer<typeof entrySchema>>;

/** Number of offsets searched before the event loop can do other work. At each, up to a hundred lengths of entries are tried. */
const PLACES_IN_TURN = 64;

/** If entries have the same words, a case-sensitive entry wins, otherwise the one added last. */
export function createDictionary(entries: readonly DictionaryEntry[]) {
  const emoji = entries.filter(({ from }) => emojiIn(from)[0] === from);
  let compiled: Promise<Compiled> | undefined;

  return {
    entries,
    /** Spoken forms of single emoji, by the emoji without skin tone and variation selectors (`bareEmoji`). */
    emojiNames: new Map(emoji.map(({ from, to }) => [bareEmoji(from), to])),
    /**
     * Replaces written forms with spoken forms in one pass; the longest match wins. The result is in Unicode's composed
     * form. A result that reaches `most` characters before the text's end is cut at `most`.
     */
    async apply(written: string, most: number, pause: Pause): Promise<string> {
      if (entries.length === 0) return written;
      compiled ??= compile(entries, pause);
      return applied(written, await compiled, most, pause);
    },
  };
}

export type Dictionary = ReturnType<typeof createDictionary>;
type Compiled = Awaited<ReturnType<typeof compile>>;

async function compile(all: readonly DictionaryEntry[], pause: Pause) {
  /** Entries by their words without case; entries with the same words are sorted by priority. */
  const entries = new Map<string, DictionaryEntry[]>();
  /** The lengths of entries by their first letter, longest first: the search tries only these lengths. */
  const lengths = new Map<string, number[]>();
  for (const entry of all) {
    await pause();
    const from = composed(entry.from);
    const { words } = fold(from);
    if (words === '') continue;
    const same = entries.get(words) ?? [];
    entries.set(words, same);
    same.unshift({ ...entry, from });
    same.sort((a, b) => Number(b.caseSensitive ?? false) - Number(a.caseSensitive ?? false));
    const known = lengths.get(words.charAt(0)) ?? [];
    lengths.set(words.charAt(0), known);
    if (!known.includes(words.length)) known.push(words.length);
  }
  for (const known of lengths.values()) known.sort((a, b) => b - a);
  return { entries, lengths };
}

async function applied(written: string, compiled: Compiled, most: number, pause: Pause): Promise<string> {
  const text = written.normalize('NFC');
  const folded = fold(text);
  let spoken = '';
  let copiedTo = 0;
  for (let at = 0; at < folded.words.length; at++) {
    if (at % PLACES_IN_TURN === 0) await pause();
    if (spoken.length >= most) return cutAt(spoken, most);
    const match = longestAt(at, text, folded, compiled);
    if (!match) continue;
    spoken += text.slice(copiedTo, match.start) + match.to;
    copiedTo = match.end;
    at += match.length - 1;
  }
  return spoken + text.slice(copiedTo);
}

function longestAt(at: number, text: string, { words, origins }: ReturnType<typeof fold>, compiled: Compiled) {
  const start = origins[at] ?? -1;
  if (start < 0) return undefined;
  for (const length of compiled.lengths.get(words.charAt(at)) ?? []) {
    const end = origins[at + length] ?? -1;
    if (end < 0) continue;
    const fits = compiled.entries.get(words.slice(at, at + length))?.find(({ from, caseSensitive, wholeWord }) => {
      if (caseSensitive && text.slice(start, end) !== from) return false;
      const isBorder = wholeWord ? atWordBorder : betweenGraphemes;
      return isBorder(text, start) && isBorder(text, end);
    });
    if (fits) return { start, end, length, to: fits.to };
  }
  return undefined;
}

function fold(text: string) {
  let words = '';
  // For each UTF-16 unit of `words`, the offset of its character in `text`. If 'ß' becomes 'ss', the second s has -1.
  const origins: number[] = [];
  let offset = 0;
  for (const codePoint of text) {
    const letters = foldCase(codePoint);
    for (let unit = 0; unit < letters.length; unit++) origins.push(unit === 0 ? offset : -1);
    words += letters;
    offset += codePoint.length;
  }
  origins.push(offset);
  return { words, origins };
}

const composed = (from: string): string => from.normalize('NFC').replaceAll(/\s+/gu, ' ').trim();

export function entryKey({ from, caseSensitive }: DictionaryEntry): string {
  const words = composed(from);
  // All words are made lowercase at once, because single code points take too long. A Greek sigma at the end of a word
  // then becomes 'ς', which must equal 'σ'.
  return caseSensitive ? `=${words}` : `~${foldCase(words).replaceAll('ς', 'σ')}`;
}

export type DictionaryEntries = readonly DictionaryEntry[];

export const NO_DICTIONARY = createDictionary([]);

export function createServerDictionaries(store: Store, log: Logger) {
  const records = createRecords<DictionaryEntries>(store.table('server-dictionary', dictionarySchema), []);
  const compiled = new Map<string, Dictionary>();
  /** Entries that were being loaded during a change may be outdated, and are not cached. */
  let changes = 0;

  /** Call this if another process may have changed the dictionary of a server, or (undefined) of any server. */
  function changedElsewhere(guildId?: string): void {
    changes += 1;
    if (guildId === undefined) compiled.clear();
    else compiled.delete(guildId);
  }

  return {
    changedElsewhere,
    /** Rejects with a StoreError. */
    entries: records.get,
    /**
     * Resolves with the entries before and after the change. Rejects with a StoreError or with the error of `edit`. If
     * `edit` fails, nothing has changed.
     */
    async change(guildId: string, edit: (before: DictionaryEntries) => DictionaryEntries) {
      try {
        return await records.change(guildId, edit);
      } finally {
        // The cached dictionary is dropped after a failure, too, because the change may have been written.
        changedElsewhere(guildId);
      }
    },
    /** If the store fails, words are spoken as written and a warning is logged: speech must not depend on the store. */
    async of(guildId: string): Promise<Dictionary> {
      const known = compiled.get(guildId);
      if (known) return known;
      const changesBefore = changes;
      try {
        const entries = await records.get(guildId);
        const dictionary = entries.length === 0 ? NO_DICTIONARY : createDictionary(entries);
        if (changes === changesBefore) compiled.set(guildId, dictionary);
        return dictionary;
      } catch (error) {
        log.warn({ err: error, guildId }, 'Could not load a server’s dictionary: speaking words as written');
        return NO_DICTIONARY;
      }
    },
  };
}

export type ServerDictionaries = ReturnType<typeof createServerDictionaries>;
