import { refusal, UserError } from '../errors/user-errors.ts';
import { areKanji, languageOfText } from '../language/detection.ts';
import type { Leaving } from '../services/playback/guild-speaker.ts';
import type { SpeechOrder } from '../services/queue/queue-item.ts';
import type { ServerRules } from '../services/servers/admission.ts';
import {
  availablePreferences,
  choosesByLanguage,
  keptVoices,
  languageFor,
  likelyLanguages,
  plainOptions,
  preferredOptions,
  withAllowedStyles,
} from '../services/voices/preferences.ts';
import type { VoiceCatalog } from '../services/voices/voice-catalog.ts';
import { chooseVoice, localeToSpeak } from '../services/voices/voice-choice.ts';
import { listedVoice, type SpeechRequest } from '../speech/interface/schemas.ts';
import type { Channels, ReadingServices } from './decision.ts';

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
        // The error must not quote the message: the bot posts the error's text, which stays if the message is deleted.
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

/** After this pause between messages, the bot says the author's name again, even if the author is the same. */
const REMEMBERED_MS = 5 * 60_000;

/** Remembers whose message was last read aloud in each server. */
export function createNaming(now: () => number = Date.now) {
  const latest = new Map<string, { readonly author: string; readonly atMs: number }>();
  return {
    isNamed(guildId: string, author: string, mode: ServerRules['autoReadNames']): boolean {
      if (mode !== 'on-change') return mode === 'always';
      const last = latest.get(guildId);
      return last?.author !== author || now() - last.atMs > REMEMBERED_MS;
    },
    /** Records that the author's message is read aloud next. The returned function takes the record back. */
    follows(guildId: string, author: string): () => void {
      const mine = { author, atMs: now() };
      latest.set(guildId, mine);
      return () => {
        if (latest.get(guildId) === mine) latest.delete(guildId);
      };
    },
    forget: (guildId: string): void => void latest.delete(guildId),
  };
}

export type Naming = ReturnType<typeof createNaming>;

const BETWEEN_MS = 60_000;
/** After this time, a notice about the same problem is posted again, for members who missed the first. */
const SAME_MS = 30 * 60_000;

export function createNotices(now: () => number = Date.now) {
  const servers = new Map<string, Map<string, number>>();
  return {
    /** True if a notice about this kind of problem is due in the server; the notice then counts as posted. */
    take(guildId: string, kind: string): boolean {
      const told = servers.get(guildId) ?? new Map<string, number>();
      for (const [each, atMs] of told) if (now() - atMs >= SAME_MS) told.delete(each);
      if (told.has(kind) || [...told.values()].some((atMs) => now() - atMs < BETWEEN_MS)) return false;
      told.set(kind, now());
      servers.set(guildId, told);
      return true;
    },
  };
}

/** Voice channels from which members sent the bot away, until all members have left the channel. */
export class Dismissals {
  readonly #listeners: Channels['listeners'];
  readonly #channels = new Map<string, Set<string>>();

  constructor({ listeners }: Channels) {
    this.#listeners = listeners;
  }

  holds(guildId: string, channelId: string): boolean {
    return this.#channels.get(guildId)?.has(channelId) ?? false;
  }

  left({ guildId, voiceChannelId, reason }: Leaving): void {
    const channels = this.#channels.get(guildId) ?? new Set();
    const isSentOut = (reason === 'asked' || reason === 'kicked') && this.#listeners(guildId, voiceChannelId) > 0;
    if (isSentOut) this.#channels.set(guildId, channels.add(voiceChannelId));
    else channels.delete(voiceChannelId);
  }

  audienceChanged(guildId: string, botChannelId: string | undefined): void {
    const channels = this.#channels.get(guildId);
    for (const channelId of channels ?? []) {
      if (channelId === botChannelId || this.#listeners(guildId, channelId) === 0) channels?.delete(channelId);
    }
    if (channels?.size === 0) this.#channels.delete(guildId);
  }
}
