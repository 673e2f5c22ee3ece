import { withoutFaces } from '../../../language/faces.ts';
import { removeTags } from '../../../speech/interface/models.ts';
import { render, type Text, text } from '../../../texts/catalog.ts';
import type { Pause } from '../../time/slices.ts';
import { cleanCharacters, cutAt, dropDividers, dropJoiners, graphemes, joinLines, tameRepeats } from './characters.ts';
import { DISCORD_TOKEN, discordMarkdown } from './discord-markdown.ts';
import { bareEmoji, EMOJI, isEmoji, namesOfEmoji } from './emoji-names.ts';
import { LEFT_OVER_TOKEN, LEFT_OVER_URL, nameOr, spokenEmojiName, spokenLink, spokenName } from './names.ts';
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
 * Makes a message readable in short steps, between which other work can run. The dictionary calls this with an entry's
 * written form between two plain words, to test if the form changes.
 */
export async function readable(content: string, context: ReadableContext, ownNames: EmojiNames, pause: Pause) {
  const { locale } = context;
  await pause();
  const clean = cleanCharacters(cutAt(content, MAX_CONTENT));
  await pause();
  const words = await speakMarkdown(withoutFaces(clean), context, ownNames, pause);
  await pause();
  const lines = [
    context.replyTo === undefined
      ? ''
      : render(text('readable.reply', { name: nameOr(context.replyTo, text('readable.somebody'), locale) }), locale),
    tameRepeats(dropDividers(dropJoiners(words))),
    spokenAttachments(context),
  ];
  // Joining lines can form a speech tag or an address out of two lines, so these are removed last.
  await pause();
  return withoutEffect(joinLines(lines.join('\n')), context, pause);
}

/** The order in which models' speech tags are removed. 'closed' comes first: it knows `<soft>` and `</soft>` as one pair of tags. */
export const TAG_SYNTAXES = ['closed', 'square-open', 'angle-open'] as const;

/** Maximum rounds of removing speech tags and addresses. A removal may form a new one, but ordinary texts nest none. */
const ROUNDS = 4;

async function withoutEffect(words: string, { locale, tags }: ReadableContext, pause: Pause): Promise<string> {
  let result = words;
  for (let round = 0; round < ROUNDS; round++) {
    const before = result;
    result = result
      .replaceAll(LEFT_OVER_TOKEN, '')
      .replaceAll(LEFT_OVER_URL, (address) => ` ${spokenLink(address, locale)}`);
    if (tags === 'remove') {
      for (const syntax of TAG_SYNTAXES) {
        await pause();
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
  const kinds = Map.groupBy(attachments, kindOf);
  return enumerate(
    [
      ...[...kinds].map(([kind, { length: count }]) => render(text(kind, { count }), locale)),
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
  readonly emoji: { left: number };
  readonly ownNames: EmojiNames;
  readonly mentioned: Map<string, string>;
}

/** The spoken words of a message; a line break stands for a pause. */
async function speakMarkdown(message: string, context: ReadableContext, ownNames: EmojiNames, pause: Pause) {
  const emoji = { left: NAMED_EMOJI };
  const mentioned = new Map<string, string>();
  const words = spokenWords(context.locale, emoji, ownNames);
  for (const content of parsable(message)) {
    speakChildren(discordMarkdown.parse(content).topNode, words, { content, context, emoji, ownNames, mentioned });
    await pause();
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
/** Markdown nodes that are announced in a sentence of their own, or by a word within the sentence. */
const ANNOUNCED: Readonly<Record<string, { readonly as: 'sentence' | 'word'; readonly what: Text }>> = {
  QuoteStart: { as: 'sentence', what: text('readable.quote') },
  CodeBlock: { as: 'sentence', what: text('readable.code-block') },
  Spoiler: { as: 'word', what: text('readable.spoiler') },
  Everyone: { as: 'word', what: text('readable.everyone') },
  Here: { as: 'word', what: text('readable.here') },
};

function speakNode(node: Node, words: SpokenWords, speaking: Speaking): void {
  const { content, context } = speaking;
  const { name, from, to } = node;
  if (UNSPOKEN.has(name)) return;
  const announced = ANNOUNCED[name];
  if (announced) words[announced.as](render(announced.what, context.locale));
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
  if (channel !== undefined) {
    // The hyphens of a channel's name are spaces: 'off-topic' is two words.
    const name = context.channels(channel)?.replaceAll(/[-_]+/gu, ' ');
    return nameOr(name, text('readable.some-channel'), locale);
  }
  if (time !== undefined) return spokenTime(Number(time), style ?? 'f', context);
  if (command !== undefined) return render(text('readable.command', { name: spokenName(command, locale) }), locale);
  if (page !== undefined) return render(text('readable.server-page'), locale);
  return url === undefined ? '' : spokenLink(url, locale);
}

/** Maximum number of named emoji in a row; the number of further emoji is announced. */
const NAMED_IN_A_ROW = 5;

/** Matches text that needs a space between a name or announcement and itself. Commas and full stops need no space. */
const GOES_ON = /^[\p{L}\p{N}\p{S}\p{Ps}\p{Pi}@#&]/u;
const SETTLED = /(?:^|[\s\p{Ps}\p{Pi}"'#@])$/u;

function spokenWords(locale: string, budget: { left: number }, ownNames: EmojiNames) {
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
      for (const grapheme of graphemes(written)) {
        if (!isEmoji(grapheme)) {
          between += grapheme;
          continue;
        }
        plain(between);
        between = '';
        const own = ownNames.get(bareEmoji(grapheme));
        for (const name of own === undefined ? namesOfEmoji(grapheme, locale) : [own]) emoji(name);
      }
      plain(between);
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
