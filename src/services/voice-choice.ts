import type { VoiceChoice } from './settings.ts';
import type { Voice } from './speech/interface/schemas.ts';
import { rankVoices } from './voice-ranking.ts';

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
  if (asked !== undefined) return findVoice(voices, asked);
  if (!serverDefault) return { kind: 'chosen', voice: first };
  const kept = voices.find((voice) => voice.id === serverDefault.voiceId);
  return kept ? { kind: 'chosen', voice: kept } : { kind: 'chosen', voice: first, vanished: serverDefault };
}

/** A voice by its id or its name; by 'name model' where several models share the name. */
function findVoice(voices: readonly Voice[], asked: string): Chosen {
  const byId = voices.find((voice) => voice.id === asked);
  if (byId) return { kind: 'chosen', voice: byId };
  const wanted = asked.trim().toLowerCase();
  // A member may pick a suggestion's words instead of the suggestion.
  const exact = voices.filter(({ name, model }) =>
    [name, `${name} ${model}`, `${name} (${model})`, `${name} · ${model}`].some(
      (form) => form.toLowerCase() === wanted,
    ),
  );
  const [only, second] = exact;
  if (only && !second) return { kind: 'chosen', voice: only };
  if (only) return { kind: 'ambiguous', asked, candidates: exact };
  return { kind: 'unknown', asked, suggestions: rankVoices(voices, asked, 3) };
}

/** Voices to offer while somebody types: the best matches first, the server's default on top while nothing is typed. */
export function suggestVoices(
  voices: readonly Voice[],
  typed: string,
  serverDefault: VoiceChoice | undefined,
  limit: number,
): readonly Voice[] {
  const ranked = rankVoices(voices, typed, limit);
  const first = typed.trim() === '' ? voices.find((voice) => voice.id === serverDefault?.voiceId) : undefined;
  if (!first) return ranked;
  return [first, ...ranked.filter((voice) => voice !== first)].slice(0, limit);
}
