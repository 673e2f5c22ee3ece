import type { Voice } from '../../speech/interface/schemas.ts';
import { MAX_CHOICES, rankVoices, resolveVoice } from '../../speech/voice-search.ts';
import type { KeptVoice, Source } from './preferences.ts';

/** What came of choosing a voice: the one, or why there is none. */
export type Chosen =
  | {
      readonly kind: 'chosen';
      readonly voice: Voice;
      readonly source: Source;
      /** Those chosen beforehand that were passed over because they no longer exist. */
      readonly vanished: readonly KeptVoice[];
    }
  /** It exists, but admins do not want it used. */
  | { readonly kind: 'not-allowed'; readonly voice: Voice }
  | { readonly kind: 'unknown'; readonly asked: string; readonly suggestions: readonly Voice[] }
  | { readonly kind: 'ambiguous'; readonly asked: string; readonly candidates: readonly Voice[] }
  | { readonly kind: 'no-voices' };

/** What admins let be used: an absent list lets everything. */
export interface VoiceRules {
  readonly allowedModels?: readonly string[] | undefined;
  readonly allowedVoices?: readonly { readonly voiceId: string }[] | undefined;
}

export function isAllowed({ id, model }: Voice, { allowedModels, allowedVoices }: VoiceRules): boolean {
  if (allowedModels && !allowedModels.includes(model)) return false;
  return !allowedVoices || allowedVoices.some(({ voiceId }) => voiceId === id);
}

export interface SpeechOrders {
  /** What the member asked for: a voice's id, or what was typed. */
  readonly asked?: string | undefined;
  /** What was chosen beforehand, the strongest first. */
  readonly kept?: readonly KeptVoice[];
  readonly rules?: VoiceRules;
}

/** The voice to speak with: the one asked for, else the first kept one that still exists, else the first of the list. */
export function chooseVoice(all: readonly Voice[], { asked, kept = [], rules = {} }: SpeechOrders): Chosen {
  const voices = all.filter((voice) => isAllowed(voice, rules));
  const [first] = voices;
  if (!first) return { kind: 'no-voices' };
  if (asked !== undefined) {
    const found = findVoice(voices, asked, kept);
    if (found.kind !== 'unknown') return found;
    // A voice of that name that may not be used is told apart from one that does not exist.
    const among = findVoice(all, asked, kept);
    return among.kind === 'chosen' ? { kind: 'not-allowed', voice: among.voice } : found;
  }
  const vanished: KeptVoice[] = [];
  for (const candidate of kept) {
    const voice = voices.find(({ id }) => id === candidate.choice.voiceId);
    if (voice) return { kind: 'chosen', voice, source: candidate.source, vanished };
    // One that may not be used here is no news to its owner: it is passed over.
    if (!all.some(({ id }) => id === candidate.choice.voiceId)) vanished.push(candidate);
  }
  return { kind: 'chosen', voice: first, source: 'bot', vanished };
}

/** A voice by its id or what was typed; where several models share the name, the usual voice's model decides. */
function findVoice(voices: readonly Voice[], asked: string, kept: readonly KeptVoice[]): Chosen {
  const found = resolveVoice(asked, voices, preference(kept));
  switch (found.kind) {
    case 'exact-id':
    case 'unique':
      return { kind: 'chosen', voice: found.voice, source: 'option', vanished: [] };
    case 'ambiguous':
      return { kind: 'ambiguous', asked, candidates: found.choices };
    case 'not-found':
      return { kind: 'unknown', asked, suggestions: found.suggestions };
  }
}

/** Voices to offer while somebody types: the best matches first, the kept ones on top while nothing is typed. */
export function offerVoices(voices: readonly Voice[], typed: string, kept: readonly KeptVoice[]): readonly Voice[] {
  const ranked = rankVoices(typed, voices, preference(kept));
  if (typed.trim() !== '') return ranked;
  const first = kept.flatMap(({ choice }) => voices.find((voice) => voice.id === choice.voiceId) ?? []);
  return [...new Set([...first, ...ranked])].slice(0, MAX_CHOICES);
}

function preference([usual]: readonly KeptVoice[]): { preferredModel?: string } {
  return usual ? { preferredModel: usual.choice.model } : {};
}
