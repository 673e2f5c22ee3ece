import type { Logger } from 'pino';
import { z } from 'zod';
import { createRecords, type Records, type Store } from '../storage/store.ts';
import type { Pause } from '../time/slices.ts';
import { atWordBorder, betweenGraphemes, cutAt, foldCase } from './readable/characters.ts';
import { bareEmoji, EMOJI } from './readable/emoji-names.ts';

const segmenter = new Intl.Segmenter();

export const MAX_ENTRIES = 1_000;
/** UTF-16 units, as Discord counts in its forms. */
export const MAX_FROM = 100;
export const MAX_TO = 200;

export interface DictionaryEntry {
  readonly from: string;
  /** Nothing is spoken when it is empty. */
  readonly to: string;
  /** True if it is not replaced inside other words. Scripts without spaces between words have no inside. */
  readonly wholeWord: boolean;
  readonly caseSensitive?: boolean | undefined;
}

interface Compiled {
  /** By their case-folded words; those with the same words by priority. */
  readonly entries: ReadonlyMap<string, readonly DictionaryEntry[]>;
  /** By the first letter of such words: how long they are, longest first. */
  readonly lengths: ReadonlyMap<string, readonly number[]>;
}

/** A text is looked through in pieces: at each place there may be entries of a hundred lengths. */
const PLACES_IN_TURN = 64;

/** Entries with the same words: a later one takes precedence, and a case-sensitive one over others. */
export class Dictionary {
  readonly entries: readonly DictionaryEntry[];
  /** The spoken forms of its emoji, by `bareEmoji`. */
  readonly emojiNames: ReadonlyMap<string, string>;
  #compiled: Promise<Compiled> | undefined;

  constructor(entries: readonly DictionaryEntry[]) {
    this.entries = entries;
    const emoji = entries.filter(({ from }) => EMOJI.test(from) && [...segmenter.segment(from)].length === 1);
    this.emojiNames = new Map(emoji.map(({ from, to }) => [bareEmoji(from), to]));
  }

  /**
   * Replaces the written forms, in one pass from the front: the longest one where several begin, and never within a
   * replacement. For text that is readable already; the result is in Unicode's composed form, and cut where it is longer
   * than `most` characters.
   */
  async apply(written: string, most: number, pause: Pause): Promise<string> {
    if (this.entries.length === 0) return written;
    this.#compiled ??= compile(this.entries, pause);
    return applied(written, await this.#compiled, most, pause);
  }
}

async function compile(all: readonly DictionaryEntry[], pause: Pause): Promise<Compiled> {
  const entries = new Map<string, DictionaryEntry[]>();
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

/** The entry for the most words at a place of the folded text, and their place in the text. */
function longestAt(at: number, text: string, { words, origins }: Folded, compiled: Compiled) {
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

interface Folded {
  readonly words: string;
  /** For each unit of `words`, and its end: its offset in the text; -1 within the expansion of one letter. */
  readonly origins: readonly number[];
}

function fold(text: string): Folded {
  let words = '';
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

/** Normalized like readable text. */
const composed = (from: string): string => from.normalize('NFC').replaceAll(/\s+/gu, ' ').trim();

/** The identity of an entry within one dictionary. */
export function entryKey({ from, caseSensitive }: DictionaryEntry): string {
  const words = composed(from);
  // At once, as an import has thousands: the same as code point by code point, but for the sigma at the end of a word.
  return caseSensitive ? `=${words}` : `~${foldCase(words).replaceAll('ς', 'σ')}`;
}

/** A server's stored dictionary, whose entries were cleaned before: a thousand of them are read in one turn. */
export const dictionarySchema = z
  .array(
    z.object({
      from: z.string().min(1).max(MAX_FROM),
      to: z.string().max(MAX_TO),
      wholeWord: z.boolean().default(true),
      caseSensitive: z.boolean().optional(),
    }),
  )
  .max(MAX_ENTRIES);

export type DictionaryEntries = readonly DictionaryEntry[];

const NONE = new Dictionary([]);

/** The pronunciation dictionary of each server, by server id. */
export class ServerDictionaries {
  readonly #records: Records<DictionaryEntries>;
  readonly #log: Logger;
  readonly #compiled = new Map<string, Dictionary>();
  /** Values read before a change are outdated. */
  #changes = 0;

  constructor(store: Store, log: Logger) {
    this.#records = createRecords<DictionaryEntries>(store.table('server-dictionary', dictionarySchema), []);
    this.#log = log;
  }

  /** Another process may have changed the dictionary of a server, or of any: it is read with its next use. */
  changedElsewhere(guildId?: string): void {
    this.#changes += 1;
    if (guildId === undefined) this.#compiled.clear();
    else this.#compiled.delete(guildId);
  }

  /** Rejects with a StoreError. */
  entries(guildId: string): Promise<DictionaryEntries> {
    return this.#records.get(guildId);
  }

  /**
   * Changes the dictionary of a server and resolves with the entries before and after; concurrent changes are made one after
   * the other. Rejects with a StoreError, or with the error of `edit`: then nothing was changed.
   */
  async change(guildId: string, edit: (before: DictionaryEntries) => DictionaryEntries) {
    try {
      return await this.#records.change(guildId, edit);
    } finally {
      // After a failure, too: whether it was written is unknown.
      this.changedElsewhere(guildId);
    }
  }

  /**
   * The compiled dictionary, read once. A store that does not answer must not prevent speech: until it does, words are
   * spoken as written, which is logged.
   */
  async of(guildId: string): Promise<Dictionary> {
    const known = this.#compiled.get(guildId);
    if (known) return known;
    const changesBefore = this.#changes;
    try {
      const entries = await this.#records.get(guildId);
      const dictionary = entries.length === 0 ? NONE : new Dictionary(entries);
      if (this.#changes === changesBefore) this.#compiled.set(guildId, dictionary);
      return dictionary;
    } catch (error) {
      this.#log.warn({ err: error, guildId }, 'Could not read a server’s dictionary: reading words as written');
      return NONE;
    }
  }

  /** Rejects with a StoreError. */
  async forget(guildId: string): Promise<void> {
    await this.change(guildId, () => []);
  }
}
