import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import { isKanjiAlone } from '../../language/detection.ts';
import { COMMON_LANGUAGES, languageNamed, languagesOfVoice } from '../../speech/interface/languages.ts';
import type { SpeechOptions, Voice } from '../../speech/interface/schemas.ts';
import { LANGUAGES } from '../../texts/catalog.ts';
import type { ServerRulesBook } from '../servers/admission.ts';
import { choiceOf, type ServerSettings, type VoiceChoice } from '../servers/server-settings.ts';
import { MANNERS, type Manner, type OwnSettings, type Voices } from './voices.ts';

/** The languages (ISO 639-1) that members can choose: as many as a Discord choice list can hold. */
export const SPOKEN_LANGUAGES: readonly string[] = COMMON_LANGUAGES;

/** Finds a language by its code, its own name, or its name in a language of the bot. */
export function spokenLanguageNamed(named: string): string | undefined {
  return LANGUAGES.map(({ locale }) => languageNamed(named, SPOKEN_LANGUAGES, locale)).find(
    (language) => language !== undefined && SPOKEN_LANGUAGES.includes(language),
  );
}

/** The locale of the bot's texts in a language (ISO 639-1); undefined if the bot has no such texts. */
export const localeOfLanguage = (language: string | undefined): string | undefined =>
  LANGUAGES.find(({ locale }) => languageOfLocale(locale) === language)?.locale;

/** The language (ISO 639-1) in which a reader with the given locale sees the bot's texts. */
export const languageOfTexts = (locale: string): string =>
  localeOfLanguage(languageOfLocale(locale)) === undefined ? 'en' : languageOfLocale(locale);

const languageOfLocale = (locale: string): string => locale.slice(0, 2).toLowerCase();

/** True if a voice speaks a language (ISO 639-1), or if its service does not state languages. */
export const speaksLanguage = (voice: Voice, language: string): boolean =>
  languagesOfVoice(voice)?.some((tag) => languageOfLocale(tag) === language) ?? true;

/** The language to send to the speech service; undefined if the voice accepts none. */
export function languageFor(voice: Voice, words: string, language: string | undefined, likely: readonly string[]) {
  if (!voice.takes_language) return undefined;
  return language ?? (isKanjiAlone(words, likely) ? 'ja' : undefined);
}

/** Where the choice of a voice or speech option comes from, strongest source first. */
export type Source =
  | 'option'
  | 'forced'
  | 'own-language'
  | 'own-here'
  | 'own-everywhere'
  | 'server-language'
  /** The voice that the bot chooses for a member who has chosen none, if admins want that. */
  | 'given'
  | 'server'
  /** The first voice that admins allow, used because they do not allow the bot's default voice. */
  | 'allowed'
  | 'bot';

export interface Preferences {
  readonly here: OwnSettings;
  readonly everywhere: OwnSettings;
  readonly server: ServerSettings;
  /** The voices that the bot would choose for the member, best first. Absent unless admins let the bot choose. */
  readonly given?: readonly Voice[];
}

export const NO_PREFERENCES: Preferences = { here: {}, everywhere: {}, server: {} };

interface Whose {
  /** The member whose preferences apply; undefined if only the server's preferences apply. */
  readonly userId: string | undefined;
  readonly guildId: string | undefined;
  readonly guildLocale: string | undefined;
}

interface KeptChoices {
  readonly voices: Voices;
  readonly settings: ServerRulesBook;
  readonly log: Logger;
}

export async function keptPreferences(whose: Whose, { voices, settings }: KeptChoices): Promise<Preferences> {
  const { userId, guildId, guildLocale } = whose;
  const [here, everywhere, server] = await Promise.all([
    userId === undefined || guildId === undefined ? NO_PREFERENCES.here : voices.members.get({ userId, guildId }),
    userId === undefined ? NO_PREFERENCES.everywhere : voices.members.get({ userId, guildId: undefined }),
    guildId === undefined ? NO_PREFERENCES.server : settings.of(guildId),
  ]);
  const preferences = { here, everywhere, server: withoutForbidden(server) };
  if (userId === undefined || !server.giveOwnVoices) return preferences;
  const list = voices.known() ?? (await voices.list());
  const locale = everywhere.language ?? server.language ?? guildLocale;
  return { ...preferences, given: voicesToGive(userId, voicesUnder(server, list), server.defaultVoice?.model, locale) };
}

/**
 * Voices that speak the language come first, and among them voices of the default voice's model: other models may cost
 * more, or need memory for each voice. A hash of the member's id and the voice's name decides between the remaining
 * voices, so that no choice is stored and a new voice changes the voice of only a few members.
 */
function voicesToGive(
  userId: string,
  voices: readonly Voice[],
  usualModel = voices[0]?.model,
  locale: string | undefined,
): readonly Voice[] {
  const rank = (voice: Voice) => {
    const isForeign = locale !== undefined && !speaksLanguage(voice, languageOfLocale(locale));
    const hash = createHash('sha1').update(`${userId} ${voice.name}`).digest('hex');
    return { voice, order: `${Number(isForeign)} ${Number(voice.model !== usualModel)} ${hash}` };
  };
  const byOrder = (one: { order: string }, other: { order: string }) =>
    Number(one.order > other.order) - Number(one.order < other.order);
  return voices
    .map(rank)
    .sort(byOrder)
    .map(({ voice }) => voice);
}

function withoutForbidden(server: ServerSettings): ServerSettings {
  const { forcedVoice, ...rest } = server;
  return forcedVoice && !isAllowed(forcedVoice, server) ? rest : server;
}

/** If a member's preferences cannot be read, returns only the server's. Rejects with a StoreError if those cannot be read either. */
export async function availablePreferences(whose: Whose, choices: KeptChoices): Promise<Preferences> {
  try {
    return await keptPreferences(whose, choices);
  } catch (error) {
    choices.log.warn({ err: error, guildId: whose.guildId }, 'Could not load a member’s voice settings: ignoring them');
    // If even the server's rules cannot be read, nothing is spoken, because restrictions might be ignored.
    return keptPreferences({ ...whose, userId: undefined }, choices);
  }
}

export const isServers = (source: Source): boolean =>
  source === 'forced' || source === 'server' || source === 'server-language';

export interface KeptVoice {
  readonly source: Exclude<Source, 'option' | 'allowed' | 'bot'>;
  readonly choice: VoiceChoice;
}

interface Sourced<Value> {
  readonly value: Value;
  readonly source: Source;
}

type SourcedOptions = { readonly [Name in Manner]: Sourced<NonNullable<OwnSettings[Name]>> | undefined };

/** The languages (ISO 639-1) that a member probably writes, the likeliest first. */
export function likelyLanguages(preferences: Preferences, guildLocale: string | null, clientLocale?: string) {
  const { everywhere, server } = preferences;
  const locales = [everywhere.language, clientLocale, server.language ?? guildLocale];
  return [...new Set(locales.flatMap((locale) => (locale ? [languageOfLocale(locale)] : [])))];
}

/** True if a text's language may change the voice, or the member has set the language they write in. */
export function choosesByLanguage({ everywhere, server }: Preferences): boolean {
  const hasVoices = [everywhere, server].some(({ languageVoices = [] }) => languageVoices.length > 0);
  return (hasVoices && server.forcedVoice === undefined) || everywhere.language !== undefined;
}

/** Preferred voices for a text in a language, strongest preference first. A command's voice option overrides them. */
export function keptVoices(preferences: Preferences, language?: string): KeptVoice[] {
  const { here, everywhere, server, given = [] } = preferences;
  const own = given.find((voice) => language === undefined || speaksLanguage(voice, language)) ?? given[0];
  const forLanguage = ({ languageVoices = [] }: OwnSettings | ServerSettings) =>
    languageVoices.find((choice) => choice.language === language);
  const layers: readonly { source: KeptVoice['source']; choice: VoiceChoice | undefined }[] = [
    { source: 'forced', choice: server.forcedVoice },
    { source: 'own-language', choice: forLanguage(everywhere) },
    { source: 'own-here', choice: here.voice },
    { source: 'own-everywhere', choice: everywhere.voice },
    { source: 'server-language', choice: forLanguage(server) },
    { source: 'given', choice: own && choiceOf(own) },
    { source: 'server', choice: server.defaultVoice },
  ];
  return layers.flatMap(({ source, choice }) => (choice ? [{ source, choice }] : []));
}

/** Preferred voices without the one that admins force: it must not decide which of several voices of the same name a member means. */
export const unforcedVoices = (preferences: Preferences): KeptVoice[] =>
  keptVoices(preferences).filter(({ source }) => source !== 'forced');

/** Takes each speech option from the command, else from the member's settings for the server, else from those for all servers. */
export function preferredOptions(given: SpeechOptions, { here, everywhere }: Preferences): SourcedOptions {
  const layers = Object.entries({ option: given, 'own-here': here, 'own-everywhere': everywhere });
  const first = (name: Manner) => {
    const [source, layer] = layers.find(([, options]) => options[name] !== undefined) ?? [];
    return layer && { value: layer[name], source };
  };
  return Object.fromEntries(MANNERS.map((name) => [name, first(name)])) as SourcedOptions;
}

/** Removes the member's own styles that contain a word blocked in the server. */
export async function withAllowedStyles(
  preferences: Preferences,
  refusalOf: (style: string) => Promise<Error | undefined>,
): Promise<Preferences> {
  const { here, everywhere } = preferences;
  const allowed = async ({ style, ...own }: OwnSettings): Promise<OwnSettings> =>
    style === undefined || (await refusalOf(style)) ? own : { ...own, style };
  return { ...preferences, here: await allowed(here), everywhere: await allowed(everywhere) };
}

export const plainOptions = (options: SourcedOptions): SpeechOptions =>
  Object.fromEntries(MANNERS.map((name) => [name, options[name]?.value]));

/** The models whose voices admins allow; without a list, all are allowed. */
export type VoiceRules = Pick<ServerSettings, 'allowedModels'>;

/** True if admins allow the voice's model, even if the voice itself no longer exists. */
export const isAllowed = ({ model }: { readonly model: string }, { allowedModels }: VoiceRules): boolean =>
  allowedModels?.includes(model) ?? true;

export const voicesUnder = (rules: VoiceRules, { voices }: { readonly voices: readonly Voice[] }): readonly Voice[] =>
  voices.filter((voice) => isAllowed(voice, rules));
