import type { ServerRules } from '../services/servers/admission.ts';
import { BlockedWordError } from '../services/text/blocked-words.ts';
import { cutAt, firstGraphemes } from '../services/text/readable/characters.ts';
import { nameOr } from '../services/text/readable/names.ts';
import { isSpeakable } from '../speech/interface/models.ts';
import { render, text } from '../texts/catalog.ts';
import type { ChosenVoice, Naming } from './chosen-voice.ts';
import type { Author, Posted, ReadingServices } from './decision.ts';

interface LineNeeds {
  readonly chosen: ChosenVoice;
  readonly naming: Naming;
  readonly services: ReadingServices;
  readonly signal: AbortSignal;
}

/** Returns undefined if nothing in the message can be spoken. Rejects with a BlockedWordError. */
export async function spokenLine(
  message: Posted,
  serverRules: ServerRules,
  { chosen, naming, services, signal }: LineNeeds,
) {
  const { texts, voices } = services;
  const { guildId, content, attachments, stickers, replyTo, replyToId, author, guildLocale } = message;
  const language = await chosen.languageOf(content);
  const locale = chosen.localeOf(language) ?? serverRules.language ?? guildLocale;
  const repliedName = replyToId === undefined ? undefined : await voices.spokenNames.of(replyToId, guildId);
  const { words, isBleeped } = await texts.ofWritten(content, {
    ...(await message.names(signal)),
    guildId,
    locale,
    now: message.atMs,
    tags: 'remove',
    attachments,
    stickers,
    replyTo: replyTo === undefined ? undefined : (repliedName ?? replyTo),
  });
  if (!isSpeakable(words)) return undefined;
  // An author is identified by id and name, because a webhook can post under any name.
  const who = `${author.id} ${author.name}`;
  const isNamed = naming.isNamed(guildId, who, serverRules.autoReadNames);
  const name = isNamed ? await nameOf(author, guildId, locale, services) : undefined;
  const kind = replyTo !== undefined ? 'reply' : content.trim() === '' ? 'files' : 'text';
  /** Cuts the spoken text to this many characters, and adds that more was written. */
  const within = (limit: number) => lineOf({ words, name, kind, locale, limit });
  return { who, language, isBleeped, within };
}

async function nameOf(
  { id, name: displayed, kind }: Author,
  guildId: string,
  locale: string,
  { texts, voices }: ReadingServices,
): Promise<string> {
  const chosen = kind === 'member' ? await voices.spokenNames.of(id, guildId) : undefined;
  try {
    return (await texts.ofReadable(shortName(chosen ?? displayed, locale), { guildId, locale })).words;
  } catch (error) {
    // A blocked word in the author's name must not block the message.
    if (error instanceof BlockedWordError) return shortName('', locale);
    throw error;
  }
}

interface LineParts {
  readonly words: string;
  readonly name: string | undefined;
  /** 'reply': `words` begin with “replying to” and a name. 'files': the message has no text, and `words` describe its files or stickers. */
  readonly kind: 'text' | 'reply' | 'files';
  readonly locale: string;
  readonly limit: number;
}

/** Maximum graphemes of an author's name. Discord allows 32, but the beginning is enough to identify the author. */
const MAX_NAME = 20;

export function lineOf(parts: LineParts): string {
  const room = parts.limit - withName('', parts).length;
  return withName(shortened(parts.words, room, parts.locale), parts);
}

function withName(words: string, { name, kind, locale }: LineParts): string {
  if (name === undefined) return words;
  if (kind === 'files') return render(text('reading.sent', { name, words }), locale);
  return render(text(kind === 'reply' ? 'reading.replies' : 'reading.says', { name, words }), locale);
}

function shortened(words: string, room: number, locale: string): string {
  if (words.length <= room) return words;
  const more = ` ${render(text('reading.more'), locale)}`;
  const cut = cutAt(words, Math.max(1, room - more.length));
  const beforeLastWord = cut.replace(/\s+\S*$/u, '');
  // In languages without spaces between words, such as Chinese, the text is cut between any two graphemes.
  const kept = beforeLastWord.length > cut.length / 2 ? beforeLastWord : cut;
  return `${kept.replace(/[\s.,:;…-]+$/u, '')}${more}`;
}

export function shortName(name: string, locale: string): string {
  const spoken = nameOr(name, text('readable.somebody'), locale);
  const first = firstGraphemes(spoken, MAX_NAME);
  if (first === spoken) return spoken;
  const whole = first.replace(/\s+\S*$/u, '');
  return spoken[first.length] === ' ' || whole === '' ? first : whole;
}
