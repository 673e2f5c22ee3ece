import { refusal } from '../errors/refusals.ts';
import { UserError } from '../errors/user-errors.ts';
import { languageOfText } from '../language/detection.ts';
import { areKanji } from '../language/scripts.ts';
import type { SpeechOrder } from '../services/queue/queue-item.ts';
import type { ServerRules } from '../services/servers/server-rules.ts';
import {
  availablePreferences,
  choosesByLanguage,
  keptVoices,
  likelyLanguages,
  plainOptions,
  preferredOptions,
  withAllowedStyles,
} from '../services/voices/preferences.ts';
import { languageFor } from '../services/voices/spoken-languages.ts';
import type { VoiceCatalog } from '../services/voices/voice-catalog.ts';
import { chooseVoice, localeToSpeak } from '../services/voices/voice-choice.ts';
import { listedVoice, type SpeechRequest } from '../speech/request.ts';
import type { ReadingServices } from './services.ts';

interface Whose {
  readonly guildId: string;
  /** The author of the text to read; if undefined, only the server's preferences apply. */
  readonly userId: string | undefined;
  readonly rules: ServerRules;
  readonly guildLocale: string;
}

/** The choice of voice and language for speech that no command requested, such as a chat message read aloud. */
export async function chosenVoice(whose: Whose, services: ReadingServices) {
  const { rules, guildId, guildLocale } = whose;
  const preferences = await availablePreferences(whose, services);
  const likely = likelyLanguages(preferences, guildLocale);

  return {
    /**
     * Detects a message's language, with the author's or the server's as a fallback. Undefined if nobody chose voices
     * by language, because the language does not matter then.
     */
    languageOf: async (written: string) =>
      choosesByLanguage(preferences) ? languageOfText(written, likely) : undefined,
    /**
     * The locale of the bot's own words beside the message. Undefined if the bot has no texts in the message's
     * language, or if the voice does not speak it.
     */
    localeOf(language: string | undefined) {
      if (language === undefined) return undefined;
      return localeToSpeak(language, services.voices.known(), { kept: keptVoices(preferences, language), rules });
    },
    /**
     * Chooses the voice as /say does, but skips a vanished voice without a notice. `language` is that of the message
     * alone, without the words that the bot adds. Rejects with a UserError if no voice is available, or with a
     * SpeechError.
     */
    async requestFor(input: string, language: string | undefined): Promise<SpeechRequest> {
      const { voices } = await services.voices.list();
      const kept = keptVoices(preferences, language);
      const chosen = chooseVoice(voices, { kept, rules, words: input, areKanji: areKanji(input, likely) });
      const refusalOf = (style: string) => services.texts.blockedInStyle(style, guildId);
      const speechOptions = plainOptions(preferredOptions({}, await withAllowedStyles(preferences, refusalOf)));
      if (chosen.kind === 'cannot-speak') {
        const isForced = preferences.server.forcedVoice?.voiceId === chosen.voice.id;
        const cannot = isForced ? 'forced-cannot-speak' : 'usual-cannot-speak';
        // The refusal must not quote the message, because the bot posts it, and the post outlives a deleted message.
        throw new UserError(refusal(chosen.others.length === 0 ? 'nobody-speaks' : cannot));
      }
      if (chosen.kind !== 'chosen') {
        throw new UserError(refusal(chosen.kind === 'none-allowed' ? 'none-allowed' : 'no-voices'));
      }
      return {
        input,
        voice: listedVoice(chosen.voice),
        language: languageFor(chosen.voice, input, language, likely),
        ...speechOptions,
      };
    },
  };
}

export type ChosenVoice = Awaited<ReturnType<typeof chosenVoice>>;

interface Unasked {
  readonly userId: string;
  /** The author of the text; undefined for an announcement of several members. */
  readonly authorId: string | undefined;
  readonly request: SpeechRequest;
  readonly isBleeped: boolean;
}

export function unasked(from: SpeechOrder['from'], lane: string, { request, isBleeped, ...whose }: Unasked) {
  const order: SpeechOrder = { ...whose, from, lane, words: request.input, as: 'voice', speechOptions: {} };
  return { order, requested: { request, voices: [], billed: [], isBleeped, notes: [] } };
}

export function voiceNameOf({ voice }: SpeechRequest, voices: VoiceCatalog): string {
  if (voice.kind === 'name') return voice.voice;
  return voices.known()?.voices.find(({ id }) => id === voice.voiceId)?.name ?? voice.voiceId;
}
