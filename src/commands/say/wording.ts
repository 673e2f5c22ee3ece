import type { Message } from 'discord.js';
import { type MentionedNames, mentionedNames } from '../../discord/messages/member-names.ts';
import { readableParts } from '../../discord/messages/readable-parts.ts';
import { voiceLabel } from '../../discord/replies/quote.ts';
import { UserError } from '../../errors/user-errors.ts';
import type { SpeechOrder } from '../../services/queue/queue-item.ts';
import type { ServerRules } from '../../services/servers/server-rules.ts';
import { isServers, type KeptVoice, keptVoices, type Preferences } from '../../services/voices/preferences.ts';
import { localeToSpeak, type VoicedPassage } from '../../services/voices/voice-choice.ts';
import { modelRules } from '../../speech/interface/models.ts';
import type { Voice } from '../../speech/interface/schemas.ts';
import { isSpeakable, parseTags } from '../../speech/interface/tags.ts';
import { tagsOf } from '../../speech/request.ts';
import { type Text, text } from '../../texts/catalog.ts';
import type { SpeakCall } from '../framework/command.ts';
import {
  areKanjiTo,
  chooseFreshly,
  foreignLine,
  insteadOfLine,
  languageMissed,
  languageOfWords,
  languageToTell,
} from '../voice-options/voice-option.ts';

/** What decides the voice and the wording of a text besides its order. */
export interface Casting {
  /** The writer's. */
  readonly preferences: Preferences;
  readonly rules: ServerRules;
}

/** The words of an order as they are spoken, with their voices. */
export interface Cast {
  /** One, unless it is a script: adjacent lines of one voice and language are one passage. Never empty. */
  readonly passages: readonly VoicedPassage[];
  /** What its reply says of them. */
  readonly notes: readonly Text[];
  readonly isBleeped: boolean;
}

/** Words as they are spoken. */
interface Spoken {
  readonly words: string;
  readonly isBleeped: boolean;
}

/** The words of an order, and the voice for them. Rejects with a BlockedWordError, or a UserError that says why nobody can speak it. */
export async function castWords(call: SpeakCall, order: SpeechOrder, { preferences, rules }: Casting): Promise<Cast> {
  const { services } = call;
  const language = order.language ?? (await languageOfWords(call, order.words, preferences));
  const kept = keptVoices(preferences, language);
  // What is wrong with a text is known without the service: it may be slow, or down.
  const asked = { asked: order.voice, kept, rules, language: order.language };
  const locale = localeToSpeak(language, services.voices.known(), asked);
  const spoken = await wordsToSpeak(call, order, locale === undefined ? rules : { ...rules, language: locale });
  const { words: input, isBleeped } = spoken;
  mustFit(input, order, rules);
  const areKanji = order.language === undefined ? areKanjiTo(call, input, preferences) : order.language === 'ja';
  const chosen = await chooseFreshly(services, { ...asked, words: input, areKanji });
  const { voice, vanished, insteadOf } = chosen;
  const told = order.language ?? languageToTell(call, input, { voice, language, preferences });
  const missed = order.language ?? (await languageMissed(call, input, chosen, { preferences, rules }));
  const foreign = order.language === undefined ? 'say.foreign-language' : 'say.foreign-chosen';
  const notes = [...vanished.map(goneLine), ...foreignLine(voice, missed, foreign)];
  if (insteadOf) notes.push(insteadOfLine(insteadOf, voice, order.language));
  return { passages: [{ input, voice, language: told }], notes, isBleeped };
}

const goneLine = ({ source, choice }: KeptVoice): Text =>
  text(isServers(source) ? 'say.default-gone' : 'say.own-gone', { voice: voiceLabel(choice) });

/** Emoji, names and the dictionary can make more words of a text than were typed. */
export function mustFit({ length }: string, { words }: SpeechOrder, { maxCharacters: limit }: ServerRules): void {
  const counted = length > words.length ? 'spoken' : 'typed';
  if (length > limit) throw new UserError(text('say.too-long', { length, limit, counted }));
}

/** The words of an order as they are spoken. Rejects with a BlockedWordError, or a UserError where nothing is left of them. */
export async function wordsToSpeak(call: SpeakCall, order: SpeechOrder, rules: ServerRules): Promise<Spoken> {
  const where = whereOf(call, order, rules);
  const words = order.from === 'message' ? order.words : await readableWords(call, order.words, where);
  const spoken = await call.services.texts.ofReadable(words, where);
  return mustBeSpeakable(spoken, words);
}

/** The same for the lines of a script, each by itself; the names in all of them are looked up once. */
export async function linesToSpeak(
  call: SpeakCall,
  order: SpeechOrder,
  lines: readonly string[],
  rules: ServerRules,
): Promise<readonly Spoken[]> {
  const where = whereOf(call, order, rules);
  const names = await namesFor(call, order.words);
  const readable: { words: string; locale: string }[] = [];
  for (const line of lines) {
    call.signal.throwIfAborted();
    readable.push({ words: await readableWords(call, line, where, names), locale: where.locale });
  }
  const spoken = await call.services.texts.ofLines(readable, where);
  return spoken.map((line, index) => mustBeSpeakable(line, readable[index]?.words ?? ''));
}

function mustBeSpeakable(spoken: Spoken, words: string): Spoken {
  if (isSpeakable(spoken.words)) return spoken;
  throw new UserError(text(isSpeakable(words) ? 'say.silenced' : 'say.empty'));
}

function whereOf(call: SpeakCall, order: SpeechOrder, rules: ServerRules) {
  return {
    guildId: call.interaction.inCachedGuild() ? call.interaction.guildId : undefined,
    locale: localeOf(call, order, rules),
    tags: order.from === 'own' ? 'keep' : 'remove',
  } as const;
}

/** The language of announcing words: the server's if others hear them, otherwise the caller's own. */
function localeOf({ interaction }: SpeakCall, { as, privately }: SpeechOrder, { language }: ServerRules): string {
  if (privately && as !== 'voice') return interaction.locale;
  return language ?? interaction.guildLocale ?? interaction.locale;
}

async function readableWords(
  call: SpeakCall,
  written: string,
  { locale, tags }: { readonly locale: string; readonly tags: 'keep' | 'remove' },
  names?: MentionedNames,
): Promise<string> {
  const { interaction, services } = call;
  const context = { ...(names ?? (await namesFor(call, written))), locale, tags, now: interaction.createdTimestamp };
  return services.texts.asReadable(written, context, interaction.guildId ?? undefined);
}

/** The names of what a text mentions, for the caller to see. */
export function namesFor(
  { interaction, services, signal }: SpeakCall,
  words: string,
  mentioned?: MentionedNames['users'],
): Promise<MentionedNames> {
  const { guild, client } = interaction;
  const reader = interaction.inCachedGuild() ? interaction.member : null;
  const { spokenNames } = services.voices;
  return mentionedNames({ words, client, guild, reader, spokenNames, signal, mentioned });
}

/** The readable words of a member's message: its text, and the names of everything else on it. */
export async function messageWords(
  call: SpeakCall,
  message: Message,
  order: SpeechOrder,
  rules: ServerRules,
): Promise<string> {
  const { interaction, services } = call;
  const { content, mentioned, ...parts } = readableParts(message);
  const context = {
    ...(await namesFor(call, content, mentioned)),
    ...parts,
    locale: localeOf(call, order, rules),
    now: interaction.createdTimestamp,
    tags: 'remove',
  } as const;
  return services.texts.asReadable(content, context, interaction.guildId ?? undefined);
}

/**
 * Removes tags that a voice would read aloud, since they would cost money and spoil the text. Throws a UserError if the
 * text has nothing else.
 */
export function leaveOutTags(cast: Cast): Cast {
  const spoken = cast.passages.map((each) => ({ ...each, input: withoutReadTags(each.input, each.voice) }));
  const changed = cast.passages.find((each, index) => each.input !== spoken[index]?.input);
  if (!changed) return cast;
  const voice = voiceLabel(changed.voice);
  const passages = spoken.filter((each) => isSpeakable(each.input));
  if (passages.length === 0) throw new UserError(text('say.only-tags', { voice }));
  return { ...cast, passages, notes: [...cast.notes, text('say.tags-ignored', { voice })] };
}

/** The tags with a name of their own for which /tags gives an example (texts/en.ts): members try just these. */
const EXAMPLES: readonly string[] = ['[whispering]', '[cheerful]', '<sigh>', '<short pause>'];

/** Whether /say leaves tags out for a voice. For one of an engine, brackets may be words. */
export const leavesOutTags = (voice: Voice): boolean => modelRules(voice.model).known && tagsOf(voice) === 'none';

/** The tags of `ext` and the examples: other brackets may be words. */
function withoutReadTags(words: string, voice: Voice): string {
  if (!leavesOutTags(voice)) return words;
  const spoken = parseTags(words, 'closed')
    .map(({ kind, raw }) => {
      if (kind === 'instant' || EXAMPLES.includes(raw.toLowerCase())) return ' ';
      return kind === 'open' || kind === 'close' ? '' : raw;
    })
    .join('');
  return spoken === words ? words : spoken.replaceAll(/ {2,}/g, ' ').replaceAll(/^ +| +$/g, '');
}
