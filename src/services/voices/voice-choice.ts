import { isChinese, writtenWords } from '../../language/speakable-words.ts';
import { isCantonese, languageNamed, voicesThatSpeak } from '../../speech/interface/languages.ts';
import type { Voice } from '../../speech/interface/schemas.ts';
import { listedVoice, type Passage } from '../../speech/request.ts';
import { MAX_CHOICES, rankVoices, resolveVoice, type VoicePreference } from '../../speech/voice-search.ts';
import type { VoiceChoice } from '../servers/server-settings.ts';
import { type KeptVoice, type Source, type VoiceRules, voicesUnder } from './preferences.ts';
import { localeOfLanguage, readsWords, speaksLanguage, wordsBeyond } from './spoken-languages.ts';
import type { VoiceList } from './voice-catalog.ts';

export type Chosen =
  | {
      readonly kind: 'chosen';
      readonly voice: Voice;
      readonly source: Source;
      /** Preferred voices that were skipped because they no longer exist. */
      readonly vanished: readonly KeptVoice[];
      /** The voice that would have spoken, if it could speak this text. */
      readonly insteadOf?: Voice;
    }
  /** It cannot speak these words of the text; `others` can. */
  | {
      readonly kind: 'cannot-speak';
      readonly voice: Voice;
      readonly words: readonly string[];
      readonly others: readonly Voice[];
    }
  /** It exists, but the admins forbid it. */
  | { readonly kind: 'not-allowed'; readonly voice: Voice }
  | { readonly kind: 'unknown'; readonly asked: string; readonly suggestions: readonly Voice[] }
  | {
      readonly kind: 'ambiguous';
      readonly asked: string;
      readonly candidates: readonly Voice[];
      /** The voice that the admins force, which speaks all but what another one was chosen for. */
      readonly forced?: VoiceChoice | undefined;
    }
  | { readonly kind: 'no-voices' }
  /** There are voices, but the admins allow none of them. */
  | { readonly kind: 'none-allowed' };

export interface VoiceOrders {
  /** The requested voice: an id, or typed text. */
  readonly asked?: string | undefined;
  readonly kept?: readonly KeptVoice[];
  readonly rules?: VoiceRules;
  /** A requested voice that only forbidden ones go by the name of: refused where this is not set. */
  readonly takesForbidden?: boolean;
  /** The text that is to be spoken; without it, what a voice can speak does not matter. */
  readonly words?: string | undefined;
  /** The language that its writer named (ISO 639-1): a voice that speaks it is preferred to a usual one that does not. */
  readonly language?: string | undefined;
  /** Chinese characters in the text are kanji, also without syllables beside them. */
  readonly areKanji?: boolean;
}

/**
 * The voice to speak with: the requested one, else the first preferred one that exists, else the first of the list. Where
 * that one cannot speak the text, the next preference or voice that can, if it was not asked for by name.
 */
export function chooseVoice(all: readonly Voice[], orders: VoiceOrders): Chosen {
  const { asked, kept = [], rules = {}, takesForbidden = false, words = '', language, areKanji = false } = orders;
  const voices = voicesUnder(rules, { voices: all });
  const [first] = takesForbidden ? [...voices, ...all] : voices;
  if (!first) return { kind: all.length === 0 ? 'no-voices' : 'none-allowed' };
  const written = writtenWords(words);
  const reads = (voice: Voice) => readsWords(voice, written, areKanji);
  // A voice that reads Chinese characters may read them as Japanese, or as Cantonese.
  const misreads = (voice: Voice) => !speaksLanguage(voice, 'zh') || isCantonese(voice);
  const mayMisread = isChinese(words, areKanji) ? misreads : () => false;
  const cannotSpeak = (voice: Voice): Chosen => {
    const others = voices.filter(reads).toSorted((one, other) => Number(mayMisread(one)) - Number(mayMisread(other)));
    return { kind: 'cannot-speak', voice, words: wordsBeyond(voice, written, areKanji), others };
  };
  const speaks = (voice: Voice) => reads(voice) && (language === undefined || speaksLanguage(voice, language));
  if (asked !== undefined) {
    const found = findVoice(voices, asked, preference(kept, first));
    if (found.kind === 'chosen' && !reads(found.voice)) return cannotSpeak(found.voice);
    const forced = kept.find(({ source }) => source === 'forced')?.choice;
    if (found.kind === 'ambiguous') return { ...found, forced };
    if (found.kind !== 'unknown') return found;
    // A forbidden voice of that name gets another message than a missing one.
    const among = findVoice(all, asked, preference(kept, first));
    if (takesForbidden) return among;
    if (among.kind === 'chosen') return { kind: 'not-allowed', voice: among.voice };
    const [forbidden] = among.kind === 'ambiguous' ? among.candidates : [];
    return forbidden ? { kind: 'not-allowed', voice: forbidden } : found;
  }
  const vanished: KeptVoice[] = [];
  const usable: { voice: Voice; source: Source }[] = [];
  for (const candidate of kept) {
    const isIt = ({ id }: Voice) => id === candidate.choice.voiceId;
    const voice = voices.find(isIt);
    if (voice) usable.push({ voice, source: candidate.source });
    // Only what precedes the voice that speaks is missed. The member already knows that a preferred voice is forbidden here:
    // skipped without a notice.
    else if (usable.length === 0 && !all.some(isIt)) vanished.push(candidate);
  }
  const source = first === all[0] ? ('bot' as const) : ('allowed' as const);
  const [usual = { voice: first, source }, ...next] = usable;
  if (speaks(usual.voice)) return { kind: 'chosen', ...usual, vanished };
  const isForced = usual.source === 'forced';
  const others = voices.filter(speaks).map((voice) => ({ voice, source: 'bot' as const }));
  const sameModel = others.filter(({ voice }) => voice.model === usual.voice.model);
  const inOrder = [...next.filter(({ voice }) => speaks(voice)), ...sameModel, ...others];
  const other = inOrder.find(({ voice }) => !mayMisread(voice)) ?? inOrder[0];
  if (isForced || !other) {
    // In the sounds of its own language.
    return reads(usual.voice) ? { kind: 'chosen', ...usual, vanished } : cannotSpeak(usual.voice);
  }
  return { kind: 'chosen', ...other, vanished, insteadOf: usual.voice };
}

/**
 * The locale of the bot's own words in a text of that language: where it has words in it, and the voice that is to speak,
 * chosen from the voices as far as they are known, speaks it.
 */
export function localeToSpeak(
  language: string | undefined,
  known: VoiceList | undefined,
  orders: VoiceOrders,
): string | undefined {
  const locale = localeOfLanguage(language);
  if (locale === undefined || language === undefined) return undefined;
  if (!known) return locale;
  const chosen = chooseVoice(known.voices, orders);
  if (chosen.kind !== 'chosen') return locale;
  return speaksLanguage(chosen.voice, language) ? locale : undefined;
}

export interface VoicedPassage {
  readonly input: string;
  readonly voice: Voice;
  readonly language?: string | undefined;
}

export const voicedBy = (passages: readonly VoicedPassage[]): readonly Passage[] =>
  passages.map(({ input, voice, language }) => ({ input, voice: listedVoice(voice), language }));

/** A voice by its id or by typed text; where several models share the name, the usual voice's model decides. */
function findVoice(voices: readonly Voice[], asked: string, usual: VoicePreference): Chosen {
  const found = resolveVoice(asked, voices, usual);
  switch (found.kind) {
    case 'exact-id':
    case 'unique':
      return { kind: 'chosen', voice: found.voice, source: 'option', vanished: [] };
    case 'ambiguous':
      return { kind: 'ambiguous', asked, candidates: found.choices };
    case 'not-found':
      return {
        kind: 'unknown',
        asked,
        get suggestions() {
          return found.suggestions;
        },
      };
  }
}

/**
 * Suggestions for typed text: the best matches first, or those that speak a language as it calls itself or is called in that of
 * the locale; the preferred ones while nothing is typed.
 */
export function offerVoices(
  voices: readonly Voice[],
  typed: string,
  kept: readonly KeptVoice[],
  locale = 'en',
): readonly Voice[] {
  const ranked = rankVoices(typed, voices, preference(kept, voices[0]));
  if (typed.trim() !== '') {
    const language = ranked.length > 0 ? undefined : languageNamed(typed, [], locale);
    return language === undefined ? ranked : voicesThatSpeak(language, voices).slice(0, MAX_CHOICES);
  }
  const first = kept.flatMap(({ choice }) => voices.find((voice) => voice.id === choice.voiceId) ?? []);
  return [...new Set([...first, ...ranked])].slice(0, MAX_CHOICES);
}

/** The model of the voice that speaks any text where none is named: the bot's own where nothing is kept. */
function preference(kept: readonly KeptVoice[], bots: Voice | undefined): VoicePreference {
  const usual = kept.find(({ source }) => source !== 'own-language' && source !== 'server-language');
  const preferredModel = usual?.choice.model ?? bots?.model;
  return preferredModel === undefined ? {} : { preferredModel };
}
