import { numberInKana } from './japanese-numbers.ts';

/** Hiragana and katakana are the same syllables in two shapes, so far apart. */
const HIRAGANA = /[\u3041-\u3096]/gu;
const TO_KATAKANA = 0x60;

/** The kana with which eSpeak NG reads a small vowel as one syllable; after others it says 'Japanese letter', or soon after. */
const TAKES_SMALL: Readonly<Record<string, string>> = {
  ァ: 'クグツフ',
  ィ: 'ウクグツテデフ',
  ゥ: 'トド',
  ェ: 'ウクグシジチツフ',
  ォ: 'ウクグツフ',
};
/** The kana that end in each vowel: that vowel again makes the last one long. */
const ENDING_IN: Readonly<Record<string, string>> = {
  ア: 'アカガサザタダナハバパマヤャラワァ',
  イ: 'イキギシジチヂニヒビピミリィ',
  ウ: 'ウクグスズツヅヌフブプムユュルゥ',
  エ: 'エケゲセゼテデネヘベペメレェ',
  オ: 'オコゴソゾトドノホボポモヨョロヲォ',
};
/** Small kana by themselves, and others that eSpeak NG does not know, as those that sound alike. */
const LIKE: Readonly<Record<string, string>> = {
  ...{ ァ: 'ア', ィ: 'イ', ゥ: 'ウ', ェ: 'エ', ォ: 'オ', ャ: 'ヤ', ュ: 'ユ', ョ: 'ヨ' },
  ...{ ヰ: 'イ', ヱ: 'エ', ヮ: 'ワ', ヵ: 'カ', ヶ: 'ケ', ヷ: 'ワ', ヸ: 'ビ', ヹ: 'ベ', ヺ: 'ボ' },
  ...{ ヴァ: 'バ', ヴィ: 'ビ', ヴ: 'ブ', ヴェ: 'ベ', ヴォ: 'ボ' },
};
const DIGITS = /\d+(?:,\d{3})*(?:\.\d+)?/gu;

/** Japanese text as eSpeak NG reads it without spelling anything out: katakana, numbers in words. Kanji stay. */
export function speakableKana(text: string): string {
  const katakana = text.replace(HIRAGANA, (kana) => String.fromCodePoint((kana.codePointAt(0) ?? 0) + TO_KATAKANA));
  return (
    katakana
      .replace(DIGITS, (digits) => numberInKana(digits) ?? digits)
      .replaceAll(/[%％]/gu, 'パーセント')
      .replaceAll(/(?<=[ァ-ヺー])[〜~～]+/gu, 'ー')
      .replaceAll(/[〜~～・]/gu, ' ')
      .replaceAll(/ヴ[ァィェォ]?|[ヮヰヱヵヶヷ-ヺ]/gu, (kana) => LIKE[kana] ?? '')
      // What is left of letters and signs that eSpeak NG would name: '〆', 'ゞ'.
      .replaceAll(/[[\u3003-\u30ff]--[ァ-ンー\u3008-\u3011]]/gv, '')
      // Nothing that could be long stands before it.
      .replaceAll(/(?<![ァ-モャ-ヲ])ー+|(?<=ッ)ー+/gu, '')
      .replaceAll(/[ァィゥェォ]/gu, (small, at: number, all: string) =>
        TAKES_SMALL[small]?.includes(all.charAt(at - 1) || ' ') ? small : (LIKE[small] ?? ''),
      )
      .replaceAll(
        /(?<![ア-モヤユヨラ-ロワ-ン])[ャュョ]|(?<=[ッァィゥェォャュョ])[ャュョ]/gu,
        (small) => LIKE[small] ?? '',
      )
      // A stop before a sound that has none.
      .replaceAll(/ッ+(?=[ァ-オナ-ノマ-ン])/gu, '')
      .replaceAll(/ッ+/gu, 'ッ')
      // 'クウェー': 'ウ' makes the last sound long, and leaves the small vowel alone.
      .replaceAll(/(?<=ウ)[ィェォ]/gu, (small, at: number, all: string) =>
        ENDING_IN.ウ?.includes(all.charAt(at - 2) || ' ') ? (LIKE[small] ?? '') : small,
      )
      // A vowel that is long already: 'ナアー'.
      .replaceAll(/([アイウエオ])\1*(?=ー)/gu, (_, vowel: string, at: number, all: string) =>
        ENDING_IN[vowel]?.includes(all.charAt(at - 1) || ' ') ? 'ー' : vowel,
      )
      .replaceAll(/ー+/gu, 'ー')
  );
}
