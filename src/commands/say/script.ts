import { setImmediate as nextTurn } from 'node:timers/promises';
import { membersCalled } from '../../discord/messages/member-names.ts';
import { quote } from '../../discord/replies/quote.ts';
import { UserError } from '../../errors/user-errors.ts';
import type { SpeechOrder } from '../../services/queue/queue-item.ts';
import {
  availablePreferences,
  choosesByLanguage,
  keptVoices,
  type Preferences,
} from '../../services/voices/preferences.ts';
import type { VoiceList } from '../../services/voices/voice-catalog.ts';
import { chooseVoice, type VoicedPassage, type VoiceOrders } from '../../services/voices/voice-choice.ts';
import { type Text, text } from '../../texts/catalog.ts';
import type { SpeakCall } from '../framework/command.ts';
import {
  areKanjiTo,
  insteadOfLine,
  languageOfWords,
  languageToTell,
  mustBeChosen,
} from '../voice-options/voice-option.ts';
import { type Cast, type Casting, linesToSpeak, mustFit } from './wording.ts';

/** What one speaker says in a script. */
interface ScriptLine {
  /** A voice, or a member whose voice it is; as it was written. */
  readonly speaker: string;
  readonly words: string;
}

/** The maximum length of a voice's name with its model. */
const LONGEST_SPEAKER = 80;
/** A colon in 10:30 or https://… does not count. */
const COLON = '(?:(?<!\\p{Nd})[:：]|[:：](?!\\p{Nd}))(?!//)';
const LINE = new RegExp(`^\\s*([^\\s:：<][^:：<]{0,${LONGEST_SPEAKER - 1}})${COLON}\\s*(.*)$`, 'u');
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
  if (lines.length === 0) throw new UserError(text('say.empty'));
  if (lines.length > MOST_LINES) {
    throw new UserError(text('script.too-many-lines', { count: lines.length, limit: MOST_LINES }));
  }
  const empty = lines.find(({ words }) => words.trim() === '');
  if (empty) throw new UserError(text('script.no-words', { name: quote(empty.speaker, 60) }));
  return lines;
}

/** The lines of a script as they are spoken, each by its speaker's voice, as any text of that speaker. */
export async function castScript(call: SpeakCall, order: SpeechOrder, casting: Casting): Promise<Cast> {
  const { preferences, rules } = casting;
  const lines = readScript(order.words);
  const { list, speakers } = await findSpeakers(call, lines, casting);
  const spoken = await linesToSpeak(
    call,
    order,
    lines.map(({ words }) => words),
    rules,
  );
  mustFit(spoken.map(({ words }) => `${words}\n`).join(''), order, rules);
  const passages: VoicedPassage[] = [];
  const notes: Text[] = [];
  for (const [index, { speaker: name, words: written }] of lines.entries()) {
    const speaker = speakers.get(name) as Speaker;
    const input = `${spoken[index]?.words}\n`;
    // The language of a line matters to its writer, or to the member who speaks it.
    const isExamined = [preferences, ...speaker.members].some(choosesByLanguage);
    const language = await languageOfWords(call, written, preferences, isExamined);
    const areKanji = areKanjiTo(call, input, preferences);
    const chosen = chooseVoice(list.voices, { ...speaker.orders(language), rules, words: input, areKanji });
    const { voice, insteadOf } = mustBeChosen(chosen);
    if (insteadOf && notes.length === 0) notes.push(insteadOfLine(insteadOf, voice, order.language));
    const told = languageToTell(call, input, { voice, language, preferences });
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

/** The speaker of lines: a voice, or a member with their own voice. */
interface Speaker {
  /** By the language of a line. */
  orders(language: string | undefined): VoiceOrders;
  /** The preferences of the member that a line names; empty for a voice. */
  readonly members: readonly Preferences[];
}

type Speakers = ReadonlyMap<string, Speaker>;

/** Rejects with a UserError that lists the unknown names, before anything is made. */
async function findSpeakers(
  call: SpeakCall,
  lines: readonly ScriptLine[],
  { preferences, rules }: Casting,
): Promise<{ readonly list: VoiceList; readonly speakers: Speakers }> {
  const { voices } = call.services;
  const names = [...new Set(lines.map(({ speaker }) => speaker))];
  const list = await voices.list();
  const orders = { kept: keptVoices(preferences), rules };
  const named = await voicesNamed(names, list, orders);
  const members = await membersNamed(call, without(names, named));
  const unknown = without(without(names, named), members);
  const fresh = unknown.length > 0 ? await voices.refresh() : list;
  const found = await voicesNamed(unknown, fresh, orders, (name) => mentioned(name) ?? name);
  const speakers = new Map([...named, ...members, ...found]);
  const missing = without(names, speakers);
  if (missing.length === 0) return { list: fresh, speakers };
  const shown = missing.slice(0, SHOWN_NAMES).map((name) => quote(name, 60));
  throw new UserError(text('script.unknown-names', { count: missing.length, names: { list: shown } }));
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
    speakers.set(name, { orders: () => ({ asked: id }), members: [] });
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
  const calls = { signal, log: services.log, mayAskDiscord: () => asked++ < MOST_ASKED_FOR };
  const find = async (name: string) => {
    const plain = mentioned(name);
    let [member, ...others] = plain === undefined ? [] : await membersCalled(plain, guild, calls);
    // A name may begin with @.
    if (!member) [member, ...others] = await membersCalled(name, guild, calls);
    if (others.length > 0) throw new UserError(text('script.several-members', { name: quote(name, 60) }));
    if (!member) return;
    const own = await availablePreferences({ userId: member.id, guildId }, services);
    speakers.set(name, { members: [own], orders: (language) => ({ kept: keptVoices(own, language) }) });
  };
  await Promise.all(names.map(find));
  return speakers;
}
