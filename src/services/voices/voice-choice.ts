import { readsAll, unspeakableWords, writtenWords } from '../../language/speakable-words.ts';
import { isCantonese, languageNamed, languagesOfVoice, voicesThatSpeak } from '../../speech/interface/languages.ts';
import { oneOfEachName, type Voice } from '../../speech/interface/schemas.ts';
import { rankVoices, resolveVoice, type UnclearVoice } from '../../speech/voice-search.ts';
import type { VoiceChoice } from '../servers/server-settings.ts';
import {
  type KeptVoice,
  localeOfLanguage,
  type Source,
  speaksLanguage,
  type VoiceRules,
  voicesUnder,
} from './preferences.ts';
import { soundWords, type VoiceList } from './voice-catalog.ts';

export type Chosen =
  | {
      readonly kind: 'chosen';
      readonly voice: Voice;
      readonly source: Source;
      /** Preferred voices that the speech service no longer has. */
      readonly vanished: readonly KeptVoice[];
      /** The voice that would have been used if it could speak the text's language. */
      readonly insteadOf?: Voice;
    }
  | {
      readonly kind: 'cannot-speak';
      readonly voice: Voice;
      readonly words: readonly string[];
      readonly others: readonly Voice[];
    }
  | { readonly kind: 'not-allowed'; readonly voice: Voice }
  | (UnclearVoice & { readonly forced?: VoiceChoice })
  | { readonly kind: 'no-voices' | 'none-allowed' };

export interface VoiceOrders {
  /** The requested voice: its id, or text that a member typed. */
  readonly asked?: string | undefined;
  readonly kept?: readonly KeptVoice[];
  readonly rules?: VoiceRules;
  /** True if a member can save a forbidden voice as a preference: other servers may allow it, or this one later. */
  readonly takesForbidden?: boolean;
  /** Without a text, voices are chosen regardless of their languages. */
  readonly words?: string | undefined;
  /** The language that the writer named (ISO 639-1). A voice that speaks it is preferred to the usual voice. */
  readonly language?: string | undefined;
  /** True if Chinese characters in the text count as Japanese (kanji), even without kana beside them. */
  readonly areKanji?: boolean;
}

/**
 * Chooses the requested voice, else the first existing preference, else the first voice of the list. If a voice that
 * was not requested cannot speak the text, chooses the next one that can.
 */
export function chooseVoice(all: readonly Voice[], orders: VoiceOrders): Chosen {
  const { asked, kept = [], rules = {}, takesForbidden = false, words = '', language, areKanji = false } = orders;
  const voices = voicesUnder(rules, { voices: all });
  const [first] = takesForbidden ? [...voices, ...all] : voices;
  if (!first) return { kind: all.length === 0 ? 'no-voices' : 'none-allowed' };
  const written = writtenWords(words);
  const reads = (voice: Voice) => readsAll(written, languagesOfVoice(voice), areKanji);
  // True if the voice speaks no Chinese or only Cantonese: it could pronounce Chinese characters as Japanese or Cantonese.
  const misreads = (voice: Voice) => !speaksLanguage(voice, 'zh') || isCantonese(voice);
  const isChinese = written.writings.has('Han') && !written.writings.has('Kana') && !areKanji;
  const mayMisread = isChinese ? misreads : () => false;
  const cannotSpeak = (voice: Voice): Chosen => {
    const others = voices.filter(reads).toSorted((one, other) => Number(mayMisread(one)) - Number(mayMisread(other)));
    const beyond = unspeakableWords(written, languagesOfVoice(voice), areKanji);
    return { kind: 'cannot-speak', voice, words: beyond, others };
  };
  const speaks = (voice: Voice) => reads(voice) && (language === undefined || speaksLanguage(voice, language));
  if (asked !== undefined) {
    const byOption = (voice: Voice): Chosen => ({ kind: 'chosen', voice, source: 'option', vanished: [] });
    const found = resolveVoice(asked, voices, preferredModel(kept, first));
    if (found.kind === 'unique') return reads(found.voice) ? byOption(found.voice) : cannotSpeak(found.voice);
    const forced = kept.find(({ source }) => source === 'forced')?.choice;
    if (found.kind === 'ambiguous') return { ...found, forced };
    // A search among all voices distinguishes a voice that admins forbid from a voice that does not exist.
    const among = resolveVoice(asked, all, preferredModel(kept, first));
    if (takesForbidden) return among.kind === 'unique' ? byOption(among.voice) : among;
    if (among.kind === 'unknown') return found;
    const forbidden = among.kind === 'unique' ? among.voice : among.candidates[0];
    return forbidden ? { kind: 'not-allowed', voice: forbidden } : found;
  }
  const vanished: KeptVoice[] = [];
  const usable: { voice: Voice; source: Source }[] = [];
  for (const candidate of kept) {
    const isIt = ({ id }: Voice) => id === candidate.choice.voiceId;
    const voice = voices.find(isIt);
    if (voice) usable.push({ voice, source: candidate.source });
    // A preferred voice is reported as vanished if it is gone, not just forbidden, and no stronger choice is usable.
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
    // A forced voice, or a voice without an alternative, reads the text with its own language's pronunciation.
    return reads(usual.voice) ? { kind: 'chosen', ...usual, vanished } : cannotSpeak(usual.voice);
  }
  return { kind: 'chosen', ...other, vanished, insteadOf: usual.voice };
}

/** The locale for words that the bot adds, such as "says"; undefined if the bot or the chosen voice does not speak `language`. */
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

const MAX_CHOICES = 25;

/**
 * Suggests only one of several voices with the same name that sound alike. A text that matches none may be the name of
 * a language. Without text, preferred voices come first.
 */
export function offerVoices(
  voices: readonly Voice[],
  typed: string,
  kept: readonly KeptVoice[],
  locale = 'en',
): readonly Voice[] {
  const wordsOf = (voice: Voice) => soundWords(voice, locale);
  const ranked = rankVoices(typed, voices, { preferredModel: preferredModel(kept, voices[0]), wordsOf });
  const isTyped = typed.trim() !== '';
  const language = isTyped && ranked.length === 0 ? languageNamed(typed, [], locale) : undefined;
  const found = language === undefined ? ranked : voicesThatSpeak(language, voices);
  const first = isTyped ? [] : kept.flatMap(({ choice }) => voices.find(({ id }) => id === choice.voiceId) ?? []);
  return oneOfEachName([...new Set([...first, ...found])]).slice(0, MAX_CHOICES);
}

/** Returns the model whose voice is preferred if several models have a voice of the requested name. */
function preferredModel(kept: readonly KeptVoice[], bots: Voice | undefined): string | undefined {
  const usual = kept.find(({ source }) => source !== 'own-language' && source !== 'server-language');
  return usual?.choice.model ?? bots?.model;
}
