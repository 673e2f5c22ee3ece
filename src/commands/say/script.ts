import { membersCalled } from '../../discord/messages/members-by-name.ts';
import { quote } from '../../discord/replies/quote.ts';
import { UserError } from '../../errors/user-errors.ts';
import { availablePreferences, keptVoices } from '../../services/voices/preferences.ts';
import type { VoiceList } from '../../services/voices/voice-catalogue.ts';
import {
  chooseVoice,
  type VoicedPassage,
  type VoiceOrders,
  type VoiceRules,
} from '../../services/voices/voice-choice.ts';
import type { Voice } from '../../speech/interface/schemas.ts';
import { text } from '../../texts/catalogue.ts';
import { currentPreferences } from '../voice-options/member-preferences.ts';
import { languageOfWords, mustBeChosen } from '../voice-options/voice-option.ts';
import type { SpeakCall } from './speak-call.ts';

/** What one speaker says in a script. */
export interface ScriptLine {
  /** A voice, or a member whose voice it is; as it was written. */
  readonly speaker: string;
  readonly words: string;
}

/** As long as the name of a voice and its model may be. */
const LONGEST_SPEAKER = 80;
/** Not in 10:30, nor in https://…. */
const COLON = '(?:(?<!\\p{Nd})[:：]|[:：](?!\\p{Nd}))(?!//)';
const LINE = new RegExp(`^\\s*([^\\s:：<][^:：<]{0,${LONGEST_SPEAKER - 1}})${COLON}\\s*(.*)$`, 'u');
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
    else if (before) before.words += `\n${line}`;
    else throw new UserError(text('script.no-name', { line: quote(line, 60) }));
  }
  if (lines.length > MOST_LINES) {
    throw new UserError(text('script.too-many-lines', { count: lines.length, limit: MOST_LINES }));
  }
  const [empty] = lines.filter(({ words }) => words.trim() === '');
  if (empty) throw new UserError(text('script.no-words', { name: quote(empty.speaker, 60) }));
  return lines;
}

/** What a speaker says in all of their lines: it decides which voice can speak it. */
type Parts = ReadonlyMap<string, string>;

/**
 * The lines by their speakers' voices; neighbours of one voice are one passage. Rejects with a UserError that lists the
 * names which are nobody's, before anything is made.
 */
export async function castScript(
  call: SpeakCall,
  lines: readonly ScriptLine[],
  rules: VoiceRules,
): Promise<readonly VoicedPassage[]> {
  const parts = partsOf(lines);
  const { voices } = call.services;
  const [list, preferences] = await Promise.all([voices.list(), currentPreferences(call)]);
  const orders = { kept: keptVoices(preferences), rules };
  const named = voicesNamed(parts, list, orders);
  const members = await voicesOfMembers(call, without(parts, named), { list, rules });
  const unknown = without(without(parts, named), members);
  const fresh = unknown.size > 0 ? voicesNamed(unknown, await voices.refresh(), orders) : undefined;
  const cast = new Map([...named, ...members, ...(fresh ?? [])]);
  const missing = [...without(parts, cast).keys()];
  if (missing.length > 0) {
    const shown = missing.slice(0, SHOWN_NAMES).map((name) => quote(name, 60));
    throw new UserError(text('script.unknown-names', { count: missing.length, names: { list: shown } }));
  }
  return joined(lines.map(({ speaker, words }) => ({ input: words, voice: cast.get(speaker) as Voice })));
}

function partsOf(lines: readonly ScriptLine[]): Parts {
  const parts = new Map<string, string>();
  for (const { speaker, words } of lines) parts.set(speaker, (parts.get(speaker) ?? '') + words);
  return parts;
}

const without = (parts: Parts, cast: ReadonlyMap<string, Voice>): Parts =>
  new Map([...parts].filter(([name]) => !cast.has(name)));

type Cast = ReadonlyMap<string, Voice>;

/** Of the speakers that are voices. Throws a UserError where one is not allowed, ambiguous, or cannot speak the words. */
function voicesNamed(parts: Parts, { voices }: VoiceList, orders: VoiceOrders): Cast {
  const cast = new Map<string, Voice>();
  for (const [name, words] of parts) {
    const chosen = chooseVoice(voices, { ...orders, asked: name, words });
    if (chosen.kind !== 'unknown') cast.set(name, mustBeChosen(chosen).voice);
  }
  return cast;
}

/** Of the speakers that are members of the server. */
async function voicesOfMembers(
  call: SpeakCall,
  parts: Parts,
  { list: { voices }, rules }: { readonly list: VoiceList; readonly rules: VoiceRules },
): Promise<Cast> {
  const { interaction, services, signal } = call;
  const cast = new Map<string, Voice>();
  if (!interaction.inCachedGuild()) return cast;
  const { guild, guildId } = interaction;
  let asked = 0;
  const mayAskDiscord = () => asked++ < MOST_ASKED_FOR;
  const voiceOf = async ([name, words]: readonly [string, string]) => {
    const [member, ...others] = await membersCalled(name, guild, { signal, log: services.log, mayAskDiscord });
    if (others.length > 0) throw new UserError(text('script.several-members', { name: quote(name, 60) }));
    if (!member) return;
    const preferences = await availablePreferences({ userId: member.id, guildId }, services);
    const language = await languageOfWords(call, words, preferences);
    const chosen = chooseVoice(voices, { kept: keptVoices(preferences, language), rules, words });
    cast.set(name, mustBeChosen(chosen).voice);
  };
  await Promise.all([...parts].map(voiceOf));
  return cast;
}

function joined(passages: readonly VoicedPassage[]): readonly VoicedPassage[] {
  const long: { input: string; voice: Voice }[] = [];
  for (const { input, voice } of passages) {
    const last = long.at(-1);
    if (last?.voice.id === voice.id) last.input += input;
    else long.push({ input, voice });
  }
  return long;
}
