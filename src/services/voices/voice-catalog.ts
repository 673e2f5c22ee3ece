import type { Logger } from 'pino';
import type { CallOptions, SpeechClient } from '../../speech/client/client.ts';
import { type ModelInfo, type Voice, variantsIn } from '../../speech/interface/schemas.ts';
import { type PlainTextKey, render, type Text, text } from '../../texts/catalog.ts';

/** A voice's gender and accent; each is undefined if the speech service does not state it. */
type Sound = Pick<Voice, 'gender' | 'accent'>;

const ACCENTS: Readonly<Record<string, PlainTextKey>> = {
  American: 'voice.accent.american',
  Australian: 'voice.accent.australian',
  British: 'voice.accent.british',
  Indian: 'voice.accent.indian',
  Irish: 'voice.accent.irish',
  'New York': 'voice.accent.new-york',
  Scottish: 'voice.accent.scottish',
};

/** How a voice sounds, such as 'female, American'. An accent without a translation is shown as it is. */
export function soundLabel({ gender, accent }: Sound, quoted = (words: string) => words): Text | string | undefined {
  const key = accent === undefined ? undefined : ACCENTS[accent];
  const spoken = key === undefined ? accent && quoted(accent) : text(key);
  const person = gender && text(`voice.gender.${gender}`);
  return person && spoken ? text('voice.sound', { gender: person, accent: spoken }) : (person ?? spoken);
}

/** Search words that describe a voice's sound, in English and in the language of `locale`. */
export function soundWords(voice: Sound, locale: string): string {
  const label = soundLabel(voice);
  const own = typeof label === 'object' ? render(label, locale) : '';
  return [voice.gender, voice.accent, own].join(' ');
}

export interface VoiceList {
  readonly voices: readonly Voice[];
  readonly models: readonly ModelInfo[];
  readonly fetchedAtMs: number;
}

export interface VoiceCatalogOptions {
  readonly speech: SpeechClient;
  readonly log: Logger;
  /** True for engines that the owner runs. They answer quickly, so an old voice list is used only if no new one can be fetched. */
  readonly hasEngines: boolean;
}

/** How long a cached voice list stays fresh. New voices appear rarely, and a missing voice refreshes the list at once. */
const TTL_MS = 10 * 60_000;
/** How long a voice list of the owner's own engines stays fresh. Such engines may add and remove voices at any time. */
const ENGINES_TTL_MS = 15_000;
/** Minimum time between refreshes of the voice list. Mistyped voice names must not use up the account's 60 requests a minute. */
const MIN_REFRESH_MS = 10_000;
/** The deadline for the voice list is shorter than the deadline for speech, because autocomplete and /voices wait for the list. */
const FETCH_DEADLINE_MS = 10_000;

export function createVoiceCatalog({ speech, log, hasEngines }: VoiceCatalogOptions) {
  const closed = new AbortController();
  let current: VoiceList | undefined;
  let stale = false;
  let models: readonly ModelInfo[] = [];
  let modelsFetchedAtMs = Number.NEGATIVE_INFINITY;
  let lastAttemptMs = Number.NEGATIVE_INFINITY;
  let fetching: Promise<VoiceList> | undefined;

  async function fetchList(): Promise<VoiceList> {
    lastAttemptMs = Date.now();
    try {
      const call = { signal: closed.signal, deadlineMs: FETCH_DEADLINE_MS };
      const [{ voices }] = await Promise.all([speech.voices(call), fetchModels(call)]);
      const variants = variantsIn(voices);
      const marked = voices.map((voice) => (variants.has(voice) ? { ...voice, isVariant: true } : voice));
      current = { voices: marked, models, fetchedAtMs: Date.now() };
      stale = false;
      log.debug({ voices: voices.length }, 'Refreshed the voice list');
      return current;
    } catch (error) {
      stale = true;
      throw error;
    }
  }

  /** Fetches the models and their input limits. For a model without one, the bot assumes the smallest input limit of all known models. */
  async function fetchModels(call: CallOptions): Promise<void> {
    if (Date.now() - modelsFetchedAtMs < TTL_MS) return;
    try {
      models = (await speech.models(call)).models;
      modelsFetchedAtMs = Date.now();
    } catch (error) {
      if (!closed.signal.aborted)
        log.warn({ err: error }, 'Could not list speech models: assuming the usual text lengths');
    }
  }

  function fetchOnce(): Promise<VoiceList> {
    fetching ??= fetchList().finally(() => {
      fetching = undefined;
    });
    return fetching;
  }

  const mayAsk = () => Date.now() - lastAttemptMs >= MIN_REFRESH_MS;

  const isOld = (list: VoiceList) => Date.now() - list.fetchedAtMs > (hasEngines ? ENGINES_TTL_MS : TTL_MS);

  /** The cached list, without waiting. An old list is refreshed in the background. */
  function known(): VoiceList | undefined {
    if (current && isOld(current) && mayAsk()) void refresh();
    return current;
  }

  /** Fetches at most once in MIN_REFRESH_MS for all callers together. If the service fails, the cached list stays. */
  async function refresh(): Promise<VoiceList> {
    if (current && !fetching && !mayAsk()) return current;
    try {
      return await fetchOnce();
    } catch (error) {
      if (!current) throw error;
      if (!closed.signal.aborted) log.warn({ err: error }, 'Could not refresh the voice list: using the previous list');
      return current;
    }
  }

  return {
    known,
    /**
     * Waits only if no list is cached, or if the cached list of the owner's own engines is old. Rejects with a
     * SpeechError if none is cached and the service fails.
     */
    async list(): Promise<VoiceList> {
      if (hasEngines && current && isOld(current)) return refresh();
      return known() ?? (await fetchOnce());
    },
    refresh,
    /** True if the last refresh failed: the cached list may be outdated. */
    get stale() {
      return stale;
    },
    close: () => closed.abort(),
  };
}

export type VoiceCatalog = ReturnType<typeof createVoiceCatalog>;
