import { type InlineContext, type MarkdownConfig, parser, Strikethrough } from '@lezer/markdown';

/*
 * Changes a CommonMark parser to parse Discord's dialect of Markdown. A message is one block: code, spoilers and
 * emphasis may span blank lines. Headings, lists and quotes are marks at the start of a line.
 * https://support.discord.com/hc/articles/210298617
 */

const NEWLINE = 10;
const AT = 64;
const BACKTICK = 96;
const BAR = 124;
const LESS_THAN = 60;
/** After a Latin letter or digit, 'http' and '@' begin no address or mention. After Japanese, which has no spaces, they can begin one. */
const WORD_END = /[\w\p{Script=Latin}]$/u;

/** Discord's marks at the start of a line: a quote mark, then the mark of a heading, subtext or list. */
const LINE_START = /^(?<quote> {0,10}(?:>>> {0,3}|> ))?(?<mark> {0,20}(?:#{1,3} +(?=\S)|-# +(?=\S)|[-*+] +(?=\S)))?/u;

/** Matches a mention, emoji, time, command or address in `<…>`: https://docs.discord.com/developers/reference#message-formatting */
export const DISCORD_TOKEN =
  /^<(?:@!?(?<user>\d{1,20})|@&(?<role>\d{1,20})|#(?<channel>\d{1,20})|a?:(?<emoji>\w{1,64}):\d{1,20}|t:(?<time>-?\d{1,17})(?::(?<style>[tTdDfFsSR]))?|\/(?<command>[^:<>\n]{1,100}):\d{1,20}|id:(?<page>[\w-]{1,40})(?::\d{1,20})?|(?<url>https?:\/\/[^\s<>]+))>$/iu;

const NOT_IN_DISCORD = [
  ...['LinkReference', 'IndentedCode', 'FencedCode', 'Blockquote', 'HorizontalRule', 'BulletList', 'OrderedList'],
  ...['ATXHeading', 'HTMLBlock', 'SetextHeading', 'Entity', 'HTMLTag', 'Autolink', 'HardBreak', 'Image'],
];

const message: MarkdownConfig = {
  remove: NOT_IN_DISCORD,
  defineNodes: ['Message', 'LineMark', 'QuoteStart', 'CodeBlock', 'Spoiler', 'Token', 'Everyone', 'Here', 'Url'],
  parseBlock: [
    {
      name: 'Message',
      parse(cx, line) {
        const from = cx.lineStart;
        const lines = [line.text];
        while (cx.nextLine()) lines.push(line.text);
        const content = lines.join('\n');
        cx.addElement(cx.elt('Message', from, from + content.length, cx.parser.parseInline(content, from)));
        return true;
      },
    },
  ],
  parseInline: [
    { name: 'LineStart', before: 'Escape', parse: lineStart },
    { name: 'CodeBlock', before: 'InlineCode', parse: codeBlock },
    { name: 'Spoiler', before: 'Emphasis', parse: spoiler },
    { name: 'Token', before: 'Emphasis', parse: token },
    { name: 'Url', before: 'Emphasis', parse: url },
  ],
};

/** The root of a parsed message's tree holds one `Message` node, or none if the message is blank. */
export const discordMarkdown = parser.configure([message, Strikethrough]);

function lineStart(cx: InlineContext, _next: number, pos: number): number {
  if (pos !== cx.offset && cx.char(pos - 1) !== NEWLINE) return -1;
  const match = LINE_START.exec(cx.slice(pos, pos + 200));
  const { quote = '', mark = '' } = match?.groups ?? {};
  if (!match || quote + mark === '') return -1;
  if (quote !== '')
    cx.addElement(cx.elt(afterQuotedLine(cx, pos) ? 'LineMark' : 'QuoteStart', pos, pos + quote.length));
  if (mark !== '') cx.addElement(cx.elt('LineMark', pos + quote.length, pos + quote.length + mark.length));
  return pos + match[0].length;
}

/** Discord marks each line of a quote, but the bot announces a quote once. */
function afterQuotedLine(cx: InlineContext, pos: number): boolean {
  if (pos === cx.offset) return false;
  const before = cx.text.lastIndexOf('\n', pos - cx.offset - 2) + 1;
  return LINE_START.exec(cx.text.slice(before, before + 200))?.groups?.quote !== undefined;
}

function codeBlock(cx: InlineContext, next: number, pos: number): number {
  if (next !== BACKTICK || cx.slice(pos, pos + 3) !== '```') return -1;
  const end = cx.text.indexOf('```', pos - cx.offset + 3);
  if (end < 0 || cx.slice(pos + 3, cx.offset + end).trim() === '') return -1;
  return cx.addElement(cx.elt('CodeBlock', pos, cx.offset + end + 3));
}

function spoiler(cx: InlineContext, next: number, pos: number): number {
  if (next !== BAR || cx.char(pos + 1) !== BAR) return -1;
  // A Discord spoiler `||…||` contains at least one character, which may be a bar.
  const end = cx.text.indexOf('||', pos - cx.offset + 3);
  return end < 0 ? -1 : cx.addElement(cx.elt('Spoiler', pos, cx.offset + end + 2));
}

function token(cx: InlineContext, next: number, pos: number): number {
  if (next === AT) {
    const name = /^@(?:everyone|here)(?!\w)/u.exec(cx.slice(pos, pos + 10))?.[0];
    // In an address such as someone@here.example, '@here' is no mention.
    if (name === undefined || WORD_END.test(cx.slice(Math.max(cx.offset, pos - 1), pos))) return -1;
    return cx.addElement(cx.elt(name === '@here' ? 'Here' : 'Everyone', pos, pos + name.length));
  }
  if (next !== LESS_THAN) return -1;
  const end = cx.text.indexOf('>', pos - cx.offset) + cx.offset + 1;
  if (end <= pos || !DISCORD_TOKEN.test(cx.slice(pos, end))) return -1;
  return cx.addElement(cx.elt('Token', pos, end));
}

function url(cx: InlineContext, next: number, pos: number): number {
  // Only h or H at the start of a word can begin an address (http or https).
  if ((next | 32) !== 104 || WORD_END.test(cx.slice(Math.max(cx.offset, pos - 1), pos))) return -1;
  const end = urlEnd(cx.text, pos - cx.offset);
  return end === undefined ? -1 : cx.addElement(cx.elt('Url', pos, cx.offset + end));
}

/** Punctuation that does not belong to the address before it. */
const NOT_AT_THE_END = new Set('.,:;!?\'"*_~)>|`');
const SPACE = /\s/u;

/** The end of the address that begins at `start`; undefined if none begins there. Spoiler marks and a link's `]` end an address. */
function urlEnd(content: string, start: number): number | undefined {
  const scheme = /^https?:\/\//iu.exec(content.slice(start, start + 8))?.[0];
  if (scheme === undefined) return undefined;
  let brackets = 0;
  let end = start + scheme.length;
  for (; end < content.length; end++) {
    const character = content[end] ?? '';
    if (SPACE.test(character) || character === '<') break;
    if (character === '|' && content[end + 1] === '|') break;
    if (character === '[') brackets++;
    if (character === ']' && --brackets < 0) break;
  }
  while (end > start && NOT_AT_THE_END.has(content[end - 1] ?? '')) end--;
  return end > start + scheme.length ? end : undefined;
}
