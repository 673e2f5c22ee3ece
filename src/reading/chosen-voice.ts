import { refusal, UserError } from '../errors/user-errors.ts';
import { areKanji, languageOfText } from '../language/detection.ts';
import type { Leaving } from '../services/playback/guild-speaker.ts';
import type { SpeechOrder } from '../services/queue/queue-item.ts';
import { createCooldowns, type ServerRules } from '../services/servers/admission.ts';
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
import { chooseVoice, localeToSpeak } from '../services/voices/voice-choice.ts';
import { listedVoice, type SpeechRequest } from '../speech/interface/schemas.ts';
import type { Channels, ReadingServices } from './decision.ts';

interface Whose {
  readonly guildId: string;
  /** The author of the text to read; if undefined, only the server's preferences apply. */
  readonly userId: string | undefined;
  readonly guildLocale: string;
}

/** The choice of voice and language for speech that no command requested, such as a chat message read aloud. */
export async function chosenVoice(whose: Whose, services: ReadingServices) {
  const preferences = await availablePreferences(whose, services);
  const { server: rules } = preferences;
  const likely = likelyLanguages(preferences, whose.guildLocale);

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
    localeOf: (language: string | undefined) =>
      localeToSpeak(language, services.voices.known(), { kept: keptVoices(preferences, language), rules }),
    /**
     * Chooses the voice as /say does, but skips a vanished voice without a notice. `language` is that of the message
     * alone, without the words that the bot adds. Rejects with a UserError if no voice is available, or with a
     * SpeechError.
     */
    async requestFor(input: string, language: string | undefined): Promise<SpeechRequest> {
      const { voices } = await services.voices.list();
      const kept = keptVoices(preferences, language);
      const chosen = chooseVoice(voices, { kept, rules, words: input, areKanji: areKanji(input, likely) });
      const refusalOf = (style: string) => services.texts.blockedInStyle(style, whose.guildId);
      const speechOptions = plainOptions(preferredOptions({}, await withAllowedStyles(preferences, refusalOf)));
      if (chosen.kind === 'cannot-speak') {
        const isForced = rules.forcedVoice?.voiceId === chosen.voice.id;
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

/** After this pause between messages, the bot says the author's name again, even if the author is the same. */
const REMEMBERED_MS = 5 * 60_000;

/** Remembers whose message was last read aloud in each server. */
export function createNaming(now: () => number) {
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

const ANY_NOTICE = { uses: 1, perMs: 60_000 };
/** After this time, a notice about the same problem is posted again, for members who missed the first. */
const SAME_NOTICE = { uses: 1, perMs: 30 * 60_000 };

export function createNotices(now: () => number) {
  const cooldowns = createCooldowns(now);
  return {
    /** True if a notice about this kind of problem is due in the server; the notice then counts as posted. */
    take(guildId: string, kind: string): boolean {
      if (cooldowns.waitMs(guildId, ANY_NOTICE) > 0) return false;
      if (cooldowns.take(`${guildId} ${kind}`, SAME_NOTICE) > 0) return false;
      return cooldowns.take(guildId, ANY_NOTICE) === 0;
    },
  };
}

/** Voice channels from which members sent the bot away, until all members have left the channel. */
export function createDismissals({ listeners }: Channels) {
  /** The server of each of these voice channels. */
  const servers = new Map<string, string>();
  return {
    holds: (channelId: string): boolean => servers.has(channelId),
    left({ guildId, voiceChannelId, reason }: Leaving): void {
      const isSentOut = (reason === 'asked' || reason === 'kicked') && listeners(guildId, voiceChannelId) > 0;
      if (isSentOut) servers.set(voiceChannelId, guildId);
      else servers.delete(voiceChannelId);
    },
    audienceChanged(changedId: string, botChannelId: string | undefined): void {
      for (const [channelId, guildId] of servers) {
        if (guildId !== changedId) continue;
        if (channelId === botChannelId || listeners(guildId, channelId) === 0) servers.delete(channelId);
      }
    },
  };
}

export type Dismissals = ReturnType<typeof createDismissals>;
