/** Texts with which a member could try to block the bot, as long as requested. */

const between = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => String.fromCodePoint(from + at));

const PIECES: Readonly<Record<string, string>> = {
  words: 'The quick brown fox jumps over the lazy dog, at 5 pm. ',
  'words with marks': 'The _quick_ [brown](fox) jumps over **the lazy** dog, at <@1> and elsewhere. ',
  'one long word': 'a',
  'one long word of two letters': 'il',
  'signs for letters': '1|!',
  'signs in words': 'a1',
  'look-alikes': 'аіo1',
  'spelled out': 's.',
  'spelled out, spaced': 'a 1 ',
  'signs inside words': "i'l-",
  'drawn out': 'iiiilllll ',
  'marks of Markdown': '**_~~`||',
  'emphasis crossed': '*a_',
  'emphasis nested': '*_',
  'strong nested': '**a __b ',
  'links begun': '[a](',
  'links nested': '[[a](b)](',
  brackets: '[a] ',
  'brackets opened': '[',
  'brackets closed': '](',
  'definitions of links': '[a]: b\n',
  backticks: '` `` ',
  'blocks of code': '```\na\n',
  spoilers: '||',
  lines: '\n',
  quotes: '> a\n',
  'quotes nested': '> > ',
  'lists nested': '- - ',
  headings: '# a\n',
  tables: '|a|b|\n|-|-|\n',
  'HTML begun': '<a ',
  entities: '&amp;',
  escapes: '\\',
  mentions: '<@1>',
  'mentions by name': '@everyone ',
  'emoji of a server': '<:a:1>',
  'emoji by their names': ':a:',
  'tokens begun': '<t:1',
  times: '<t:1:R>',
  addresses: 'http://a',
  'addresses in brackets': '<http://a.b/c_(d)> ',
  'addresses with dots': 'a.',
  'e-mail addresses': 'a@b.',
  tags: '<a> </a>',
  'tags nested': '[a [b ',
  'tags of the voice': '[whisper] <sigh> ',
  'tags within tags': '<sig<sigh>h>',
  emoji: '😀👨‍👩‍👧',
  'halves of flags': '🇦',
  'skin tones': '👍🏽',
  'combining marks': 'a\u0301\u0327',
  'one heap of marks': '\u0301',
  joiners: '\u200d',
  'letters that expand': 'ﷺ',
  'styled letters': '𝓐',
  'full width': 'ａ！',
  Chinese: '馬鹿',
  'Chinese, spaced': '馬 鹿 ',
  'Japanese and Chinese': '今日は。馬鹿。',
  Thai: 'ภาษาไทย',
  Arabic: 'مرحبا ',
  Devanagari: 'नमस्ते ',
  'a sentence a letter': 'a.b!',
  'scripts in turn': 'a б α ',
  'languages in turn': 'Guten Morgen zusammen. The weather is fine. Il fait beau. ',
  numbers: '1 ',
  digits: '1',
  'numbers with separators': '1,000.000,',
  faces: '(ノ°□°)ノ︵ ',
  'faces begun': '(ツ',
  'brackets begun': '(',
  'arms without a face': '¯\\_',
  dashes: '-',
  apostrophes: "'",
  'unknown letters': '𓀀𒀀ᚠ ',
};

/** Texts that hardly repeat anything. */
const VARIED: Readonly<Record<string, readonly string[]>> = {
  'different Chinese characters, spaced': between(0x4e00, 4_000).map((one) => `${one} `),
  'different Chinese characters': between(0x4e00, 4_000),
  'different hieroglyphs': between(0x13000, 1_000),
  'different syllables of Korean, spaced': between(0xac00, 4_000).map((one) => `${one} `),
  'different emoji': between(0x1f300, 700),
  'different numbers': Array.from({ length: 1_500 }, (_, at) => `${at} `),
  'different mentions': Array.from({ length: 1_000 }, (_, at) => `<@${at + 1}>`),
  'different times': Array.from({ length: 1_000 }, (_, at) => `<t:${at * 86_400}:F>`),
  'look-alikes, a line each': Array.from(
    { length: 300 },
    (_, at) => `${(at + 512).toString(2).replaceAll('0', 'i').replaceAll('1', 'l')}\n`,
  ),
  'brackets in brackets': [...Array<string>(2_000).fill('['), ...Array<string>(2_000).fill('a]')],
  'tags in tags': [...Array<string>(500).fill('[whis'), ...Array<string>(500).fill('per]')],
  'quotes, ever deeper': Array.from({ length: 90 }, (_, at) => `${'>'.repeat(at)} a\n`),
};

const repeated = (pieces: readonly string[], length: number): string => {
  let text = '';
  for (let at = 0; text.length < length; at++) text += pieces[at % pieces.length];
  return text.slice(0, length).toWellFormed();
};

export const TEXTS: Readonly<Record<string, (length: number) => string>> = Object.fromEntries(
  [...Object.entries(PIECES).map(([name, piece]) => [name, [piece]] as const), ...Object.entries(VARIED)].map(
    ([name, pieces]) => [name, (length: number) => repeated(pieces, length)],
  ),
);

/** 300 similar words made of letters that have many look-alikes. */
export const CRAFTED_WORDS: readonly string[] = Array.from({ length: 300 }, (_, index) => {
  const bits = Math.imul(index + 1, 0x9e3779b1) >>> 0;
  return `*${bits.toString(2).padStart(32, '0').replaceAll('0', 'i').replaceAll('1', 'l')}*`;
});
/** Words like those of a language, as many as a server may block. */
export const ORDINARY_WORDS: readonly string[] = Array.from({ length: 300 }, (_, at) => {
  const syllables = ['ba', 'con', 'der', 'fi', 'gul', 'hast', 'kri', 'lom', 'mer', 'nut'];
  const word = [...String(at + 100)].map((digit) => syllables[Number(digit)]).join('');
  return at % 3 === 0 ? `*${word}*` : word;
});

/** Entries of all lengths that begin alike. */
export const CRAFTED_ENTRIES = Array.from({ length: 1_000 }, (_, index) => ({
  from: 'a'.repeat(1 + (index % 90)) + (index < 90 ? '' : String.fromCharCode(98 + Math.floor(index / 90))),
  to: 'x'.repeat(200),
  wholeWord: false,
}));
export const ORDINARY_ENTRIES = Array.from({ length: 1_000 }, (_, at) => ({
  from: `word${at}`,
  to: `spoken ${at}`,
  wholeWord: true,
}));
