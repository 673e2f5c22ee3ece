import type { Guild } from 'discord.js';
import { quote } from '../../discord/replies/quote.ts';
import { UserError } from '../../errors/user-errors.ts';
import { keptPreferences, keptVoices } from '../../services/voices/preferences.ts';
import type { VoiceList } from '../../services/voices/voice-catalogue.ts';
import { chooseVoice, type VoicedPassage, type VoiceRules } from '../../services/voices/voice-choice.ts';
import type { Voice } from '../../speech/interface/schemas.ts';
import { text } from '../../texts/catalogue.ts';
import { mustBeChosen } from '../voice-options/voice-option.ts';
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
  const [empty] = lines.filter(({ words }) => words.trim() === '');
  if (empty) throw new UserError(text('script.no-words', { name: quote(empty.speaker, 60) }));
  return lines;
}

/** Each line with its voice. Rejects with a UserError that lists the names which are nobody's, before anything is made. */
export async function castScript(
  call: SpeakCall,
  lines: readonly ScriptLine[],
  { list, rules }: { readonly list: VoiceList; readonly rules: VoiceRules },
): Promise<readonly VoicedPassage[]> {
  const names = [...new Set(lines.map(({ speaker }) => speaker))];
  const voices = new Map<string, Voice>();
  for (const name of names) {
    const voice = await voiceOf(name, call, { list, rules });
    if (voice) voices.set(name, voice);
  }
  const unknown = names.filter((name) => !voices.has(name));
  if (unknown.length > 0) {
    const shown = unknown.slice(0, SHOWN_NAMES).map((name) => quote(name, 60));
    throw new UserError(text('script.unknown-names', { count: unknown.length, names: { list: shown } }));
  }
  return lines.map(({ speaker, words }) => ({ input: words, voice: voices.get(speaker) as Voice }));
}

/** Of that voice, or of the member who is called so; undefined where there is neither. */
async function voiceOf(
  name: string,
  { interaction, services }: SpeakCall,
  { list: { voices }, rules }: { readonly list: VoiceList; readonly rules: VoiceRules },
): Promise<Voice | undefined> {
  const named = chooseVoice(voices, { asked: name, rules });
  if (named.kind !== 'unknown') return mustBeChosen(named).voice;
  const userId = interaction.inCachedGuild() ? memberCalled(name, interaction.guild) : undefined;
  if (userId === undefined) return undefined;
  const preferences = await keptPreferences({ userId, guildId: interaction.guildId ?? undefined }, services);
  return mustBeChosen(chooseVoice(voices, { kept: keptVoices(preferences), rules })).voice;
}

function memberCalled(name: string, { members }: Guild): string | undefined {
  const wanted = name.toLowerCase();
  return members.cache.find(
    ({ displayName, user }) => displayName.toLowerCase() === wanted || user.username.toLowerCase() === wanted,
  )?.id;
}
