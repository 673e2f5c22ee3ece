import type { Logger } from 'pino';
import { UserError } from '../errors/user-errors.ts';
import type { ServerRules } from '../services/servers/server-rules.ts';
import type { Settings } from '../services/servers/server-settings.ts';
import { languageOfText, passagesOfText, type Writer } from '../services/text/text-language.ts';
import type { TextWork } from '../services/text/text-thread.ts';
import type { MemberSettings } from '../services/voices/member-settings.ts';
import {
  availablePreferences,
  hasLanguageVoices,
  keptVoices,
  type Preferences,
  plainOptions,
  preferredOptions,
} from '../services/voices/preferences.ts';
import { languageOfLocale, localeOfLanguage } from '../services/voices/spoken-languages.ts';
import type { VoiceCatalogue } from '../services/voices/voice-catalogue.ts';
import { choosePassageVoices, chooseVoice, mayBeCut, voicedBy } from '../services/voices/voice-choice.ts';
import { listedVoice, type SpeechRequest } from '../speech/request.ts';
import { text } from '../texts/catalogue.ts';

export interface ChosenVoiceServices {
  readonly members: MemberSettings;
  readonly settings: Settings;
  readonly voices: Pick<VoiceCatalogue, 'list' | 'known'>;
  readonly log: Logger;
  readonly textWork: TextWork;
}

interface Whose {
  readonly guildId: string;
  /** Undefined: no member's preferences, only the server's. */
  readonly userId: string | undefined;
  readonly rules: ServerRules;
}

function writerOf({ guildId }: Whose, { here, everywhere, server }: Preferences): Writer {
  const likely = [here.language ?? everywhere.language, server.language].flatMap((locale) =>
    locale === undefined ? [] : [languageOfLocale(locale)],
  );
  return { owner: guildId, likely };
}

/**
 * The locale of a text's own language, for the names, numbers and links in it, where somebody chose voices by language and the
 * bot has words in it; undefined otherwise.
 */
export async function localeOfText(
  words: string,
  whose: Whose,
  services: ChosenVoiceServices,
): Promise<string | undefined> {
  const preferences = await availablePreferences(whose, services);
  if (!hasLanguageVoices(preferences)) return undefined;
  return localeOfLanguage(await languageOfText(words, writerOf(whose, preferences), services.textWork));
}

/**
 * The speech request for a text with the voice that its author chose, or else the server, as /say would make it. A voice
 * that no longer exists is skipped without a notice. Rejects with a UserError without any voice, or with a SpeechError.
 */
export async function requestFor(input: string, whose: Whose, services: ChosenVoiceServices): Promise<SpeechRequest> {
  const [{ voices }, preferences] = await Promise.all([services.voices.list(), availablePreferences(whose, services)]);
  const { rules } = whose;
  const writer = writerOf(whose, preferences);
  const language = hasLanguageVoices(preferences) ? await languageOfText(input, writer, services.textWork) : undefined;
  const kept = keptVoices(preferences, language);
  const chosen = chooseVoice(voices, { kept, rules, words: input });
  const speechOptions = plainOptions(preferredOptions({}, preferences));
  const voiced = mayBeCut(chosen, preferences, rules)
    ? choosePassageVoices(voices, await passagesOfText(input, writer, services.textWork), { preferences, rules })
    : undefined;
  const passages = voiced && voicedBy(voiced);
  if (passages?.[0]) return { input, voice: passages[0].voice, passages, ...speechOptions };
  if (chosen.kind === 'cannot-speak') {
    const words = { list: chosen.words.slice(0, 5) };
    throw new UserError(text('refused.nobody-speaks', { words }));
  }
  if (chosen.kind !== 'chosen') throw new UserError(text('refused.no-voices'));
  return { input, voice: listedVoice(chosen.voice), ...speechOptions };
}

/** The name of a request's voice, for the log. */
export function voiceNameOf({ voice }: SpeechRequest, voices: Pick<VoiceCatalogue, 'known'>): string {
  if (voice.kind === 'name') return voice.voice;
  return voices.known()?.voices.find(({ id }) => id === voice.voiceId)?.name ?? voice.voiceId;
}
