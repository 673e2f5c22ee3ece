import { readFile } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';

/*
 * The detector of the package eld with its table of 50,000 n-grams kept as text. Imported as the package does it, the table is
 * a module of 50,000 object literals: 29 MB of heap, 80 MB of memory and 0.2 s. What is used here beside the package's
 * interface (its detector and the file of the table) is why package.json names its exact version.
 */

interface Eld {
  detect(text: string): { getScores(): Readonly<Record<string, number>>; isReliable(): boolean };
}

interface EldModule {
  createEld(): { instance: Eld; loadData(table: { type: string; languages: object; ngrams: object }): void };
}

/** Its entry is in `src/entries`. */
const inPackage = (path: string) => new URL(`../${path}`, import.meta.resolve('eld/extrasmall'));

/** `'x y':{11:96,40:70}`, the score that each language gets by its number; a key is quoted where JavaScript needs it. */
const NGRAM = /(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^\s{}:,'"]+)):\{([\d:,]+)\}/gu;
/** Some 50 ms in all, in which others have their turn. */
const NGRAMS_IN_TURN = 1_000;
const LANGUAGE = /(\d+):'(\w+)'/gu;

export async function loadCompactEld(): Promise<Eld> {
  const [{ createEld }, source] = await Promise.all([
    import(inPackage('languageDetector.js').href) as Promise<EldModule>,
    readFile(inPackage('ngrams/extrasmall.js'), 'utf8'),
  ]);
  const [head = '', table = ''] = source.split('ngrams:{', 2);
  const languages = Object.fromEntries([...head.matchAll(LANGUAGE)].map(([, id, code]) => [id, code]));
  /** Many n-grams have the same scores. */
  const known = new Map<string, string>();
  const scores = new Map<string, string>();
  let count = 0;
  for (const [, single, double, plain, ofLanguages = ''] of table.matchAll(NGRAM)) {
    count += 1;
    if (count % NGRAMS_IN_TURN === 0) await nextTurn();
    const key = (single ?? double ?? plain ?? '').replace(/\\(.)/gu, '$1');
    const shared = known.get(ofLanguages) ?? known.set(ofLanguages, ofLanguages).get(ofLanguages) ?? ofLanguages;
    scores.set(key, shared);
  }
  const { instance, loadData } = createEld();
  const ngrams = new Proxy({}, { get: (_, ngram) => scoresOf(scores.get(String(ngram))) });
  loadData({ type: 'XS60', languages, ngrams });
  return instance;
}

function scoresOf(text: string | undefined): Readonly<Record<string, number>> | undefined {
  return text === undefined
    ? undefined
    : Object.fromEntries(text.split(',').map((one) => one.split(':').map(Number) as [number, number]));
}
