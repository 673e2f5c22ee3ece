import { refusal } from '../errors/refusals.ts';
import { UserError } from '../errors/user-errors.ts';
import { languageOfText } from '../language/detection.ts';
import { areKanji, isKanjiAlone } from '../language/scripts.ts';
import type { SpeechOrder } from '../services/queue/queue-item.ts';
import type { ServerRules } from '../services/servers/server-rules.ts';
import {
  availablePreferences,
  choosesByLanguage,
  keptVoices,
  ownLanguageOf,
  plainOptions,
  preferredOptions,
  withAllowedStyles,
} from '../services/voices/preferences.ts';
import { languageOfLocale } from '../services/voices/spoken-languages.ts';
import type { VoiceCatalog } from '../services/voices/voice-catalog.ts';
import { chooseVoice, localeToSpeak } from '../services/voices/voice-choice.ts';
import { listedVoice, type SpeechRequest } from '../speech/request.ts';
import type { ReadingServices } from './services.ts';

interface Whose {
  readonly guildId: string;
  /** Undefined: no member's preferences, only the server's. */
  readonly userId: string | undefined;
  readonly rules: ServerRules;
  readonly guildLocale: string;
}

/** How texts are spoken by what their author chose, or else the server. */
export interface ChosenVoice {
  /** The language of a message by its text, if a member chose anything by language; undefined otherwise. */
  languageOf(written: string): Promise<string | undefined>;
  /**
   * The locale of a text's language, for the names, numbers and links in it, where the bot has words in it and the voice speaks it;
   * undefined otherwise.
   */
  localeOf(language: string | undefined): string | undefined;
  /**
   * The speech request for a text, as /say would make it. A voice that no longer exists is skipped without a notice. The language
   * is the one of the message in the text, or of the bot's own words: announcing words are no evidence. Rejects with a
   * UserError without any voice, or with a SpeechError.
   */
  requestFor(input: string, language: string | undefined): Promise<SpeechRequest>;
}

export async function chosenVoice(whose: Whose, services: ReadingServices): Promise<ChosenVoice> {
  const { rules, guildId, guildLocale } = whose;
  const preferences = await availablePreferences(whose, services);
  const locales = [ownLanguageOf(preferences), preferences.server.language ?? guildLocale];
  /** The languages that the writer may use, the likeliest first. */
  const likely = locales.flatMap((locale) => (locale === undefined ? [] : [languageOfLocale(locale)]));

  return {
    languageOf: async (written) => (choosesByLanguage(preferences) ? languageOfText(written, likely) : undefined),
    localeOf(language) {
      if (language === undefined) return undefined;
      return localeToSpeak(language, services.voices.known(), { kept: keptVoices(preferences, language), rules });
    },
    async requestFor(input, language) {
      const { voices } = await services.voices.list();
      const kept = keptVoices(preferences, language);
      const chosen = chooseVoice(voices, { kept, rules, words: input, areKanji: areKanji(input, likely) });
      const refusalOf = (style: string) => services.texts.blockedInStyle(style, guildId);
      const speechOptions = plainOptions(preferredOptions({}, await withAllowedStyles(preferences, refusalOf)));
      if (chosen.kind === 'cannot-speak') {
        const isForced = preferences.server.forcedVoice?.voiceId === chosen.voice.id;
        const cannot = isForced ? 'forced-cannot-speak' : 'usual-cannot-speak';
        // The notice stays when the message is deleted: it quotes nothing of it.
        throw new UserError(refusal(chosen.others.length === 0 ? 'nobody-speaks' : cannot));
      }
      if (chosen.kind !== 'chosen') {
        throw new UserError(refusal(chosen.kind === 'none-allowed' ? 'none-allowed' : 'no-voices'));
      }
      return {
        input,
        voice: listedVoice(chosen.voice),
        language: chosen.voice.takes_language
          ? (language ?? (isKanjiAlone(input, likely) ? 'ja' : undefined))
          : undefined,
        ...speechOptions,
      };
    },
  };
}

interface Unasked {
  readonly userId: string;
  /** Undefined of an announcement of several members. */
  readonly authorId: string | undefined;
  readonly request: SpeechRequest;
  readonly isBleeped: boolean;
}

/** The order for what no command asked for. */
export function unasked(from: SpeechOrder['from'], lane: string, { request, isBleeped, ...whose }: Unasked) {
  const order: SpeechOrder = { ...whose, from, lane, words: request.input, as: 'voice', speechOptions: {}, output: {} };
  return { order, requested: { request, voices: [], billed: [], isBleeped, notes: [] } };
}

export function voiceNameOf({ voice }: SpeechRequest, voices: VoiceCatalog): string {
  if (voice.kind === 'name') return voice.voice;
  return voices.known()?.voices.find(({ id }) => id === voice.voiceId)?.name ?? voice.voiceId;
}
