import type { VoiceChoice } from './settings.ts';
import type { Voice } from './speech/interface/schemas.ts';
import { MAX_CHOICES, rankVoices, resolveVoice } from './speech/voice-search.ts';

/** What came of choosing a voice: the one, or why there is none. */
export type Chosen =
  | {
      readonly kind: 'chosen';
      readonly voice: Voice;
      /** The server's default that was passed over because it no longer exists. */
      readonly vanished?: VoiceChoice;
    }
  | { readonly kind: 'unknown'; readonly asked: string; readonly suggestions: readonly Voice[] }
  | { readonly kind: 'ambiguous'; readonly asked: string; readonly candidates: readonly Voice[] }
  | { readonly kind: 'no-voices' };

interface Wishes {
  /** What the member asked for: a voice's id, or what was typed. */
  readonly asked?: string | undefined;
  readonly serverDefault?: VoiceChoice | undefined;
}

/** The voice to speak with: the one asked for, else the server's default, else the first of the list. */
export function chooseVoice(voices: readonly Voice[], { asked, serverDefault }: Wishes): Chosen {
  const [first] = voices;
  if (!first) return { kind: 'no-voices' };
  if (asked !== undefined) return findVoice(voices, asked, serverDefault);
  if (!serverDefault) return { kind: 'chosen', voice: first };
  const kept = voices.find((voice) => voice.id === serverDefault.voiceId);
  return kept ? { kind: 'chosen', voice: kept } : { kind: 'chosen', voice: first, vanished: serverDefault };
}

/** A voice by its id or what was typed; where several models share the name, the default voice's model decides. */
function findVoice(voices: readonly Voice[], asked: string, usual: VoiceChoice | undefined): Chosen {
  const found = resolveVoice(asked, voices, usual ? { preferredModel: usual.model } : {});
  switch (found.kind) {
    case 'exact-id':
    case 'unique':
      return { kind: 'chosen', voice: found.voice };
    case 'ambiguous':
      return { kind: 'ambiguous', asked, candidates: found.choices };
    case 'not-found':
      return { kind: 'unknown', asked, suggestions: found.suggestions };
  }
}

/** Voices to offer while somebody types: the best matches first, the server's default on top while nothing is typed. */
export function offerVoices(
  voices: readonly Voice[],
  typed: string,
  serverDefault: VoiceChoice | undefined,
): readonly Voice[] {
  const ranked = rankVoices(typed, voices, serverDefault ? { preferredModel: serverDefault.model } : {});
  const first = typed.trim() === '' ? voices.find((voice) => voice.id === serverDefault?.voiceId) : undefined;
  if (!first) return ranked;
  return [first, ...ranked.filter((voice) => voice !== first)].slice(0, MAX_CHOICES);
}
