import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_CONTENT, type ReadableContext, readable } from '../../../../src/services/text/readable/readable.ts';
import { parseTags } from '../../../../src/speech/interface/models.ts';

const NOW = Date.UTC(2026, 10, 21, 15);
const USERS: Record<string, string> = { '1': 'Alice', '2': '🌸 Böb [laugh] 🌸', '3': '🎀', '4': '***' };

const CONTEXT: ReadableContext = {
  locale: 'en-US',
  now: NOW,
  tags: 'remove',
  users: (id) => USERS[id],
  channels: (id) => (id === '5' ? '💬・off-topic_chat' : undefined),
  roles: (id) => (id === '6' ? 'Moderators' : undefined),
};

const heard = (content: string, context: Partial<ReadableContext> = {}) =>
  readable(content, { ...CONTEXT, ...context }, new Map(), async () => undefined);

describe('mentions', () => {
  it.each([
    ['hi <@1>, and <@!1>!', 'hi Alice, and Alice!'],
    ['<@1>’s turn', 'Alice’s turn'],
    ['see <#5>', 'see off topic chat'],
    ['for <@&6>', 'for Moderators'],
    ['@everyone and @here', 'everyone and everyone here'],
    ['mail bob@here.example, @hereafter', 'mail bob@here.example, @hereafter'],
    ['</voice set:12>', 'the command voice set'],
    ['look at <id:customize>', 'look at a page of this server'],
    // Unknown ones.
    ['<@99> in <#98> of <@&97>', 'somebody in a channel of a role'],
    // Decorated names.
    ['<@3> and <@4>', 'ribbon and somebody'],
  ])('%s is heard as names', (content, spoken) => expect(heard(content)).resolves.toBe(spoken));

  it('leave out anything in a name that could be a tag, and shorten one that would take a minute', async () => {
    expect(await heard('<@2>', { tags: 'keep' })).toBe('Böb laugh');
    expect((await heard('<@1>', { users: () => 'ab '.repeat(60) })).length).toBeLessThanOrEqual(50);
  });
});

describe('Markdown', () => {
  it.each([
    ['**bold** *italic* __underlined__ ~~struck~~ ***both***', 'bold italic underlined struck both'],
    ['snake_case and 2 * 3 * 4', 'snake_case and 2 * 3 * 4'],
    ['# Title\n## Part\n- one\n* two\n  - three\n1. four\n-# small', 'Title. Part. one. two. three. 1. four. small'],
    ['> quoted\n> more\nend', 'quote: quoted. more. end'],
    ['>>> quoted\n\nto the end', 'quote: quoted. to the end'],
    ['before```js\nlet a;\n\n```after', 'before. code block. after'],
    ['```\n```', ''],
    ['it was ||Snape|| and ||two\n\nlines|| ok', 'it was spoiler and spoiler ok'],
    ['\\*not italic\\*', '*not italic*'],
    ['I dunno ¯\\_(ツ)_/¯', 'I dunno'],
  ])('%j', (content, spoken) => expect(heard(content)).resolves.toBe(spoken));

  it('never reads a spoiler, whatever is in it', async () => {
    for (const inside of ['**secret**', '`secret`', 'https://secret.example', '> secret', 'secret | secret', '<@1>']) {
      expect(await heard(`a ||${inside}|| b`)).toBe('a spoiler b');
    }
  });
});

it.each([
  ['https://user:secret@www.example.com:8080/a/b?c=d#e!', 'link to example.com!'],
  ['(https://example.com/path), yes', '(link to example.com), yes'],
  ['**https://example.com/a*b**', 'link to example.com'],
  ['https://xn--mnchen-3ya.de/', 'link to münchen.de'],
  ['[the **docs**](https://example.com/x "title")', 'the docs, link'],
  ['[https://good.example](https://evil.example/x)', 'link to evil.example'],
  ['[good.example](https://evil.example/x)', 'link to evil.example'],
  ['www.example.com/path', 'link to example.com'],
  ['ht**tps**://example.com/path', 'link to example.com'],
  ['https://tenor.com/view/cat-123', 'a GIF'],
  ['https://discord.com/channels/1/2/3', 'link to a message'],
  ['見てhttps://example.com/path', '見て link to example.com'],
  ['http://[', 'a link'],
])('links %s', (content, spoken) => expect(heard(content)).resolves.toBe(spoken));

describe('emoji', () => {
  it.each([
    ['😂😂😂😂', 'face with tears of joy, 4 times'],
    ['😂 😂 hi', 'face with tears of joy, 2 times hi'],
    ['well done👍🏽!', 'well done thumbs up!'],
    ['❤️ 🇩🇪 👩‍👩‍👧', 'red heart, flag Germany, family woman, woman, girl'],
    ['<:party_blob:1> <a:party_blob:2> <:catJam:3>', 'party blob, 2 times, cat Jam'],
    ['(🎉)', '(party popper)'],
    ['© 2026 ™', '© 2026 ™'],
  ])('%s', (content, spoken) => expect(heard(content)).resolves.toBe(spoken));

  it('are named only as far as anybody listens', async () => {
    expect(await heard('🍎🍊🍋🍌🍉🍇🍓🍈')).toMatch(/^red apple, .*, 3 more emoji$/);
    expect((await heard('🍎 a '.repeat(200))).match(/red apple/g)).toHaveLength(25);
  });
});

it.each([
  ['<t:1700000000>', {}, 'November 14, 2023 at 10:13 PM UTC'],
  ['<t:1700000000:D>', { locale: 'de' }, '14. November 2023'],
  ['<t:1700000000:d>', { locale: 'es-ES' }, '14 de noviembre de 2023'],
  ['<t:1700000000:R>', {}, '3 years ago'],
  [`<t:${NOW / 1000 + 7200}:R>`, {}, 'in 2 hours'],
  ['<t:99999999999999>', {}, 'a date'],
])('times %s with %j', (content, context, spoken) => expect(heard(content, context)).resolves.toBe(spoken));

describe('what hangs on a message', () => {
  const named = (name: string, contentType: string | null = null) => {
    return { name, contentType, voiceMessage: false, spoiler: false };
  };
  const image = named('a.png', 'image/png');

  it('is announced after the words, and whom it answers before them', async () => {
    const hung = { replyTo: 'Bob_', attachments: [image, image, named('a.zip')], stickers: ['Wave'] };
    expect(await heard('look', hung)).toBe('replying to Bob. look. 2 images, a file, and the sticker Wave');
  });

  it.each([
    [image, 'an image'],
    [named('a', 'video/mp4'), 'a video'],
    [named('a', 'audio/mpeg'), 'an audio file'],
    [{ ...named('voice.ogg', 'audio/ogg'), voiceMessage: true }, 'a voice message'],
    [{ ...image, spoiler: true }, 'a hidden attachment'],
    [{ ...image, name: 'SPOILER_a.png' }, 'a hidden attachment'],
  ])('is all there is to say of a message without words: %j', async (attachment, spoken) => {
    expect(await heard('', { attachments: [attachment] })).toBe(spoken);
  });
});

describe('characters', () => {
  it.each([
    ['looooooool!!!!!!', 'loool!!!'],
    ['1000000 or 5555555', '1000000 or 5555555'],
    ['News ==== \\*\\*\\*\\* at -=-=- ten', 'News at ten'],
    ['wait.. what..ever', 'wait… what…ever'],
    ['n***o n------o', 'n***o n---o'],
    ['one --- two... C++ 2 == 2', 'one --- two... C++ 2 == 2'],
    ['Z\u0337\u0327\u0322\u031Ba', 'Z\u0337\u0327a'],
    ['𝓗𝓮𝓵𝓵𝓸 Ｗｉｄｅ', 'Hello Wide'],
    ['a\u200Bb\u2060c\u202Ed\u0007e\u{E0041}f', 'abcdef'],
    ['  a \t b\u00A0\u3000c  ', 'a b c'],
    ['one\n\n\ntwo!\nthree,\nfour', 'one. two! three, four'],
    ['テスト\nです', 'テスト。です'],
    ['a\uD800b', 'ab'],
  ])('%j is heard as %j', (content, spoken) => expect(heard(content)).resolves.toBe(spoken));

  it.each(['Tiếng Việt có dấu', 'क्षत्रिय और ज्ञान', 'می‌خواهم بروم', 'שָׁלוֹם עולם', 'ශ්‍රී ලංකා', 'Straße, naïve, İstanbul'])(
    'every script stays as it is: %s',
    (words) => expect(heard(words)).resolves.toBe(words.normalize('NFC')),
  );

  it('takes no more of a text than Discord does', async () => {
    expect(await heard('ab'.repeat(MAX_CONTENT))).toHaveLength(MAX_CONTENT);
  });
});

describe('tags in a text', () => {
  it('have no effect when it was read from chat, however they are put together', async () => {
    expect(await heard('[laugh] <soft>hi</soft> [[sigh]] \\[cry] [**pause**] <3')).toBe('laugh hi sigh cry pause <3');
  });

  it('stay when a member who may use them gave the text', async () => {
    const tagged = '[laugh] <soft>hi</soft> [in a low voice] <sighs>';
    expect(await heard(tagged, { tags: 'keep' })).toBe(tagged);
    expect(await heard('[laugh] **hi** [there](https://example.com)', { tags: 'keep' })).toBe('[laugh] hi there, link');
  });
});

const ID = '123456789012345671';
const FRAGMENTS = [
  ...['*', '**', '_', '__', '~~', '||', '`', '```', '\n', '\n\n', '> ', '>>> ', '# ', '- ', '-# ', '1. ', ' ', '\\'],
  ...['[', ']', '(', ')', '](', '<', '>', '/', ':', '@', '#', '!', 'a', 'laugh', 'soft', '</soft>', '[sigh]'],
  ...['https://', 'example.com/secret', 'www.', `<@${ID}>`, `<@!${ID}>`, `<@&${ID}>`, `<#${ID}>`, `<:blob:${ID}>`],
  ...[`<t:${ID.slice(0, 10)}:R>`, '<t:', ':R>', `</say:${ID}>`, '<id:guide>', '@everyone', '😂', '👩‍👩‍👧', '🏽'],
  ...['\u200D', '\uFE0F', '\u0301', '\u202E', 'क्ष', '語', '1', '\uD800'],
];
const message = fc.oneof(
  fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 60 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.string({ unit: 'grapheme', maxLength: 200 }),
);

describe('any message', () => {
  const hostile: Partial<ReadableContext> = {
    users: (id) => (id.endsWith('1') ? '[laugh] https://name.example/secret <soft>' : undefined),
    channels: (id) => (id.endsWith('1') ? 'ge*ne*ral' : undefined),
    roles: () => '@everyone',
  };

  it('is spoken without failing, in bounded length, without ids, addresses or tags', async () => {
    await fc.assert(
      fc.asyncProperty(message, fc.constantFrom('en-US', 'de', 'ja', 'not a locale'), async (content, locale) => {
        const text = await heard(content, { ...hostile, locale });
        expect(text.length).toBeLessThanOrEqual(12 * content.length + 1_000);
        expect(text).not.toMatch(/<(?:@[!&]?|#|a?:\w+:|t:|\/\w+:)\d+(?::\w)?>/);
        expect(text).not.toContain('://');
        expect(text).not.toMatch(/[\n\u200B\u202E]|\s\s/);
        for (const syntax of ['closed', 'square-open', 'angle-open'] as const) {
          expect(parseTags(text, syntax).filter(({ kind }) => kind !== 'text')).toEqual([]);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('of plain words stays what it is, however often it is made readable', async () => {
    const word = fc.stringMatching(/^(?:[a-z]{1,3}|[A-Z][a-z]{1,2}|\d{1,9}|é|ß|я|語|नमस्ते|مرحبا)$/);
    const sentence = fc.array(word, { minLength: 1, maxLength: 30 }).map((words) => `${words.join(' ')}.`);
    await fc.assert(fc.asyncProperty(sentence, async (words) => (await heard(words)) === words));
  });
});
