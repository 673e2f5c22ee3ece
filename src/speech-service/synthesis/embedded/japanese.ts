import { createRequire } from 'node:module';
import { countedInKana, digitsOf, numberInKana, speakableKana } from './japanese-kana.ts';

/*
 * Lindera with IPADIC, an optional package, finds the words of a Japanese text and how they are read: eSpeak NG itself
 * reads kana only.
 */
const PACKAGE = 'lindera-wasm-nodejs-ipadic';
const require = createRequire(import.meta.url);

/** The little of the package that is used here. */
interface Lindera {
  TokenizerBuilder: new () => {
    setDictionary(uri: string): void;
    setMode(mode: 'normal'): void;
    setKeepWhitespace(keep: boolean): void;
    build(): { tokenize(text: string): Token[] };
  };
}

interface Token {
  /** The word as it stands in the text. */
  readonly surface: string;
  readonly partOfSpeech: string;
  readonly partOfSpeechSubcategory1?: string;
  /** In katakana, as it is spoken: the particle は is ワ. Absent where the dictionary does not have the word. */
  readonly pronunciation?: string;
}

/** A stretch of Japanese text as it is spoken: kana, or characters that are read as Chinese. */
interface JapaneseRun {
  text: string;
  language: 'ja' | 'zh';
}

export type ReadJapanese = (text: string) => JapaneseRun[];

/** Whether the package with the dictionary is installed. */
export function readsKanji(): boolean {
  try {
    require.resolve(PACKAGE);
    return true;
  } catch {
    return false;
  }
}

/** Loads the dictionary: 0.7 s and some 140 MB, which stay. Throws where the package is not installed. */
export function loadJapanese(): ReadJapanese {
  const { TokenizerBuilder } = require(PACKAGE) as Lindera;
  const builder = new TokenizerBuilder();
  builder.setDictionary('embedded://ipadic');
  builder.setMode('normal');
  builder.setKeepWhitespace(true);
  const dictionary = builder.build();
  return (text) => readTokens(dictionary.tokenize(withHours(text)), (word) => dictionary.tokenize(word));
}

type Tokenize = (text: string) => readonly Token[];

/** '3:15' is said as 3時15分. */
const withHours = (text: string): string =>
  text.replace(/(?<![\d:])(\d{1,2}):([0-5]\d)(?![\d:])/gu, (_, hours: string, minutes: string) =>
    minutes === '00' ? `${hours}時` : `${hours}時${Number(minutes)}分`,
  );

function readTokens(tokens: readonly Token[], tokenize: Tokenize): JapaneseRun[] {
  const runs: JapaneseRun[] = [];
  const say = ({ text, language }: JapaneseRun) => {
    const last = runs.at(-1);
    if (last?.language === language) last.text += text;
    else runs.push({ text, language });
  };
  for (let at = 0; at < tokens.length; ) {
    const token = tokens[at] as Token;
    const number = numberAt(tokens, at);
    if (at > 0 && (number || beginsPhrase(token, tokens[at - 1]))) say({ text: ' ', language: 'ja' });
    const kana = number?.kana ?? kanaOf(token);
    if (kana !== undefined) say({ text: kana, language: 'ja' });
    else for (const character of token.surface) say(unknownCharacter(character, tokenize));
    at += number?.length ?? 1;
  }
  return runs.map(({ text, language }) => ({ text: language === 'ja' ? speakableKana(text) : text, language }));
}

const isHan = (text: string): boolean => /\p{Script=Han}/u.test(text);

/** Undefined where it has kanji without a reading. */
function kanaOf({ surface, partOfSpeech, pronunciation }: Token): string | undefined {
  // 始めましょう: it makes the syllable before it long.
  if (surface === 'う' && partOfSpeech === '助動詞') return 'ー';
  if (pronunciation !== undefined && /\p{L}/u.test(pronunciation)) return pronunciation;
  return isHan(surface) ? undefined : surface;
}

/** A kanji that the dictionary does not have alone mostly begins a verb or an adjective: 泣 is read as 泣く. */
const ENDINGS = ['', 'く', 'う', 'い', 'る', 'す', 'む', 'れる', 'える', 'しい'];

function unknownCharacter(character: string, tokenize: Tokenize): JapaneseRun {
  for (const ending of ENDINGS) {
    const [token, ...others] = tokenize(character + ending);
    const kana = token && others.length === 0 ? kanaOf(token) : undefined;
    if (kana !== undefined) return { text: kana, language: 'ja' };
  }
  // No Japanese word has it: a Chinese character.
  return { text: character, language: 'zh' };
}

const DEPENDENT = new Set(['助詞', '助動詞', '記号', 'UNK']);

/** Particles and endings belong to the word before. */
function beginsPhrase({ partOfSpeech, partOfSpeechSubcategory1 }: Token, before: Token | undefined): boolean {
  if (before?.partOfSpeech === '接頭詞') return false;
  return !DEPENDENT.has(partOfSpeech) && partOfSpeechSubcategory1 !== '接尾' && partOfSpeechSubcategory1 !== '非自立';
}

const isDigits = (token: Token | undefined): boolean => /^\d+$/u.test(token?.surface ?? '');

function isNumber(token: Token | undefined): boolean {
  if (token === undefined || digitsOf(token.surface) === undefined) return false;
  return isDigits(token) || token.partOfSpeechSubcategory1 === '数';
}

interface ReadNumber {
  readonly kana: string;
  /** How many tokens it is written in. */
  readonly length: number;
}

/** The number that begins at a token, with its counter. */
function numberAt(tokens: readonly Token[], from: number): ReadNumber | undefined {
  const isPointWithin = (at: number) => {
    const [before, point, after] = tokens.slice(at - 1, at + 2);
    if (!isDigits(before) || !isDigits(after)) return false;
    return point?.surface === '.' || (point?.surface === ',' && after?.surface.length === 3);
  };
  if (!isNumber(tokens[from])) return undefined;
  let to = from + 1;
  while (isNumber(tokens[to]) || isPointWithin(to)) to += 1;
  const written = tokens.slice(from, to).map(({ surface }) => surface);
  const length = written.length;
  const digits = digitsOf(written.join(''));
  // In place of a name: 〇〇さん. And what is no number, such as an address: 192.168.0.1.
  if (/^〇{2,}$/u.test(written.join(''))) return { kana: 'マル'.repeat(length), length };
  if (digits === undefined) return { kana: written.map((part) => numberInKana(part) ?? 'テン').join(''), length };
  const counter = tokens[to];
  if (counter?.pronunciation === undefined || !(isHan(counter.surface) || counter.surface === 'つ')) {
    return { kana: numberInKana(digits) ?? '', length };
  }
  const isFirstOfMonth = digits === '1' && counter.surface === '日' && tokens[from - 1]?.surface === '月';
  const kana = isFirstOfMonth
    ? 'ツイタチ'
    : countedInKana(digits, { written: counter.surface, reading: counter.pronunciation });
  return { kana, length: length + 1 };
}
