import { refusal } from '../errors/refusals.ts';
import { UserError } from '../errors/user-errors.ts';
import { languageOfText } from '../language/detection.ts';
import { areKanji, isKanjiAlone } from '../language/scripts.ts';
import type { ServerRules } from '../services/servers/server-rules.ts';
import {
  availablePreferences,
  choosesByLanguage,
  keptVoices,
  ownLanguageOf,
  type Preferences,
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
  /** The server's own language in Discord. */
  readonly guildLocale: string;
}

/** The languages that the writer may use, the likeliest first. */
const likelyOf = ({ guildLocale }: Whose, preferences: Preferences): readonly string[] =>
  [ownLanguageOf(preferences), preferences.server.language ?? guildLocale].flatMap((locale) =>
    locale === undefined ? [] : [languageOfLocale(locale)],
  );

/** The language of a message by its text, if a member chose anything by language; undefined otherwise. */
export async function languageOfMessage(
  written: string,
  whose: Whose,
  services: ReadingServices,
): Promise<string | undefined> {
  const preferences = await availablePreferences(whose, services);
  if (!choosesByLanguage(preferences)) return undefined;
  return languageOfText(written, likelyOf(whose, preferences));
}

/**
 * The locale of a text's language, for the names, numbers and links in it, where the bot has words in it and the voice speaks it;
 * undefined otherwise.
 */
export async function localeOfText(
  language: string | undefined,
  whose: Whose,
  services: ReadingServices,
): Promise<string | undefined> {
  if (language === undefined) return undefined;
  const kept = keptVoices(await availablePreferences(whose, services), language);
  return localeToSpeak(language, services.voices.known(), { kept, rules: whose.rules });
}

/**
 * The speech request for a text with the voice that its author chose, or else the server, as /say would make it. A voice
 * that no longer exists is skipped without a notice. Rejects with a UserError without any voice, or with a SpeechError.
 */
export async function requestFor(
  input: string,
  whose: Whose & {
    /** The language of the message in the text, or of the bot's own words: announcing words are no evidence. */
    readonly language: string | undefined;
  },
  services: ReadingServices,
): Promise<SpeechRequest> {
  const [{ voices }, preferences] = await Promise.all([services.voices.list(), availablePreferences(whose, services)]);
  const { rules, language } = whose;
  const likely = likelyOf(whose, preferences);
  const kept = keptVoices(preferences, language);
  const chosen = chooseVoice(voices, { kept, rules, words: input, areKanji: areKanji(input, likely) });
  const refusalOf = (style: string) => services.texts.blockedInStyle(style, whose.guildId);
  const speechOptions = plainOptions(preferredOptions({}, await withAllowedStyles(preferences, refusalOf)));
  if (chosen.kind === 'cannot-speak') {
    const isForced = preferences.server.forcedVoice?.voiceId === chosen.voice.id;
    const whose = isForced ? 'forced' : 'usual';
    // The notice stays when the message is deleted: it quotes nothing of it.
    throw new UserError(refusal(chosen.others.length === 0 ? 'nobody-speaks' : `${whose}-cannot-speak`));
  }
  if (chosen.kind !== 'chosen') {
    throw new UserError(refusal(chosen.kind === 'none-allowed' ? 'none-allowed' : 'no-voices'));
  }
  return {
    input,
    voice: listedVoice(chosen.voice),
    language: chosen.voice.takes_language ? (language ?? (isKanjiAlone(input, likely) ? 'ja' : undefined)) : undefined,
    ...speechOptions,
  };
}

/** The name of a request's voice, for the log. */
export function voiceNameOf({ voice }: SpeechRequest, voices: VoiceCatalog): string {
  if (voice.kind === 'name') return voice.voice;
  return voices.known()?.voices.find(({ id }) => id === voice.voiceId)?.name ?? voice.voiceId;
}
