import { render, type Text, text } from '../../../texts/catalog.ts';
import { cutAt } from './characters.ts';
import type { EmojiNames, ReadableContext } from './context.ts';
import { discordMarkdown } from './discord-markdown.ts';
import { bareEmoji, EMOJI, isEmoji, namesOfEmoji } from './emoji-names.ts';
import { DISCORD_TOKEN, spokenLink } from './links.ts';
import { channelNameOr, nameOr, spokenEmojiName, spokenName } from './names.ts';
import { spokenTime } from './times.ts';

/** Emoji that are named in one message: their names are much longer than they are. */
const NAMED_EMOJI = 25;

type Node = ReturnType<typeof discordMarkdown.parse>['topNode'];

interface Speaking {
  readonly content: string;
  readonly context: ReadableContext;
  readonly emoji: EmojiBudget;
  readonly ownNames: EmojiNames;
  /** Mentions so far, by their source. */
  readonly mentioned: Map<string, string>;
}

/** The words of a message; a line break stands for a pause. */
export function* speakMarkdown(
  message: string,
  context: ReadableContext,
  ownNames: EmojiNames,
): Generator<void, string> {
  const emoji = { left: NAMED_EMOJI };
  const mentioned = new Map<string, string>();
  const words = spokenWords(context.locale, emoji, ownNames);
  for (const content of parsable(message)) {
    speakChildren(discordMarkdown.parse(content).topNode, words, { content, context, emoji, ownNames, mentioned });
    yield;
  }
  return words.end();
}

/** Text that is nearly all marks takes the parser more than linear time, so it is parsed in pieces. */
const MOST_MARKS = 500;
const MARKS = /[[\]()*_~|`<>:@#\\]/gu;
const PIECE_CHARACTERS = 1_000;

function* parsable(message: string): Generator<string> {
  if ((message.match(MARKS)?.length ?? 0) <= MOST_MARKS) return yield message;
  for (let rest = message; rest !== ''; ) {
    const piece = cutAt(rest, PIECE_CHARACTERS);
    yield piece;
    rest = rest.slice(piece.length);
  }
}

/** Speaks the content of a node, up to `to`: the text between its children, and the children. */
function speakChildren(node: Node, words: SpokenWords, speaking: Speaking, from = node.from, to = node.to): void {
  let spokenTo = from;
  for (let child = node.firstChild; child && child.from < to; child = child.nextSibling) {
    if (child.to <= from) continue;
    words.literal(speaking.content.slice(spokenTo, child.from));
    speakNode(child, words, speaking);
    spokenTo = child.to;
  }
  words.literal(speaking.content.slice(spokenTo, to));
}

/** Marks that only change the look of the words. */
const UNSPOKEN = new Set(['EmphasisMark', 'StrikethroughMark', 'CodeMark', 'LineMark']);
/** Announced as a sentence of their own. */
const SENTENCES: Readonly<Record<string, Text>> = {
  QuoteStart: text('readable.quote'),
  CodeBlock: text('readable.code-block'),
};
/** Announced among the words. */
const WORDS: Readonly<Record<string, Text>> = {
  Spoiler: text('readable.spoiler'),
  Everyone: text('readable.everyone'),
  Here: text('readable.here'),
};

function speakNode(node: Node, words: SpokenWords, speaking: Speaking): void {
  const { content, context } = speaking;
  const { name, from, to } = node;
  if (UNSPOKEN.has(name)) return;
  const sentence = SENTENCES[name];
  const word = WORDS[name];
  if (sentence) words.sentence(render(sentence, context.locale));
  else if (word) words.word(render(word, context.locale));
  else if (name === 'Url') words.word(spokenLink(content.slice(from, to), context.locale));
  else if (name === 'Token') speakToken(content.slice(from, to), words, speaking);
  else if (name === 'Escape') words.literal(content.slice(from + 1, to));
  else if (name === 'Link') speakLink(node, words, speaking);
  else speakChildren(node, words, speaking);
}

/** `[words](address)`; brackets without an address are just brackets, and may be a tag. */
function speakLink(node: Node, words: SpokenWords, speaking: Speaking): void {
  const address = node.getChild('URL');
  const [open, close] = node.getChildren('LinkMark');
  const target = address && speaking.content.slice(address.from, address.to).replaceAll(/^<|>$/gu, '');
  if (!target || !open || !close || !/^https?:\/\//iu.test(target)) {
    speakChildren(node, words, speaking);
    return;
  }
  const { locale } = speaking.context;
  const inside = spokenWords(locale, speaking.emoji, speaking.ownNames);
  // A name that looks like an address would be announced as if it were the link's target.
  if (!/:\/\/|^\s*\S+\.\S+\s*$/u.test(speaking.content.slice(open.to, close.from))) {
    speakChildren(node, inside, speaking, open.to, close.from);
  }
  const name = inside.end().replaceAll(/\s+/gu, ' ').trim();
  words.word(name === '' ? spokenLink(target, locale) : render(text('readable.masked-link', { words: name }), locale));
}

function speakToken(source: string, words: SpokenWords, { context, mentioned }: Speaking): void {
  const { emoji } = DISCORD_TOKEN.exec(source)?.groups ?? {};
  if (emoji !== undefined) {
    words.emoji(spokenEmojiName(emoji) || render(text('readable.emoji'), context.locale));
    return;
  }
  const known = mentioned.get(source);
  const spoken = known ?? mention(source, context);
  if (known === undefined) mentioned.set(source, spoken);
  words.word(spoken);
}

function mention(source: string, context: ReadableContext): string {
  const { user, role, channel, time, style, command, page, url } = DISCORD_TOKEN.exec(source)?.groups ?? {};
  const { locale } = context;
  if (user !== undefined) return nameOr(context.users(user), text('readable.somebody'), locale);
  if (role !== undefined) return nameOr(context.roles(role), text('readable.some-role'), locale);
  if (channel !== undefined) return channelNameOr(context.channels(channel), text('readable.some-channel'), locale);
  if (time !== undefined) return spokenTime(Number(time), style ?? 'f', context);
  if (command !== undefined) return render(text('readable.command', { name: spokenName(command, locale) }), locale);
  if (page !== undefined) return render(text('readable.server-page'), locale);
  return url === undefined ? '' : spokenLink(url, locale);
}

/** Emoji in a row that are named; the number of further ones is announced. */
const NAMED_IN_A_ROW = 5;

const segmenter = new Intl.Segmenter();
/** A name or an announcement needs a space before a word character. */
const GOES_ON = /^[\p{L}\p{N}\p{S}\p{Ps}\p{Pi}@#&]/u;
const SETTLED = /(?:^|[\s\p{Ps}\p{Pi}"'#@])$/u;

/** How many emoji may still be named in a message. */
interface EmojiBudget {
  left: number;
}

/** Collects the spoken words of a message. */
function spokenWords(locale: string, budget: EmojiBudget, ownNames: EmojiNames) {
  let spoken = '';
  let spaceNext = false;
  let row: { name: string; count: number }[] = [];

  const append = (words: string) => {
    if (words === '') return;
    if (spaceNext && GOES_ON.test(words)) spoken += ' ';
    spaceNext = false;
    spoken += words;
  };
  const setApart = (words: string) => {
    if (words === '') return;
    if (!SETTLED.test(spoken.slice(-1)) && !spaceNext) spoken += ' ';
    append(words);
    spaceNext = true;
  };
  const endRow = () => {
    if (row.length === 0) return;
    const named = row.slice(0, Math.min(NAMED_IN_A_ROW, budget.left));
    const unnamed = row.slice(named.length).reduce((sum, { count }) => sum + count, 0);
    budget.left -= named.length;
    row = [];
    const words = named.map(({ name, count }) =>
      count === 1 ? name : render(text('readable.emoji-times', { emoji: name, count }), locale),
    );
    // Once the budget is spent there is nothing to announce between each two words any more.
    if (unnamed > 0 && named.length > 0) words.push(render(text('readable.more-emoji', { count: unnamed }), locale));
    setApart(words.join(', '));
  };
  const plain = (written: string) => {
    // Spaces between emoji do not end their row.
    if (row.length > 0 && /^[^\S\n]*$/u.test(written)) return;
    endRow();
    append(written);
  };
  const emoji = (name: string) => {
    if (name === '') return;
    const last = row.at(-1);
    if (last?.name === name) last.count++;
    else row.push({ name, count: 1 });
  };
  return {
    /** The author's text without Markdown's marks. */
    literal(written: string) {
      if (!EMOJI.test(written)) return plain(written);
      let between = '';
      for (const { segment } of segmenter.segment(written)) {
        if (!isEmoji(segment)) {
          between += segment;
          continue;
        }
        if (between !== '') plain(between);
        between = '';
        const own = ownNames.get(bareEmoji(segment));
        for (const name of own === undefined ? namesOfEmoji(segment, locale) : [own]) emoji(name);
      }
      if (between !== '') plain(between);
    },
    /** A name or an announcement, separated by spaces. */
    word(announced: string): void {
      endRow();
      setApart(announced);
    },
    /** The same, separated by pauses. */
    sentence(announced: string): void {
      endRow();
      spaceNext = false;
      spoken += `\n${announced}\n`;
    },
    emoji,
    end(): string {
      endRow();
      return spoken;
    },
  };
}

type SpokenWords = ReturnType<typeof spokenWords>;
