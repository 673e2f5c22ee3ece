import { withoutFaces } from '../../../language/faces.ts';
import { removeTags } from '../../../speech/interface/models.ts';
import { render, type Text, text } from '../../../texts/catalog.ts';
import { cleanCharacters, cutAt, dropJoiners, joinLines, tameRepeats, withoutDividers } from './characters.ts';
import { DISCORD_TOKEN, discordMarkdown } from './discord-markdown.ts';
import { bareEmoji, EMOJI, isEmoji, namesOfEmoji } from './emoji-names.ts';
import {
  channelNameOr,
  LEFT_OVER_TOKEN,
  LEFT_OVER_URL,
  nameOr,
  spokenEmojiName,
  spokenLink,
  spokenName,
} from './names.ts';
import { enumerate, spokenTime } from './times.ts';

/** Looks up the display names of users, channels and roles by their ids. An unknown id gives undefined. */
export interface Names {
  users(id: string): string | undefined;
  channels(id: string): string | undefined;
  roles(id: string): string | undefined;
}

export interface ReadableContext extends Names {
  /** The locale of the bot's own words, such as announcements of images and links. */
  readonly locale: string;
  readonly now: number;
  /** Speech tags stay ('keep') only if the requester is allowed to use them. */
  readonly tags: 'keep' | 'remove';
  readonly attachments?: readonly ReadableAttachment[];
  readonly stickers?: readonly string[];
  readonly replyTo?: string;
}

export interface ReadableAttachment {
  readonly name: string;
  readonly contentType: string | null;
  readonly voiceMessage: boolean;
  readonly spoiler: boolean;
}

/** A server's spoken forms of emoji, by the emoji without skin tone and variation selectors (`bareEmoji`). */
type EmojiNames = ReadonlyMap<string, string>;

/** Maximum characters of a text that is made readable: as long as Discord's longest text, a command's string option. */
export const MAX_CONTENT = 6_000;

/**
 * Makes a short text readable in one step. Messages need readableSteps(), so that other work can run between its steps.
 * The dictionary calls readable() with an entry's written form between two plain words, to test if the form changes.
 */
export function readable(content: string, context: ReadableContext): string {
  const steps = readableSteps(content, context, new Map());
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/** Makes a message readable in short steps, between which other work can run. */
export function* readableSteps(
  content: string,
  context: ReadableContext,
  ownNames: EmojiNames,
): Generator<void, string> {
  const { locale } = context;
  const clean = cleanCharacters(cutAt(content, MAX_CONTENT));
  yield;
  const words = yield* speakMarkdown(withoutFaces(clean), context, ownNames);
  yield;
  const lines = [
    context.replyTo === undefined
      ? ''
      : render(text('readable.reply', { name: nameOr(context.replyTo, text('readable.somebody'), locale) }), locale),
    tameRepeats(withoutDividers(dropJoiners(words))),
    spokenAttachments(context),
  ];
  // Joining lines can form a speech tag or an address out of two lines, so these are removed last.
  yield;
  return yield* withoutEffect(joinLines(lines.join('\n')), locale, context.tags);
}

/** The order in which models' speech tags are removed. 'closed' comes first: it knows `<soft>` and `</soft>` as one pair of tags. */
export const TAG_SYNTAXES = ['closed', 'square-open', 'angle-open'] as const;

/** Maximum rounds of removing speech tags and addresses. A removal may form a new one, but ordinary texts nest none. */
const ROUNDS = 4;

function* withoutEffect(words: string, locale: string, tags: 'keep' | 'remove'): Generator<void, string> {
  let result = words;
  for (let round = 0; round < ROUNDS; round++) {
    const before = result;
    result = result
      .replaceAll(LEFT_OVER_TOKEN, '')
      .replaceAll(LEFT_OVER_URL, (address) => ` ${spokenLink(address, locale)}`);
    if (tags === 'remove') {
      for (const syntax of TAG_SYNTAXES) {
        yield;
        result = removeTags(result, syntax);
      }
    }
    result = result.replaceAll(/\s+/gu, ' ').trim();
    if (result === before) return result;
  }
  return tags === 'remove' ? result.replaceAll(/[<>[\]]|:\/\//gu, '') : result;
}

/** The most stickers to announce: a member can add up to 3, but a webhook may claim more. */
const MAX_STICKERS = 3;

/** Describes the attachments of a message: '2 images and a file'. Empty if there are none. */
function spokenAttachments({ attachments = [], stickers = [], locale }: ReadableContext): string {
  const counts = new Map<ReturnType<typeof kindOf>, number>();
  for (const attachment of attachments) counts.set(kindOf(attachment), (counts.get(kindOf(attachment)) ?? 0) + 1);
  return enumerate(
    [
      ...[...counts].map(([kind, count]) => render(text(kind, { count }), locale)),
      ...stickers
        .slice(0, MAX_STICKERS)
        .map((name) => render(text('readable.sticker', { name: spokenName(name, locale) }), locale).trim()),
    ],
    locale,
  );
}

function kindOf({ contentType, voiceMessage, spoiler, name }: ReadableAttachment) {
  if (voiceMessage) return 'readable.voice-messages';
  if (spoiler || name.startsWith('SPOILER_')) return 'readable.hidden-files';
  switch (contentType?.split('/', 1)[0]) {
    case 'image':
      return 'readable.images';
    case 'video':
      return 'readable.videos';
    case 'audio':
      return 'readable.sounds';
    default:
      return 'readable.files';
  }
}

/** Maximum number of named emoji in one message: a name is much longer than its emoji. */
const NAMED_EMOJI = 25;

type Node = ReturnType<typeof discordMarkdown.parse>['topNode'];

interface Speaking {
  readonly content: string;
  readonly context: ReadableContext;
  readonly emoji: EmojiBudget;
  readonly ownNames: EmojiNames;
  readonly mentioned: Map<string, string>;
}

/** The spoken words of a message; a line break stands for a pause. */
function* speakMarkdown(message: string, context: ReadableContext, ownNames: EmojiNames): Generator<void, string> {
  const emoji = { left: NAMED_EMOJI };
  const mentioned = new Map<string, string>();
  const words = spokenWords(context.locale, emoji, ownNames);
  for (const content of parsable(message)) {
    speakChildren(discordMarkdown.parse(content).topNode, words, { content, context, emoji, ownNames, mentioned });
    yield;
  }
  return words.end();
}

/** A text with more Markdown marks than this is parsed in pieces, because the parser's time grows faster than the text. */
const MAX_MARKS = 500;
const MARKS = /[[\]()*_~|`<>:@#\\]/gu;
const PIECE_CHARACTERS = 1_000;

function* parsable(message: string): Generator<string> {
  if ((message.match(MARKS)?.length ?? 0) <= MAX_MARKS) return yield message;
  for (let rest = message; rest !== ''; ) {
    const piece = cutAt(rest, PIECE_CHARACTERS);
    yield piece;
    rest = rest.slice(piece.length);
  }
}

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

const UNSPOKEN = new Set(['EmphasisMark', 'StrikethroughMark', 'CodeMark', 'LineMark']);
/** Markdown nodes that are announced in a sentence of their own. */
const SENTENCES: Readonly<Record<string, Text>> = {
  QuoteStart: text('readable.quote'),
  CodeBlock: text('readable.code-block'),
};
/** Markdown nodes that are announced by a word within the sentence. */
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

/** Brackets without a web address are not a Markdown link but text, which may be a speech tag such as `[laugh]`. */
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
  // Words of a link that look like an address are left out: listeners would take them for the link's target.
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

/** Maximum number of named emoji in a row; the number of further emoji is announced. */
const NAMED_IN_A_ROW = 5;

const segmenter = new Intl.Segmenter();
/** Matches text that needs a space between a name or announcement and itself. Commas and full stops need no space. */
const GOES_ON = /^[\p{L}\p{N}\p{S}\p{Ps}\p{Pi}@#&]/u;
const SETTLED = /(?:^|[\s\p{Ps}\p{Pi}"'#@])$/u;

interface EmojiBudget {
  left: number;
}

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
    // When a message's limit of named emoji is used up, a further row of emoji is silent.
    if (unnamed > 0 && named.length > 0) words.push(render(text('readable.more-emoji', { count: unnamed }), locale));
    setApart(words.join(', '));
  };
  const plain = (written: string) => {
    // Spaces between emoji do not end a row of emoji.
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
    word(announced: string): void {
      endRow();
      setApart(announced);
    },
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
