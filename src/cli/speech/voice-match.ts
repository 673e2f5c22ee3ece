import { unspeakableWords, writtenWords } from '../../language/speakable-words.ts';
import type { SpeechClient } from '../../speech/client/client.ts';
import { languagesOfVoice } from '../../speech/interface/languages.ts';
import { canonicalModelId, MODEL_IDS, modelRules, spokenText } from '../../speech/interface/models.ts';
import { formatsOf, listedVoice, type Voice, type VoiceSelection } from '../../speech/interface/schemas.ts';
import { rankVoices, resolveVoice } from '../../speech/voice-search.ts';
import { plain, unavailable, usageError } from '../terminal/terminal.ts';

export interface VoiceFlags {
  readonly voice?: string;
  readonly modelId?: string;
  readonly voiceId?: string;
}

export interface MatchedVoice {
  readonly selection: VoiceSelection;
  readonly name: string;
  readonly model: string | undefined;
  /** True if the user named no voice. */
  readonly isDefault: boolean;
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Undefined if the flags alone do not determine the voice. Throws for empty, invalid or contradicting flags. */
export function namedVoice(flags: VoiceFlags): MatchedVoice | undefined {
  const { voice, modelId, voiceId } = flags;
  for (const [flag, value] of Object.entries({ '--voice': voice, '--model-id': modelId, '--voice-id': voiceId })) {
    if (value?.trim() === '') throw usageError(`${flag} is empty.`);
  }
  if (voiceId !== undefined) {
    const other = voice !== undefined ? '--voice' : modelId !== undefined ? '--model-id' : undefined;
    if (other !== undefined) throw usageError(`--voice-id cannot be combined with ${other}.`);
    const id = voiceId.trim();
    if (!UUID.test(id)) {
      throw usageError(`--voice-id "${plain(id)}" is not a UUID.`, 'voice voices lists the ids; -v takes a name.');
    }
    return { selection: { kind: 'id', voiceId: id }, name: id, model: undefined, isDefault: false };
  }
  if (voice === undefined || modelId === undefined) return undefined;
  const model = modelMeant(modelId);
  return { selection: { kind: 'name', voice, model }, name: voice, model, isDefault: false };
}

function modelMeant(typed: string): string {
  const id = canonicalModelId(typed);
  return MODEL_IDS.find((known) => known === id.toLowerCase()) ?? id;
}

const ofModelNamed = (model: string, voices: readonly Voice[]): Voice[] =>
  voices.filter((voice) => voice.model.toLowerCase() === model.toLowerCase());

/** A short deadline for lists that only add details about a known voice. */
export const LIST_DEADLINE_MS = 5_000;

interface Wish {
  readonly format: string | undefined;
  readonly style: string | undefined;
  readonly text: string;
  readonly signal: AbortSignal;
}

/** The first 10,000 characters of a text show well enough if a voice can read the text's letters. */
const EXAMINED_CHARACTERS = 10_000;

const lettersIn = (text: string): number => text.match(/\p{L}/gu)?.length ?? 0;

/** Throws for a text mostly in letters that the voice cannot read: voices spell out or skip them, and bill them. */
function mustRead(text: string, voice: Voice | undefined): void {
  const languages = voice && languagesOfVoice(voice);
  if (voice === undefined || languages === undefined) return;
  const spoken = spokenText(text.slice(0, EXAMINED_CHARACTERS), modelRules(voice.model).tags);
  const unread = unspeakableWords(writtenWords(spoken), languages).join('');
  if (lettersIn(unread) * 2 <= lettersIn(spoken)) return;
  throw usageError(
    `${plain(`${voice.name} (${voice.model})`)} cannot read the letters of this text; nothing was spent.`,
    'voice voices lists the voices and their languages.',
  );
}

/**
 * Loads no list of voices for a named voice whose model and format Crier knows, if no style is wanted. A list that only
 * adds details may fail to load. Throws if the list shows that the voice cannot read the text.
 */
export async function matchVoice(client: SpeechClient, flags: VoiceFlags, wish: Wish): Promise<MatchedVoice> {
  const { format, style, text, signal } = wish;
  const named = namedVoice(flags);
  const isMade = format === undefined || (named && formatsOf(named.selection).includes(format));
  if (named?.selection.kind === 'name' && isMade) {
    const { known, style: takesStyle } = modelRules(named.model);
    if (known && !(style && takesStyle)) return named;
    const listed = await client.voices({ signal, deadlineMs: LIST_DEADLINE_MS }).catch(() => undefined);
    signal.throwIfAborted();
    const voices = listed?.voices ?? [];
    mustRead(text, listedAs(named, voices));
    return inItsCase(named, voices) ?? named;
  }
  const { voices } = await client.voices({ signal });
  if (named === undefined) mustHaveVoices(voices);
  const known = named && listedAs(named, voices);
  // A voice that the service does not list may still exist, so it is requested, and the service decides.
  const matched = known ? byId(known) : (named ?? chosenFrom(voices, flags, format));
  mustRead(text, listedAs(matched, voices));
  return matched;
}

/** Throws if the service lists no voice at all, which is probably an outage and no mistake of the user. */
export function mustHaveVoices(voices: readonly Voice[]): void {
  if (voices.length > 0) return;
  throw unavailable('The service has no voices at the moment: its engine may be down.', 'Try again later.');
}

function chosenFrom(voices: readonly Voice[], flags: VoiceFlags, format: string | undefined): MatchedVoice {
  if (flags.voice !== undefined) return byName(flags.voice, voices);
  const model = flags.modelId === undefined ? undefined : modelMeant(flags.modelId);
  const ofModel = model === undefined ? voices : ofModelNamed(model, voices);
  const first = ofModel.find(({ formats }) => format !== undefined && formats.includes(format)) ?? ofModel[0];
  if (first !== undefined) return { ...byId(first), isDefault: true };
  throw usageError(`The service has no voices of the model "${model}".`, 'voice models lists the models.');
}

function listedAs({ selection }: MatchedVoice, voices: readonly Voice[]): Voice | undefined {
  if (selection.kind === 'id') return voices.find(({ id }) => id.toLowerCase() === selection.voiceId.toLowerCase());
  const found = resolveVoice(selection.voice, ofModelNamed(selection.model, voices));
  return found.kind === 'unique' ? found.voice : undefined;
}

/** The voice with upper and lower case as in the service's list; undefined if the list lacks it. */
export function inItsCase(named: MatchedVoice, voices: readonly Voice[]): MatchedVoice | undefined {
  const known = named.selection.kind === 'name' ? listedAs(named, voices) : undefined;
  return known && byId(known);
}

function byId(voice: Voice): MatchedVoice {
  const { name, model } = voice;
  return { selection: listedVoice(voice), name, model, isDefault: false };
}

function byName(name: string, voices: readonly Voice[]): MatchedVoice {
  const found = resolveVoice(name, voices);
  if (found.kind === 'ambiguous') {
    const models = found.candidates.map((voice) => plain(`-m ${voice.model}`)).join(', ');
    throw usageError(`Several models have a voice "${name}".`, `Choose one: ${models}.`);
  }
  if (found.kind !== 'unknown') return byId(found.voice);
  throw usageError(`The service has no voice "${name}".`, suggestionText(found.suggestions));
}

export function suggestVoices(name: string, model: string | undefined, voices: readonly Voice[]): string {
  const sameName = voices.filter((voice) => voice.name === name);
  const ofModel = rankVoices('', sameName).slice(0, 5);
  if (ofModel.length > 0) return suggestionText(ofModel);
  const found = resolveVoice(name, model === undefined ? voices : voices.filter((voice) => voice.model === model));
  return suggestionText(
    found.kind === 'unknown' ? found.suggestions : found.kind === 'ambiguous' ? found.candidates : [found.voice],
  );
}

function suggestionText(voices: readonly Voice[]): string {
  if (voices.length === 0) return 'voice voices lists them.';
  const names = voices.map((voice) => plain(`${voice.name} (${voice.model})`));
  return `Did you mean ${names.join(', ')}? voice voices lists all.`;
}
