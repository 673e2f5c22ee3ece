import { createRequire } from 'node:module';
import { pathInPackage } from '../../../process/package.ts';

/* eSpeak NG can read kana, but not kanji. The optional package Lindera with the IPADIC dictionary finds the readings of kanji. */
const PACKAGE = 'lindera-wasm-nodejs-ipadic';

interface Lindera {
  TokenizerBuilder: new () => {
    setDictionary(uri: string): void;
    setMode(mode: 'normal'): void;
    setKeepWhitespace(keep: boolean): void;
    build(): { tokenize(text: string): Token[] };
  };
}

interface Token {
  readonly surface: string;
  readonly partOfSpeech: string;
  readonly partOfSpeechSubcategory1?: string;
  /** The spoken form in katakana, such as ワ for the particle は; missing for words that the dictionary lacks. */
  readonly pronunciation?: string;
}

/** A stretch of Japanese text as the voice speaks it: kana, or characters that are read as Chinese. */
interface JapaneseRun {
  text: string;
  language: 'ja' | 'zh';
}

export type ReadJapanese = (text: string) => JapaneseRun[];

export const readsKanji = (): boolean => pathInPackage(PACKAGE) !== undefined;

/** The Japanese dictionary loads in 0.7 s and keeps 140 MB until the thread ends. Throws without its package. */
export function loadJapanese(): ReadJapanese {
  const { TokenizerBuilder } = createRequire(import.meta.url)(PACKAGE) as Lindera;
  const builder = new TokenizerBuilder();
  builder.setDictionary('embedded://ipadic');
  builder.setMode('normal');
  builder.setKeepWhitespace(true);
  const dictionary = builder.build();
  return (text) => readTokens(dictionary.tokenize(withHours(text)), (word) => dictionary.tokenize(word));
}

type Tokenize = (text: string) => readonly Token[];

/** Writes times as Japanese speakers say them: '3:15' becomes 3時15分. */
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

/** Returns a word in kana; undefined for kanji whose Japanese reading is unknown. */
function kanaOf({ surface, partOfSpeech, pronunciation }: Token): string | undefined {
  // The Japanese ending う, as in 始めましょう, makes the syllable before it long, so it becomes a length mark.
  if (surface === 'う' && partOfSpeech === '助動詞') return 'ー';
  if (pronunciation !== undefined && /\p{L}/u.test(pronunciation)) return pronunciation;
  return isHan(surface) ? undefined : surface;
}

/** A kanji missing in the dictionary mostly begins a verb or adjective with one of these endings: 泣 is read as 泣く. */
const ENDINGS = ['', 'く', 'う', 'い', 'る', 'す', 'む', 'れる', 'える', 'しい'];

function unknownCharacter(character: string, tokenize: Tokenize): JapaneseRun {
  for (const ending of ENDINGS) {
    const [token, ...others] = tokenize(character + ending);
    const kana = token && others.length === 0 ? kanaOf(token) : undefined;
    if (kana !== undefined) return { text: kana, language: 'ja' };
  }
  // A character without a known Japanese reading is read as Chinese.
  return { text: character, language: 'zh' };
}

const DEPENDENT = new Set(['助詞', '助動詞', '記号', 'UNK']);

/** True if a Japanese word begins a phrase: particles and endings belong to the word before them. */
function beginsPhrase({ partOfSpeech, partOfSpeechSubcategory1 }: Token, before: Token | undefined): boolean {
  if (before?.partOfSpeech === '接頭詞') return false;
  return !DEPENDENT.has(partOfSpeech) && partOfSpeechSubcategory1 !== '接尾' && partOfSpeechSubcategory1 !== '非自立';
}

const isDigits = (token: Token | undefined): boolean => /^\d+$/u.test(token?.surface ?? '');

function isNumber(token: Token | undefined): boolean {
  if (token === undefined || digitsOf(token.surface) === undefined) return false;
  return isDigits(token) || token.partOfSpeechSubcategory1 === '数';
}

/** Returns a number with its counter word in kana, and how many tokens the two have together. */
function numberAt(tokens: readonly Token[], from: number) {
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
  // In Japanese, 〇〇 stands for a name, as in 〇〇さん, so it is read マルマル instead of as a number.
  if (/^〇{2,}$/u.test(written.join(''))) return { kana: 'マル'.repeat(length), length };
  // Digits that form no number, such as 192.168.0.1, are read one group after the other.
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

/** Hiragana and katakana are the same syllables; their code points differ by 0x60. */
const HIRAGANA = /[\u3041-\u3096]/gu;
const TO_KATAKANA = 0x60;

/** eSpeak NG reads a small vowel (ァ) only after these kana. After others it says 'Japanese letter'. */
const TAKES_SMALL: Readonly<Record<string, string>> = {
  ァ: 'クグツフ',
  ィ: 'ウクグツテデフ',
  ゥ: 'トド',
  ェ: 'ウクグシジチツフ',
  ォ: 'ウクグツフ',
};
/** Lists the kana by the vowel in which they end. A kana and its own vowel after it form one long Japanese syllable. */
const ENDING_IN: Readonly<Record<string, string>> = {
  ア: 'アカガサザタダナハバパマヤャラワァ',
  イ: 'イキギシジチヂニヒビピミリィ',
  ウ: 'ウクグスズツヅヌフブプムユュルゥ',
  エ: 'エケゲセゼテデネヘベペメレェ',
  オ: 'オコゴソゾトドノホボポモヨョロヲォ',
};
/** eSpeak NG does not know these kana, or these small kana on their own, so kana of similar sound replace them. */
const LIKE: Readonly<Record<string, string>> = {
  ...{ ァ: 'ア', ィ: 'イ', ゥ: 'ウ', ェ: 'エ', ォ: 'オ', ャ: 'ヤ', ュ: 'ユ', ョ: 'ヨ' },
  ...{ ヰ: 'イ', ヱ: 'エ', ヮ: 'ワ', ヵ: 'カ', ヶ: 'ケ', ヷ: 'ワ', ヸ: 'ビ', ヹ: 'ベ', ヺ: 'ボ' },
  ...{ ヴァ: 'バ', ヴィ: 'ビ', ヴ: 'ブ', ヴェ: 'ベ', ヴォ: 'ボ' },
};
const DIGITS = /\d+(?:,\d{3})*(?:\.\d+)?/gu;

/** Returns Japanese text with hiragana as katakana and numbers in words, which eSpeak NG reads best. Kanji stay. */
export function speakableKana(text: string): string {
  const katakana = text.replace(HIRAGANA, (kana) => String.fromCodePoint((kana.codePointAt(0) ?? 0) + TO_KATAKANA));
  return (
    katakana
      .replace(DIGITS, (digits) => numberInKana(digits) ?? digits)
      .replaceAll(/[%％]/gu, 'パーセント')
      .replaceAll(/(?<=[ァ-ヺー])[〜~～]+/gu, 'ー')
      .replaceAll(/[〜~～・]/gu, ' ')
      .replaceAll(/ヴ[ァィェォ]?|[ヮヰヱヵヶヷ-ヺ]/gu, (kana) => LIKE[kana] ?? '')
      // Removes letters and signs that eSpeak NG would name, such as '〆' and 'ゞ'.
      .replaceAll(/[[\u3003-\u30ff]--[ァ-ンー\u3008-\u3011]]/gv, '')
      // A Japanese length mark (ー) is removed if the kana before it cannot be long.
      .replaceAll(/(?<![ァ-モャ-ヲ])ー+|(?<=ッ)ー+/gu, '')
      .replaceAll(/[ァィゥェォ]/gu, (small, at: number, all: string) =>
        TAKES_SMALL[small]?.includes(all.charAt(at - 1) || ' ') ? small : (LIKE[small] ?? ''),
      )
      .replaceAll(
        /(?<![ア-モヤユヨラ-ロワ-ン])[ャュョ]|(?<=[ッァィゥェォャュョ])[ャュョ]/gu,
        (small) => LIKE[small] ?? '',
      )
      // A Japanese stop (ッ) is removed before a sound that cannot have one.
      .replaceAll(/ッ+(?=[ァ-オナ-ノマ-ン])/gu, '')
      .replaceAll(/ッ+/gu, 'ッ')
      // In Japanese 'クウェー', 'ウ' makes the sound before it long, so the small vowel 'ェ' becomes a large one.
      .replaceAll(/(?<=ウ)[ィェォ]/gu, (small, at: number, all: string) =>
        ENDING_IN.ウ?.includes(all.charAt(at - 2) || ' ') ? (LIKE[small] ?? '') : small,
      )
      // A Japanese vowel that is long twice, as in 'ナアー', is shortened.
      .replaceAll(/([アイウエオ])\1*(?=ー)/gu, (_, vowel: string, at: number, all: string) =>
        ENDING_IN[vowel]?.includes(all.charAt(at - 1) || ' ') ? 'ー' : vowel,
      )
      .replaceAll(/ー+/gu, 'ー')
  );
}

const byDigit = (words: string) => ['', ...words.split(' ')];
const ONES = byDigit('イチ ニ サン ヨン ゴ ロク ナナ ハチ キュー');
const HUNDREDS = byDigit(
  'ヒャク ニヒャク サンビャク ヨンヒャク ゴヒャク ロッピャク ナナヒャク ハッピャク キューヒャク',
);
const THOUSANDS = byDigit('セン ニセン サンゼン ヨンセン ゴセン ロクセン ナナセン ハッセン キューセン');
const LARGE_UNITS = ['', 'マン', 'オク', 'チョー'];
/** A Japanese number with more digits than this is read digit by digit, because `LARGE_UNITS` has no word for it. */
const MAX_DIGITS = 4 * LARGE_UNITS.length;

const KANJI_DIGITS = '〇一二三四五六七八九';
const UNITS: Readonly<Record<string, number>> = { 十: 10, 百: 100, 千: 1_000, 万: 1e4, 億: 1e8, 兆: 1e12 };
/** A comma in a Japanese number only joins groups of three digits. */
const NUMBER =
  /^[\d〇一二三四五六七八九十百千万億兆](?:(?:\.|,(?=\d{3}(?!\d)))?[\d〇一二三四五六七八九十百千万億兆])*$/u;
/** A number with several points is a version, a date or an address, so its groups are read one after the other. */
const HAS_SEVERAL_POINTS = /\.\d+\./u;

/** Writes a Japanese number in digits: '3,000', '三百' or '3万5千'. Undefined if the text is no number. */
function digitsOf(written: string): string | undefined {
  if (!NUMBER.test(written) || HAS_SEVERAL_POINTS.test(written)) return undefined;
  const digits = written
    .replaceAll(',', '')
    .replace(/[〇一二三四五六七八九]/gu, (kanji) => `${KANJI_DIGITS.indexOf(kanji)}`);
  if (/^\d+(?:\.\d+)?$/u.test(digits)) return digits;
  let [sum, section, factor] = [0, 0, Number.NaN];
  for (const [piece] of digits.matchAll(/\d+(?:\.\d+)?|\D/gu)) {
    const unit = UNITS[piece];
    if (unit === undefined) {
      factor = Number(piece);
    } else if (unit < 1e4) {
      section += (Number.isNaN(factor) ? 1 : factor) * unit;
      factor = Number.NaN;
    } else {
      sum += (section + (Number.isNaN(factor) ? 0 : factor) || 1) * unit;
      [section, factor] = [0, Number.NaN];
    }
  }
  const value = sum + section + (Number.isNaN(factor) ? 0 : factor);
  return Number.isSafeInteger(value) ? String(value) : undefined;
}

function numberInKana(written: string): string | undefined {
  const [whole, decimals] = digitsOf(written)?.split('.') ?? [];
  if (whole === undefined) return undefined;
  const inWords = whole.length > MAX_DIGITS || /^0\d/u.test(whole) ? oneByOne(whole) : wholeNumber(whole);
  return decimals === undefined ? inWords : `${inWords}テン${oneByOne(decimals)}`;
}

const oneByOne = (digits: string): string => [...digits].map((digit) => ONES[Number(digit)] || 'ゼロ').join('');

function wholeNumber(digits: string): string {
  if (/^0+$/u.test(digits)) return 'ゼロ';
  const groups = digits.padStart(MAX_DIGITS, '0').match(/\d{4}/gu) ?? [];
  return groups.map((group, at) => inGroup(group, LARGE_UNITS[groups.length - 1 - at] ?? '')).join('');
}

function inGroup(group: string, unit: string): string {
  const [thousands, hundreds, tens, ones] = Array.from(group, Number) as [number, number, number, number];
  if (Number(group) === 0) return '';
  const thousand = thousands === 1 && unit !== '' ? 'イッセン' : THOUSANDS[thousands];
  const ten = tens === 0 ? '' : `${tens === 1 ? '' : ONES[tens]}ジュー`;
  const words = `${thousand}${HUNDREDS[hundreds]}${ten}${ONES[ones]}`;
  return `${unit === 'チョー' ? shortened(words, /(?:イチ|ハチ|ジュー)$/u) : words}${unit}`;
}

/** Irregular readings of Japanese numbers, by counter word and then by the number's digits. */
type Irregular = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Some Japanese numbers have a reading of their own with a counter word: 二人 is read フタリ. */
const WHOLE_READINGS: Irregular = {
  人: { '1': 'ヒトリ', '2': 'フタリ' },
  歳: { '20': 'ハタチ' },
  才: { '20': 'ハタチ' },
  日: {
    ...{ '2': 'フツカ', '3': 'ミッカ', '4': 'ヨッカ', '5': 'イツカ', '6': 'ムイカ', '7': 'ナノカ', '8': 'ヨーカ' },
    ...{ '9': 'ココノカ', '10': 'トーカ', '14': 'ジューヨッカ', '20': 'ハツカ', '24': 'ニジューヨッカ' },
  },
  つ: {
    ...{ '1': 'ヒトツ', '2': 'フタツ', '3': 'ミッツ', '4': 'ヨッツ', '5': 'イツツ' },
    ...{ '6': 'ムッツ', '7': 'ナナツ', '8': 'ヤッツ', '9': 'ココノツ' },
  },
};
const OF_HOURS = { '4': 'ヨ', '7': 'シチ', '9': 'ク' };
/** Before these Japanese counter words, a number's last digit has another reading: 四時 is read ヨジ. */
const LAST_READINGS: Irregular = {
  時: OF_HOURS,
  時間: OF_HOURS,
  月: { '4': 'シ', '7': 'シチ', '9': 'ク' },
  円: { '4': 'ヨ' },
  年: { '4': 'ヨ' },
  人: { '4': 'ヨ' },
};
/** The Japanese dictionary lists another reading of 月 (month) first, but as a counter word 月 is read ガツ. */
const COUNTER_READINGS: Readonly<Record<string, string>> = { 月: 'ガツ' };

/** The sounds between a Japanese number and its counter word change: 三本 is 'サンボン', 四時 'ヨジ', 十分 'ジュップン'. */
function countedInKana(digits: string, counter: { readonly written: string; readonly reading: string }): string {
  const known = WHOLE_READINGS[counter.written]?.[digits];
  if (known !== undefined) return known;
  const reading = COUNTER_READINGS[counter.written] ?? counter.reading;
  const number = numberInKana(digits) ?? digits;
  const final = digits.at(-1) ?? '';
  const changed = LAST_READINGS[counter.written]?.[final];
  if (changed !== undefined) return `${number.slice(0, -(ONES[Number(final)] ?? '').length)}${changed}${reading}`;
  if (/^[カキクケコ]/u.test(reading)) return shortened(number, /(?:イチ|ロク|ハチ|ジュー|ヒャク)$/u) + reading;
  if (/^[サシスセソタチツテトパピプペポ]/u.test(reading)) return shortened(number, /(?:イチ|ハチ|ジュー)$/u) + reading;
  if (/^[ハヒフヘホ]/u.test(reading)) return beforeH(number, reading);
  return number + reading;
}

const shortened = (number: string, ending: RegExp): string =>
  number.replace(
    ending,
    (word) => `${word.startsWith('ジュ') ? 'ジュ' : word.slice(0, word.startsWith('ヒャ') ? 2 : 1)}ッ`,
  );

/** In Japanese, a counter's first h becomes p after a stop (ッ), b or p after three, and sometimes p after four. */
function beforeH(number: string, reading: string): string {
  const stopped = shortened(number, /(?:イチ|ロク|ハチ|ジュー|ヒャク)$/u);
  if (stopped !== number) return stopped + voiced(reading, 2);
  const hasP = /^(?:フン|ハク)/u.test(reading);
  if (number.endsWith('サン')) return number + voiced(reading, hasP ? 2 : 1);
  return number + (hasP && number.endsWith('ヨン') ? voiced(reading, 2) : reading);
}

const voiced = (reading: string, by: 1 | 2): string =>
  String.fromCodePoint((reading.codePointAt(0) ?? 0) + by) + reading.slice(1);
