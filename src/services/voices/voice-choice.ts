import type { Voice } from '../../speech/interface/schemas.ts';
import { MAX_CHOICES, rankVoices, resolveVoice } from '../../speech/voice-search.ts';
import type { KeptVoice, Source } from './preferences.ts';

/** The result of a voice choice: the voice, or why there is none. */
export type Chosen =
  | {
      readonly kind: 'chosen';
      readonly voice: Voice;
      readonly source: Source;
      /** Preferred voices that were skipped because they no longer exist. */
      readonly vanished: readonly KeptVoice[];
    }
  /** It exists, but the admins forbid it. */
  | { readonly kind: 'not-allowed'; readonly voice: Voice }
  | { readonly kind: 'unknown'; readonly asked: string; readonly suggestions: readonly Voice[] }
  | { readonly kind: 'ambiguous'; readonly asked: string; readonly candidates: readonly Voice[] }
  | { readonly kind: 'no-voices' };

/** The voices that admins allow: without a list, all of them. */
export interface VoiceRules {
  readonly allowedModels?: readonly string[] | undefined;
  readonly allowedVoices?: readonly { readonly voiceId: string }[] | undefined;
}

export function isAllowed({ id, model }: Voice, { allowedModels, allowedVoices }: VoiceRules): boolean {
  if (allowedModels && !allowedModels.includes(model)) return false;
  return !allowedVoices || allowedVoices.some(({ voiceId }) => voiceId === id);
}

export interface SpeechOrders {
  /** The requested voice: an id, or typed text. */
  readonly asked?: string | undefined;
  /** Preferred voices, the strongest preference first. */
  readonly kept?: readonly KeptVoice[];
  readonly rules?: VoiceRules;
}

/** The voice to speak with: the requested one, else the first preferred one that exists, else the first of the list. */
export function chooseVoice(all: readonly Voice[], { asked, kept = [], rules = {} }: SpeechOrders): Chosen {
  const voices = all.filter((voice) => isAllowed(voice, rules));
  const [first] = voices;
  if (!first) return { kind: 'no-voices' };
  if (asked !== undefined) {
    const found = findVoice(voices, asked, kept);
    if (found.kind !== 'unknown') return found;
    // A forbidden voice of that name is told apart from a missing one.
    const among = findVoice(all, asked, kept);
    return among.kind === 'chosen' ? { kind: 'not-allowed', voice: among.voice } : found;
  }
  const vanished: KeptVoice[] = [];
  for (const candidate of kept) {
    const voice = voices.find(({ id }) => id === candidate.choice.voiceId);
    if (voice) return { kind: 'chosen', voice, source: candidate.source, vanished };
    // The member already knows that a preferred voice is forbidden here: skipped without a notice.
    if (!all.some(({ id }) => id === candidate.choice.voiceId)) vanished.push(candidate);
  }
  return { kind: 'chosen', voice: first, source: 'bot', vanished };
}

/** A voice by its id or by typed text; where several models share the name, the usual voice's model decides. */
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

/** Suggestions for typed text: the best matches first, or the preferred ones while nothing is typed. */
export function offerVoices(voices: readonly Voice[], typed: string, kept: readonly KeptVoice[]): readonly Voice[] {
  const ranked = rankVoices(typed, voices, preference(kept));
  if (typed.trim() !== '') return ranked;
  const first = kept.flatMap(({ choice }) => voices.find((voice) => voice.id === choice.voiceId) ?? []);
  return [...new Set([...first, ...ranked])].slice(0, MAX_CHOICES);
}

function preference([usual]: readonly KeptVoice[]): { preferredModel?: string } {
  return usual ? { preferredModel: usual.choice.model } : {};
}
