import { setImmediate as nextTurn } from 'node:timers/promises';
import { membersCalled } from '../../discord/messages/member-names.ts';
import { quote } from '../../discord/replies/quote.ts';
import { UserError } from '../../errors/user-errors.ts';
import {
  availablePreferences,
  choosesByLanguage,
  keptVoices,
  type Preferences,
  type VoiceRules,
} from '../../services/voices/preferences.ts';
import type { VoiceList } from '../../services/voices/voice-catalog.ts';
import {
  chooseVoice,
  localeToSpeak,
  type VoicedPassage,
  type VoiceOrders,
} from '../../services/voices/voice-choice.ts';
import { text } from '../../texts/catalog.ts';
import type { SpeakCall } from '../framework/command.ts';
import {
  areKanjiTo,
  type ChosenVoice,
  currentPreferences,
  languageOfWords,
  languageToTell,
  mustBeChosen,
} from '../voice-options/voice-option.ts';

/** What one speaker says in a script. */
export interface ScriptLine {
  /** A voice, or a member whose voice it is; as it was written. */
  readonly speaker: string;
  readonly words: string;
}

/** The maximum length of a voice's name with its model. */
const LONGEST_SPEAKER = 80;
/** A colon in 10:30 or https://… does not count. */
const COLON = '(?:(?<!\\p{Nd})[:：]|[:：](?!\\p{Nd}))(?!//)';
const LINE = new RegExp(`^\\s*([^\\s:：<][^:：<]{0,${LONGEST_SPEAKER - 1}})${COLON}\\s*(.*)$`, 'u');
/**
 * Finds the name within a line: the last word before the colon. The search does not restart at each letter of a word.
 */
const NAME_WITHIN = new RegExp(`(?<![\\p{L}\\p{N}_-])([\\p{L}\\p{N}_-]+)\\s*${COLON}`, 'gu');
/** A smiley or an emoji's name, as in :) and :wave:, is not a speaker. */
const WITHOUT_NAME = /^\s*(?:：|:(?:\s|$))/;
const LINE_END = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/u;
/** Each may be a paid request of its own. */
const MOST_LINES = 50;
/** Names of one script that Discord is asked for. */
const MOST_ASKED_FOR = 10;
const SHOWN_NAMES = 5;

/** Lines of the form `NAME: words`; one without a name goes on with the words of the line before. */
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
  if (lines.length > MOST_LINES) {
    throw new UserError(text('script.too-many-lines', { count: lines.length, limit: MOST_LINES }));
  }
  const [empty] = lines.filter(({ words }) => words.trim() === '');
  if (empty) throw new UserError(text('script.no-words', { name: quote(empty.speaker, 60) }));
  return lines;
}

/** The speaker of lines: a voice, or a member with their own voice. */
interface Speaker {
  /** By the language of a line. */
  orders(language: string | undefined): VoiceOrders;
  /** The preferences of the member that the line names. */
  readonly preferences?: Preferences;
}

type Speakers = ReadonlyMap<string, Speaker>;

export interface Cast {
  readonly list: VoiceList;
  readonly speakers: Speakers;
}

/** Finds the speakers. Rejects with a UserError that lists the unknown names, before anything is made. */
export async function castScript(call: SpeakCall, lines: readonly ScriptLine[], rules: VoiceRules): Promise<Cast> {
  const { voices } = call.services;
  const names = [...new Set(lines.map(({ speaker }) => speaker))];
  const [list, preferences] = await Promise.all([voices.list(), currentPreferences(call)]);
  const orders = { kept: keptVoices(preferences), rules };
  const named = await voicesNamed(names, list, orders);
  const members = await membersNamed(call, without(names, named));
  const unknown = without(without(names, named), members);
  const fresh = unknown.length > 0 ? await voices.refresh() : list;
  const found = await voicesNamed(unknown, fresh, orders, (name) => mentioned(name) ?? name);
  const speakers = new Map([...named, ...members, ...found]);
  const missing = without(names, speakers);
  if (missing.length > 0) {
    const shown = missing.slice(0, SHOWN_NAMES).map((name) => quote(name, 60));
    throw new UserError(text('script.unknown-names', { count: missing.length, names: { list: shown } }));
  }
  return { list: fresh, speakers };
}

/** Another voice's name that stands before a colon within the only line, where it is read aloud. */
export function nameWithin(lines: readonly ScriptLine[], { list: { voices } }: Cast): string | undefined {
  const [only, ...others] = lines;
  if (!only || others.length > 0) return undefined;
  const own = only.speaker.toLowerCase();
  const names = new Set(voices.map(({ name }) => name.toLowerCase()).filter((name) => name !== own));
  const written = [...only.words.matchAll(NAME_WITHIN)].map(([, name = '']) => name);
  return written.find((name) => names.has(name.toLowerCase()));
}

/** The name in '@bob', which a form turns into no mention. */
const mentioned = (name: string): string | undefined => /(?<=^@)\S.*/u.exec(name)?.[0];

const without = (names: readonly string[], found: Speakers): readonly string[] =>
  names.filter((name) => !found.has(name));

/** The names that are voices. Rejects with a UserError where one is not allowed, or ambiguous. */
async function voicesNamed(
  names: readonly string[],
  { voices }: VoiceList,
  orders: VoiceOrders,
  asked = (name: string) => name,
): Promise<Speakers> {
  const speakers = new Map<string, Speaker>();
  for (const name of names) {
    // Among hundreds of voices each takes its time, in which others have to have their turn.
    await nextTurn();
    const chosen = chooseVoice(voices, { ...orders, asked: asked(name) });
    if (chosen.kind === 'unknown') continue;
    const { id } = mustBeChosen(chosen).voice;
    speakers.set(name, { orders: () => ({ asked: id }) });
  }
  return speakers;
}

/** The names that are members of the server. */
async function membersNamed(call: SpeakCall, names: readonly string[]): Promise<Speakers> {
  const { interaction, services, signal } = call;
  const speakers = new Map<string, Speaker>();
  if (!interaction.inCachedGuild()) return speakers;
  const { guild, guildId } = interaction;
  let asked = 0;
  const mayAskDiscord = () => asked++ < MOST_ASKED_FOR;
  const find = async (name: string) => {
    const calls = { signal, log: services.log, mayAskDiscord };
    const plain = mentioned(name);
    let [member, ...others] = plain === undefined ? [] : await membersCalled(plain, guild, calls);
    // A name may begin with @.
    if (!member) [member, ...others] = await membersCalled(name, guild, calls);
    if (others.length > 0) throw new UserError(text('script.several-members', { name: quote(name, 60) }));
    if (!member) return;
    const preferences = await availablePreferences({ userId: member.id, guildId }, services);
    speakers.set(name, { preferences, orders: (language) => ({ kept: keptVoices(preferences, language) }) });
  };
  await Promise.all(names.map(find));
  return speakers;
}

interface CastOptions {
  readonly cast: Cast;
  /** The writer's. */
  readonly preferences: Preferences;
  readonly rules: VoiceRules;
}

const speakerOf = ({ speaker }: ScriptLine, { speakers }: Cast): Speaker => speakers.get(speaker) as Speaker;

/** Whether the language of a line matters to its writer, or to the member who speaks it. */
const isExamined = ({ preferences: member }: Speaker, { preferences }: CastOptions): boolean =>
  choosesByLanguage(preferences) || (member !== undefined && choosesByLanguage(member));

/** A line with its language (ISO 639-1), where that matters, and the locale of what is read out in it. */
export interface KnownLine extends ScriptLine {
  readonly language: string | undefined;
  /** Undefined: the one of any other text. */
  readonly locale: string | undefined;
}

/** The languages of the lines as they were written, each for itself. */
export async function languagesOfLines(
  call: SpeakCall,
  lines: readonly ScriptLine[],
  options: CastOptions,
): Promise<readonly KnownLine[]> {
  const known: KnownLine[] = [];
  for (const line of lines) {
    const speaker = speakerOf(line, options.cast);
    const language = await languageOfWords(call, line.words, options.preferences, isExamined(speaker, options));
    const orders = { ...speaker.orders(language), rules: options.rules };
    known.push({ ...line, language, locale: localeToSpeak(language, call.services.voices.known(), orders) });
  }
  return known;
}

/** Lines of a script, and the voice that would have spoken them, if it could. */
type CastPassage = VoicedPassage & Pick<ChosenVoice, 'insteadOf'>;

/**
 * Groups the lines by their voices, as for any text of that speaker; adjacent lines of one voice and language are one
 * passage. Throws a UserError if a line cannot be spoken.
 */
export function voicesOfLines(
  call: SpeakCall,
  lines: readonly KnownLine[],
  options: CastOptions,
): readonly CastPassage[] {
  return joined(lines.map((line) => voiceOfLine(call, line, options)));
}

function voiceOfLine(call: SpeakCall, line: KnownLine, { cast, preferences, rules }: CastOptions): CastPassage {
  const { words, language } = line;
  const areKanji = areKanjiTo(call, words, preferences);
  const orders = { ...speakerOf(line, cast).orders(language), rules, words, areKanji };
  const { voice, insteadOf } = mustBeChosen(chooseVoice(cast.list.voices, orders));
  return { input: words, voice, language: languageToTell(call, words, { voice, language, preferences }), insteadOf };
}

function joined(passages: readonly CastPassage[]): readonly CastPassage[] {
  const long: CastPassage[] = [];
  for (const passage of passages) {
    const last = long.at(-1);
    const isOne = last?.voice.id === passage.voice.id && toldOf(last) === toldOf(passage);
    if (last && isOne) long[long.length - 1] = { ...last, input: last.input + passage.input };
    else long.push(passage);
  }
  return long;
}

const toldOf = ({ voice, language }: VoicedPassage): string | undefined =>
  voice.takes_language ? language : undefined;
