import { cutAt } from './readable/characters.ts';
import { atWordBorder, betweenGraphemes, foldCase } from './readable/word-borders.ts';
import type { Pause } from './slices.ts';

/** A text is looked through in pieces: at each place there may be entries of a hundred lengths. */
const PLACES_IN_TURN = 64;

/** A server's pronunciation of a word. */
export interface DictionaryEntry {
  /** The written form. */
  readonly from: string;
  /** The spoken form; nothing when empty. */
  readonly to: string;
  /** Not inside other words. Scripts without spaces between words have no inside. */
  readonly wholeWord: boolean;
  readonly caseSensitive?: boolean | undefined;
}

/** An entry and its case-folded words. */
interface Known {
  readonly folded: string;
  readonly entry: DictionaryEntry;
}

/** Candidate entries at a place: those with one first letter, by length and hash. */
interface Bucket {
  /** Longest first, UTF-16 units of the folded text. */
  lengths: number[];
  /** By length and hash; entries with the same words next to each other, by priority. */
  readonly known: Map<number, Known[]>;
}

/** Entries with the same words: a later one takes precedence, and a case-sensitive one over others. */
export function createDictionary(entries: readonly DictionaryEntry[]) {
  let compiled: Promise<ReadonlyMap<string, Bucket>> | undefined;

  return {
    entries,
    /**
     * Replaces the written forms, in one pass from the front: the longest one where several begin, and never within a
     * replacement. For text that is readable already; the result is in Unicode's composed form, and cut where it is longer
     * than `most` characters.
     */
    async apply(written: string, most: number, pause: Pause): Promise<string> {
      if (entries.length === 0) return written;
      compiled ??= compile(entries, pause);
      return applied(written, await compiled, most, pause);
    },
  };
}

export type Dictionary = ReturnType<typeof createDictionary>;

async function compile(entries: readonly DictionaryEntry[], pause: Pause): Promise<ReadonlyMap<string, Bucket>> {
  const buckets = new Map<string, Bucket>();
  for (const entry of entries) {
    await pause();
    const from = composed(entry.from);
    const folded = fold(from).words;
    const first = folded.charAt(0);
    if (first === '') continue;
    const bucket: Bucket = buckets.get(first) ?? { lengths: [], known: new Map() };
    buckets.set(first, bucket);
    const key = keyOf(hashes(folded), 0, folded.length);
    const same = bucket.known.get(key) ?? [];
    bucket.known.set(key, same);
    same.unshift({ folded, entry: { ...entry, from } });
    same.sort((a, b) => Number(b.entry.caseSensitive ?? false) - Number(a.entry.caseSensitive ?? false));
    if (!bucket.lengths.includes(folded.length)) bucket.lengths.push(folded.length);
  }
  for (const bucket of buckets.values()) bucket.lengths.sort((a, b) => b - a);
  return buckets;
}

async function applied(
  written: string,
  buckets: ReadonlyMap<string, Bucket>,
  most: number,
  pause: Pause,
): Promise<string> {
  const text = written.normalize('NFC');
  const folded = fold(text);
  const hashed = hashes(folded.words);
  let spoken = '';
  let copiedTo = 0;
  for (let at = 0; at < folded.words.length; at++) {
    if (at % PLACES_IN_TURN === 0) await pause();
    if (spoken.length >= most) return cutAt(spoken, most);
    const match = longestAt(buckets.get(folded.words.charAt(at)), text, folded, hashed, at);
    if (!match) continue;
    spoken += text.slice(copiedTo, match.start) + match.to;
    copiedTo = match.end;
    at += match.length - 1;
  }
  return spoken + text.slice(copiedTo);
}

interface Match {
  readonly start: number;
  readonly end: number;
  /** In the folded text. */
  readonly length: number;
  readonly to: string;
}

function longestAt(
  bucket: Bucket | undefined,
  text: string,
  folded: Folded,
  hashed: Hashes,
  at: number,
): Match | undefined {
  const start = folded.origins[at] ?? -1;
  if (!bucket || start < 0) return undefined;
  for (const length of bucket.lengths) {
    const end = folded.origins[at + length] ?? -1;
    if (end < 0) continue;
    const fits = bucket.known.get(keyOf(hashed, at, length))?.find(({ folded: words, entry }) => {
      if (words.length !== length || !folded.words.startsWith(words, at)) return false;
      if (entry.caseSensitive && text.slice(start, end) !== entry.from) return false;
      if (entry.wholeWord) return atWordBorder(text, start) && atWordBorder(text, end);
      return betweenGraphemes(text, start) && betweenGraphemes(text, end);
    });
    if (fits) return { start, end, length, to: fits.entry.to };
  }
  return undefined;
}

/** Hashes of every prefix of a text, which give the hash of any part of it without reading it (Rabin and Karp). */
type Hashes = Int32Array;

const BASE = 0x01000193;

function hashes(words: string): Hashes {
  const hashed = new Int32Array(words.length + 1);
  for (let at = 0; at < words.length; at++) {
    hashed[at + 1] = Math.imul(hashed[at] ?? 0, BASE) + words.charCodeAt(at);
  }
  return hashed;
}

const powers: number[] = [1];

function keyOf(hashed: Hashes, from: number, length: number): number {
  while (powers.length <= length) powers.push(Math.imul(powers.at(-1) ?? 1, BASE));
  return ((hashed[from + length] ?? 0) - Math.imul(hashed[from] ?? 0, powers[length] ?? 1)) | 0;
}

interface Folded {
  readonly words: string;
  /** For each unit of `words`, and its end: its offset in the text; -1 within the expansion of one letter. */
  readonly origins: Int32Array;
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
  return { words, origins: Int32Array.from(origins) };
}

/** Normalised like readable text: composed, with single spaces. */
function composed(from: string): string {
  return from.normalize('NFC').replaceAll(/\s+/gu, ' ').trim();
}

/** The identity of an entry within one dictionary. */
export function entryKey({ from, caseSensitive }: DictionaryEntry): string {
  const words = composed(from);
  // At once, as an import has thousands: the same as code point by code point, but for the sigma at the end of a word.
  return caseSensitive ? `=${words}` : `~${foldCase(words).replaceAll('ς', 'σ')}`;
}
