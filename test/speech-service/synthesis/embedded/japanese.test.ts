import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadEspeak } from '../../../../src/speech-service/synthesis/embedded/espeak.ts';
import { loadJapanese, readsKanji } from '../../../../src/speech-service/synthesis/embedded/japanese.ts';
import {
  espeakLanguages,
  type LanguageTools,
  languageRuns,
} from '../../../../src/speech-service/synthesis/embedded/language.ts';

const espeak = await loadEspeak();
const readJapanese = loadJapanese();

const phonemesOf = (text: string, tools: LanguageTools = { readJapanese }) =>
  languageRuns(text, 'en-us', tools).map(({ text, language }) => `${language}: ${espeak.phonemes(text, language)}`);
/** How eSpeak NG begins to spell a character: 'Chinese letter', 'letter three zero zero five'. */
const SPELLED = /l'et@|l,?'?Et3|e11f/u;

test('the dictionary is installed here, so the built-in voice calls kanji its own', () => {
  expect(readsKanji()).toBe(true);
  expect(espeakLanguages(true)).toContain('ja');
  expect(espeakLanguages(false)).not.toContain('ja');
});

test.each([
  ['今日は天気がいいですね。', ["ja: k_j'o:wa teNk'iga ,i:des'une"]],
  ['学校へ行きます', ["ja: gakk'o:e ,ikim'asu"]],
  ['東京', ["cmn: t'ong55_| tS;'i55N_|"]],
  ['了解。今から行くね', ["ja: r`_j,ao:k'ai", ",imak'ar`a ik'une"]],
])('%s is spoken as %j', (text, phonemes) => {
  expect(phonemesOf(text).join('\n').split('\n')).toEqual(phonemes);
});

test.each([
  ['推しの誕生日', 'オシノ タンジョービ'],
  ['終わらない泣', 'オワラナイナク'],
  ['始めましょう', 'ハジメマショー'],
  ['他们は', 'タ|们|ワ'],
  ['300円', 'サンビャクエン'],
  ['1,000円', 'センエン'],
  ['3万5千円', 'サンマンゴセンエン'],
  ['1兆8000億', 'イッチョーハッセンオク'],
  ['3.14', 'サンテンイチヨン'],
  ['4時7分', 'ヨジ ナナフン'],
  ['19:30に', 'ジュークジ サンジュップンニ'],
  ['12月24日', 'ジューニガツ ニジューヨッカ'],
  ['4月1日', 'シガツ ツイタチ'],
  ['1人と2人と4人', 'ヒトリト フタリト ヨニン'],
  ['1本3本6本8本', 'イッポン サンボン ロッポン ハッポン'],
  ['10個、8歳、20歳', 'ジュッコ、 ハッサイ、 ハタチ'],
  ['０１２０', 'ゼロイチニゼロ'],
  ['千葉の八百屋で三日月', 'チバノ ヤオヤデ ミカズキ'],
  ['〇〇さん', 'マルマルサン'],
  ['バージョン1.2.3です', 'バージョン イチテンニテンサンデス'],
  ['1,234,567円と1,23', 'ヒャクニジューサンマンヨンセンゴヒャクロクジューナナエント イチ, ニジューサン'],
  ['192.168.0.1', 'ヒャクキュージューニテンヒャクロクジューハチテンゼロテンイチ'],
])('%s is read as %s, numbers with their counters', (text, kana) => {
  const runs = readJapanese(text.normalize('NFKC'));
  expect(runs.map((run) => run.text).join('|')).toBe(kana);
});

test('Latin words in Japanese are spoken by the voice’s own language', () => {
  const runs = languageRuns('3時にDiscordで会いましょう。LINEの通知が100件', 'en-us', { readJapanese });
  const spoken = runs.map(({ text, language }) => `${language}: ${text}`);
  expect(spoken).toEqual([
    'ja: サンジニ',
    'en-us: Discord',
    'ja: デ アイマショー。',
    'en-us: LINE',
    'ja: ノ ツーチガ ヒャッケン',
  ]);
});

describe('nothing is spelled out', () => {
  test.each(['なぁ〜ーーっ', 'ｶﾀｶﾅ', '１２３個', '〆切は々ゞゝヶ', '他们的ＡＢＣ', 'あヌうェー'])('%s', (text) => {
    expect(phonemesOf(text).join('\n')).not.toMatch(SPELLED);
    expect(phonemesOf(text, {}).join('\n')).not.toMatch(SPELLED);
  });

  test.each(['𠮷野家で𠮷', '他们𠮷々'])('%s, which has a character that is in no dictionary', (text) => {
    expect(phonemesOf(text).join('\n')).not.toMatch(SPELLED);
  });

  const letter = fc.integer({ min: 0x3040, max: 0x30ff }).map((code) => String.fromCodePoint(code));
  const text = fc.string({
    unit: fc.oneof(letter, fc.constantFrom('ー', 'ー', 'ア', 'ァ', 'ん', '々', '日', '3', 'k', '。', ' ')),
  });
  test('of any kana, with the dictionary and without it', () => {
    fc.assert(
      fc.property(text, (written) => {
        expect(phonemesOf(`あ${written}`).join('\n')).not.toMatch(SPELLED);
        expect(phonemesOf(`あ${written.replaceAll('日', '')}`, {}).join('\n')).not.toMatch(SPELLED);
      }),
      { numRuns: 30 },
    );
  });
});
