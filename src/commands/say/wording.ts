import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Message } from 'discord.js';
import { membersCalled, mentionedNames, readableParts } from '../../discord/messages/readable-parts.ts';
import { quote, voiceName } from '../../discord/replies/layout.ts';
import { UserError } from '../../errors/user-errors.ts';
import { areKanji, languageOfText, provenLanguage } from '../../language/detection.ts';
import type { SpeechOrder } from '../../services/queue/queue-item.ts';
import type { ServerRules } from '../../services/servers/admission.ts';
import type { Names } from '../../services/text/readable/readable.ts';
import {
  availablePreferences,
  choosesByLanguage,
  isServers,
  keptVoices,
  languageFor,
  likelyLanguages,
  type Preferences,
  SPOKEN_LANGUAGES,
  speaksLanguage,
  voicesUnder,
} from '../../services/voices/preferences.ts';
import type { VoiceList } from '../../services/voices/voice-catalog.ts';
import { chooseVoice, localeToSpeak, type VoiceOrders } from '../../services/voices/voice-choice.ts';
import { isSpeakable, modelRules, parseTags } from '../../speech/interface/models.ts';
import { tagsOf, type Voice } from '../../speech/interface/schemas.ts';
import { type Text, text } from '../../texts/catalog.ts';
import type { SpeakCall } from '../framework/command.ts';
import { chooseFreshly, foreignLine, insteadOfLine, mustBeChosen } from '../voice-options/voice-option.ts';

interface Casting {
  readonly preferences: Preferences;
  readonly rules: ServerRules;
}

interface VoicedPassage {
  readonly input: string;
  readonly voice: Voice;
  readonly language: string | undefined;
}

interface Cast {
  /** At least one passage: a whole text or, in a script, adjacent lines with the same voice and language. */
  readonly passages: readonly VoicedPassage[];
  readonly notes: readonly Text[];
  readonly isBleeped: boolean;
}

/** Rejects with a BlockedWordError, or with a UserError, for example if no voice can speak the text. */
export async function castWords(call: SpeakCall, order: SpeechOrder, { preferences, rules }: Casting): Promise<Cast> {
  const { services } = call;
  const likely = likelyFor(call, preferences);
  const isExamined = order.language === undefined && choosesByLanguage(preferences);
  const language = isExamined ? await languageOfText(order.words, likely) : order.language;
  const kept = keptVoices(preferences, language);
  // The speech service may be slow or down, so problems of the text are reported before it is asked for voices.
  const asked = { asked: order.voice, kept, rules, language: order.language };
  const locale = localeToSpeak(language, services.voices.known(), asked);
  const spoken = await wordsToSpeak(call, order, locale === undefined ? rules : { ...rules, language: locale });
  const { words: input, isBleeped } = spoken;
  mustFit(input, order, rules);
  // The event loop gets a turn between long looks at the whole text.
  await nextTurn();
  const isJapanese = order.language === undefined ? areKanji(input, likely) : order.language === 'ja';
  const chosen = await chooseFreshly(services, { ...asked, words: input, areKanji: isJapanese });
  const { voice, vanished, insteadOf } = chosen;
  const told = order.language ?? languageFor(voice, input, language, likely);
  const missed = order.language ?? (await missedLanguage(input, likely, chosen, rules));
  const gone = vanished.map(({ source, choice }) =>
    text(isServers(source) ? 'say.default-gone' : 'say.own-gone', { voice: voiceName(choice) }),
  );
  const notes = [...gone, ...foreignLine(voice, missed, order.language !== undefined)];
  if (insteadOf) notes.push(insteadOfLine(insteadOf, voice, order.language));
  return { passages: [{ input, voice, language: told }], notes, isBleeped };
}

const likelyFor = ({ interaction: { guildLocale, locale } }: SpeakCall, preferences: Preferences) =>
  likelyLanguages(preferences, guildLocale, locale);

/** The words' language if the voice that the caller asked for or that admins force does not speak it, but another allowed one does. */
async function missedLanguage(
  words: string,
  likely: readonly string[],
  { voice, source, list }: Awaited<ReturnType<typeof chooseFreshly>>,
  rules: ServerRules,
): Promise<string | undefined> {
  if (source !== 'option' && source !== 'forced') return undefined;
  if (SPOKEN_LANGUAGES.every((language) => speaksLanguage(voice, language))) return undefined;
  const language = await provenLanguage(words, likely);
  if (language === undefined || speaksLanguage(voice, language)) return undefined;
  return voicesUnder(rules, list).some((other) => speaksLanguage(other, language)) ? language : undefined;
}

/** Emoji, names and the dictionary can make a spoken text longer than the typed one. */
function mustFit({ length }: string, { words }: SpeechOrder, { maxCharacters: limit }: ServerRules): void {
  const counted = length > words.length ? 'spoken' : 'typed';
  if (length > limit) throw new UserError(text('say.too-long', { length, limit, counted }));
}

/**
 * Emoji, mentions and links become words, and the dictionary is applied. Rejects with a BlockedWordError, or with a
 * UserError if nothing is left to speak.
 */
export async function wordsToSpeak(call: SpeakCall, order: SpeechOrder, rules: ServerRules) {
  const { texts } = call.services;
  const where = whereOf(call, order, rules);
  let { words } = order;
  if (order.from !== 'message') {
    words = await texts.asReadable(words, { ...where, ...(await namesFor(call, words)) }, where.guildId);
  }
  return mustBeSpeakable(await texts.ofReadable(words, where), words);
}

async function linesToSpeak(call: SpeakCall, order: SpeechOrder, lines: readonly ScriptLine[], rules: ServerRules) {
  const { texts } = call.services;
  const where = whereOf(call, order, rules);
  const context = { ...where, ...(await namesFor(call, order.words)) };
  const readable: { words: string; locale: string }[] = [];
  for (const { words } of lines) {
    call.signal.throwIfAborted();
    readable.push({ words: await texts.asReadable(words, context, where.guildId), locale: where.locale });
  }
  const spoken = await texts.ofLines(readable, where);
  return spoken.map((line, index) => mustBeSpeakable(line, readable[index]?.words ?? ''));
}

function mustBeSpeakable<Spoken extends { readonly words: string }>(spoken: Spoken, words: string): Spoken {
  if (isSpeakable(spoken.words)) return spoken;
  throw new UserError(text(isSpeakable(words) ? 'say.silenced' : 'say.empty'));
}

function whereOf({ interaction }: SpeakCall, { as, from, privately }: SpeechOrder, { language }: ServerRules) {
  const isHeardByOthers = !privately || as === 'voice';
  return {
    guildId: interaction.inCachedGuild() ? interaction.guildId : undefined,
    /** Added words such as “link to” are in the server's language if others hear the text, otherwise the caller's. */
    locale: (isHeardByOthers ? (language ?? interaction.guildLocale) : undefined) ?? interaction.locale,
    tags: from === 'own' ? 'keep' : 'remove',
    now: interaction.createdTimestamp,
  } as const;
}

/** The names of the members, roles and channels that a text mentions, as far as the caller may see them. */
export function namesFor({ interaction, services, signal }: SpeakCall, words: string, mentioned?: Names['users']) {
  const { guild, client } = interaction;
  const reader = interaction.inCachedGuild() ? interaction.member : null;
  const { spokenNames } = services.voices;
  return mentionedNames({ words, client, guild, reader, spokenNames, signal, mentioned });
}

export async function messageWords(
  call: SpeakCall,
  message: Message,
  order: SpeechOrder,
  rules: ServerRules,
): Promise<string> {
  const { content, mentioned, ...parts } = readableParts(message);
  const where = whereOf(call, order, rules);
  const context = { ...where, ...(await namesFor(call, content, mentioned)), ...parts };
  return call.services.texts.asReadable(content, context, where.guildId);
}

/** Removes tags that the voice would read aloud at a cost. Throws a UserError if the text consists only of such tags. */
export function leaveOutTags(cast: Cast): Cast {
  const spoken = cast.passages.map((each) => ({ ...each, input: withoutReadTags(each.input, each.voice) }));
  const changed = cast.passages.find((each, index) => each.input !== spoken[index]?.input);
  if (!changed) return cast;
  const voice = voiceName(changed.voice);
  const passages = spoken.filter((each) => isSpeakable(each.input));
  if (passages.length === 0) throw new UserError(text('say.only-tags', { voice }));
  return { ...cast, passages, notes: [...cast.notes, text('say.tags-ignored', { voice })] };
}

/** Members try exactly the tags that /tags shows as examples (in texts/en.ts). */
const EXAMPLES: readonly string[] = ['[whispering]', '[cheerful]', '<sigh>', '<short pause>'];

/**
 * True if the model is known to read tags aloud. With an unknown model, the brackets stay, because they may be words.
 */
export const leavesOutTags = (voice: Voice): boolean => modelRules(voice.model).known && tagsOf(voice) === 'none';

/** Removes known tags and the examples of /tags. Other text in brackets stays, because it may be meant as words. */
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

interface ScriptLine {
  /** A voice, or a member whose voice speaks the line. */
  readonly speaker: string;
  readonly words: string;
}

/** A speaker's name in a script has room for a voice's name with its model. */
const MAX_SPEAKER_CHARACTERS = 80;
/** Neither the colon in 10:30 nor the one in https://… ends a speaker's name. */
const COLON = '(?:(?<!\\p{Nd})[:：]|[:：](?!\\p{Nd}))(?!//)';
const LINE = new RegExp(`^\\s*([^\\s:：<][^:：<]{0,${MAX_SPEAKER_CHARACTERS - 1}})${COLON}\\s*(.*)$`, 'u');
/** Smileys such as :) and emoji names such as :wave: do not match. */
const WITHOUT_NAME = /^\s*(?:：|:(?:\s|$))/;
const LINE_END = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/u;
/** Scripts are limited to 50 lines, because each line may be a paid request of its own. */
const MAX_LINES = 50;
const MAX_ASKED_FOR = 10;
const SHOWN_NAMES = 5;

/** A line without a name continues the line before it. Throws a UserError for a malformed script. */
export function readScript(written: string): readonly ScriptLine[] {
  const lines: { speaker: string; words: string }[] = [];
  for (const line of written.split(LINE_END)) {
    if (line.trim() === '') continue;
    const [, speaker, words = ''] = LINE.exec(line) ?? [];
    const before = lines.at(-1);
    if (speaker !== undefined) lines.push({ speaker: speaker.trim(), words });
    else if (before && !WITHOUT_NAME.test(line)) before.words += `\n${line}`;
    else throw new UserError(text('script.no-name', { line: quote(line, 60) }));
  }
  if (lines.length === 0) throw new UserError(text('say.empty'));
  if (lines.length > MAX_LINES) {
    throw new UserError(text('script.too-many-lines', { count: lines.length, limit: MAX_LINES }));
  }
  const empty = lines.find(({ words }) => words.trim() === '');
  if (empty) throw new UserError(text('script.no-words', { name: quote(empty.speaker, 60) }));
  return lines;
}

export async function castScript(call: SpeakCall, order: SpeechOrder, casting: Casting): Promise<Cast> {
  const { preferences, rules } = casting;
  const likely = likelyFor(call, preferences);
  const lines = readScript(order.words);
  const { list, speakers } = await findSpeakers(call, lines, casting);
  const spoken = await linesToSpeak(call, order, lines, rules);
  mustFit(spoken.map(({ words }) => `${words}\n`).join(''), order, rules);
  const passages: VoicedPassage[] = [];
  const notes: Text[] = [];
  for (const [index, { speaker: name, words: written }] of lines.entries()) {
    const speaker = speakers.get(name) as Speaker;
    const input = `${spoken[index]?.words}\n`;
    // A script line's language only matters if the requester, or the member whose voice speaks the line, chose voices by language.
    const isExamined = [preferences, ...speaker.members].some(choosesByLanguage);
    const language = isExamined ? await languageOfText(written, likely) : undefined;
    const orders = { ...speaker.orders(language), rules, words: input, areKanji: areKanji(input, likely) };
    const { voice, insteadOf } = mustBeChosen(chooseVoice(list.voices, orders));
    if (insteadOf && notes.length === 0) notes.push(insteadOfLine(insteadOf, voice, order.language));
    const told = languageFor(voice, input, language, likely);
    const last = passages.at(-1);
    const isSame = last?.voice.id === voice.id && last.language === told;
    if (last && isSame) passages[passages.length - 1] = { ...last, input: last.input + input };
    else passages.push({ input, voice, language: told });
  }
  const isBleeped = spoken.some((line) => line.isBleeped);
  const [first, ...others] = passages;
  if (!first || others.length > 0) return { passages, notes: [], isBleeped };
  return { passages: [{ ...first, input: first.input.trim() }], notes, isBleeped };
}

interface Speaker {
  orders(language: string | undefined): VoiceOrders;
  /** The stored voice choices of the member whose voice speaks the line. Empty if the script's line names a voice. */
  readonly members: readonly Preferences[];
}

type Speakers = Map<string, Speaker>;

/** Rejects with a UserError that lists unknown names, before any audio is made. */
async function findSpeakers(call: SpeakCall, lines: readonly ScriptLine[], { preferences, rules }: Casting) {
  const { voices } = call.services;
  const orders = { kept: keptVoices(preferences), rules };
  const speakers: Speakers = new Map();
  const names = new Set(lines.map(({ speaker }) => speaker));
  const missing = () => [...names].filter((name) => !speakers.has(name));
  let list = await voices.list();
  await addVoices(speakers, missing(), list, orders);
  await addMembers(speakers, missing(), call);
  if (missing().length > 0) list = await voices.refresh();
  await addVoices(speakers, missing(), list, orders, (name) => mentioned(name) ?? name);
  const unknown = missing();
  if (unknown.length === 0) return { list, speakers };
  const shown = unknown.slice(0, SHOWN_NAMES).map((name) => quote(name, 60));
  throw new UserError(text('script.unknown-names', { count: unknown.length, names: { list: shown } }));
}

/** Discord does not turn '@bob', typed in a form, into a mention, so the bot looks up the name after the @. */
const mentioned = (name: string): string | undefined => /(?<=^@)\S.*/u.exec(name)?.[0];

/** Omits names that match no voice. Rejects with a UserError if a name is ambiguous or the voice is not allowed. */
async function addVoices(
  speakers: Speakers,
  names: readonly string[],
  { voices }: VoiceList,
  orders: VoiceOrders,
  asked = (name: string) => name,
): Promise<void> {
  for (const name of names) {
    // The event loop gets a turn before each search, because finding a voice among hundreds takes time.
    await nextTurn();
    const chosen = chooseVoice(voices, { ...orders, asked: asked(name) });
    if (chosen.kind === 'unknown') continue;
    const { id } = mustBeChosen(chosen).voice;
    speakers.set(name, { orders: () => ({ asked: id }), members: [] });
  }
}

async function addMembers(speakers: Speakers, names: readonly string[], call: SpeakCall): Promise<void> {
  const { interaction, services, signal } = call;
  if (!interaction.inCachedGuild()) return;
  const { guild, guildId, guildLocale } = interaction;
  let asked = 0;
  const calls = { signal, log: services.log, mayAskDiscord: () => asked++ < MAX_ASKED_FOR };
  const find = async (name: string) => {
    const plain = mentioned(name);
    let [member, ...others] = plain === undefined ? [] : await membersCalled(plain, guild, calls);
    // The name is also looked up as typed, because a member's real name may begin with @.
    if (!member) [member, ...others] = await membersCalled(name, guild, calls);
    if (others.length > 0) throw new UserError(text('script.several-members', { name: quote(name, 60) }));
    if (!member) return;
    const own = await availablePreferences({ userId: member.id, guildId, guildLocale }, services);
    speakers.set(name, { members: [own], orders: (language) => ({ kept: keptVoices(own, language) }) });
  };
  await Promise.all(names.map(find));
}
