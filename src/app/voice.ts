import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import type { Logger } from 'pino';
import * as z from 'zod';
import { createVoiceSessions } from '../audio/connection/voice-sessions.ts';
import { type AudioPipeline, createAudioPipeline } from '../audio/making/pipeline.ts';
import { type Config, isFree } from '../config/config.ts';
import { countListeners, leaveForbidden, obstacleIn, wasMutedBefore } from '../discord/channels/voice-access.ts';
import { createLeaveNotice } from '../discord/moderation/notices.ts';
import { commandOf } from '../process/package.ts';
import type { Metrics } from '../services/monitoring/metrics.ts';
import { createVoiceWatch, UNUSABLE } from '../services/monitoring/speech-watch.ts';
import type { Leaving } from '../services/playback/guild-speaker-types.ts';
import { createGuildSpeakers } from '../services/playback/guild-speakers.ts';
import {
  type AcceptedText,
  createUnspokenKeeper,
  type KeptWords,
  ORIGIN_KEPT_MS,
  WORDS_KEPT_MS,
} from '../services/playback/unspoken.ts';
import { speakerLimitsOf } from '../services/servers/server-rules.ts';
import type { PaidAudio } from '../services/spending/lost-audio-watch.ts';
import type { Spending } from '../services/spending/spending.ts';
import type { DataFolder } from '../services/storage/data-folder.ts';
import { createValueCipher, openKeptRows } from '../services/storage/kept-rows.ts';
import type { Table } from '../services/storage/store.ts';
import type { SoundStore } from '../services/synthesis/buying.ts';
import { type DiskCache, openDiskCache } from '../services/synthesis/disk-cache.ts';
import {
  createPurchases,
  type KeptPurchase,
  PURCHASES_KEPT_MS,
  type Purchases,
} from '../services/synthesis/purchases.ts';
import { cacheSecret, createCacheKey, createSoundStore, type SoundScope } from '../services/synthesis/sound-store.ts';
import { createSynthesiser } from '../services/synthesis/synthesis.ts';
import type { Synthesiser } from '../services/synthesis/synthesis-types.ts';
import type { VoiceCatalogue } from '../services/voices/voice-catalogue.ts';
import { openVoiceLoudness } from '../services/voices/voice-loudness.ts';
import { isLoopback } from '../speech/base-url.ts';
import type { SpeechClient } from '../speech/client/client.ts';
import { DEFAULT_MODEL, type EngineSettings } from '../speech/engines/engines-file.ts';
import { voiceIdOf } from '../speech/engines/listed-voices.ts';
import { SpeechError } from '../speech/errors.ts';
import type { DiscordStage } from './discord.ts';
import type { MonitoringStage } from './monitoring.ts';
import type { SpeechStage } from './speech.ts';
import type { Credits } from './spending.ts';
import type { Startup } from './startup.ts';
import type { StorageStage } from './storage.ts';

export type VoiceStage = Awaited<ReturnType<typeof openVoice>>;

interface VoiceNeeds {
  readonly folder: DataFolder;
  readonly monitoring: MonitoringStage;
  readonly storage: StorageStage;
  readonly source: SpeechStage['source'];
  readonly voices: SpeechStage['voices'];
  readonly client: DiscordStage['client'];
  readonly credits: Credits;
}

/** From a text to its sound in a voice channel. The stage that answers for the speakers closes them. */
export async function openVoice(startup: Startup, needs: VoiceNeeds) {
  const { config, log, closeLater, stopping } = startup;
  const { folder, source, voices, client } = needs;
  const { metrics, readiness } = needs.monitoring;
  const { store, settings: rules, ownership } = needs.storage;
  const { speech, spending, paidAudio } = needs.credits;
  const gains = await openVoiceLoudness({ store, log });
  const pipeline = createAudioPipeline({ log, gains, allowLoopback: isLoopback(source.baseUrl()), ...config.audio });
  closeLater('the audio pipeline', pipeline.close);
  const { apiKey } = source;
  const { keeper: unspoken, purchases } = await openUnspoken(startup, { apiKey, storage: needs.storage });
  const synthesiser = openSynthesiser({
    config,
    folder,
    pipeline,
    speech,
    voices,
    spending,
    paidAudio,
    purchases,
    apiKey,
    metrics,
    log,
    stopping,
  });
  closeLater('the synthesis', synthesiser.close);
  const watch = createVoiceWatch({ metrics });
  readiness.check('joining', watch.problem);
  const sessions = createVoiceSessions({
    log,
    onPlayed: metrics.played,
    onJoin: watch.joinEnded,
    onUnheard: metrics.unheard,
    maySpeak: () => ownership.owns(),
  });
  closeLater('the voice sessions', sessions.closeAll);

  const events = new EventEmitter<{ left: [Leaving]; deserted: [string] }>().on(
    'left',
    createLeaveNotice({ client, rules, log }),
  );
  const speakers = createGuildSpeakers({
    sessions,
    synthesiser,
    unspoken,
    log,
    listeners: (...where) => countListeners(client, ...where),
    channelExists: (channelId) => client.channels.cache.has(channelId),
    obstacle: (guildId, channelId) => obstacleIn(client, guildId, channelId),
    joinsFirst: (guildId) => watch.isInDoubt() || wasMutedBefore(client, guildId),
    limitsOf: (guildId) => speakerLimitsOf(rules.known(guildId)),
    onLeft: (leaving) => void events.emit('left', leaving),
    onDeserted: (guildId) => void events.emit('deserted', guildId),
    onFirstAudio: metrics.firstAudio,
  });
  rules.onChanged((guildId, before) => {
    speakers.find(guildId)?.limitsChanged();
    if (before) leaveForbidden(client, speakers, guildId, { before, after: rules.known(guildId) });
  });
  metrics.watch({
    speakers: sessions.census,
    queues: speakers.census,
    lostAudio: paidAudio.models,
    circuits: () => (voices.known()?.models ?? []).map(({ id }) => [id, speech.quotaRetryAfterMs(id) !== undefined]),
  });

  // The first utterance would wait for what is prepared. Speaking works, or says why not, without it.
  const prepare = (work: Promise<unknown>) =>
    work.catch((error: unknown) => {
      if (stopping.aborted) return;
      const why = error instanceof SpeechError ? UNUSABLE[error.kind] : undefined;
      if (why === undefined || config.speech.kind !== 'service') {
        log.warn({ err: error }, 'Could not prepare for the first utterance');
      } else {
        log.error(
          { err: error },
          `The speech service cannot speak: ${why}. Check VOICE_API_URL and VOICE_API_KEY with ${commandOf('doctor')}`,
        );
      }
    });
  let isPreparedForLongTexts = false;
  void prepare(pipeline.warmUp());
  void prepare(voices.list());
  return {
    voices,
    synthesiser,
    sessions,
    speakers,
    /** For a moment in which somebody may soon want to hear one: it takes 2 MB, and some 30 ms. */
    prepareLongTexts() {
      if (isPreparedForLongTexts) return;
      isPreparedForLongTexts = true;
      void prepare(synthesiser.warmUp());
    },
    encoderName: () => pipeline.encoderName,
    /** Every time the bot has left a voice channel. */
    onLeft: (listener: (leaving: Leaving) => void) => void events.on('left', listener),
    onDeserted: (listener: (guildId: string) => void) => void events.on('deserted', listener),
  };
}

interface OpenOptions {
  readonly config: Config;
  readonly folder: DataFolder;
  readonly pipeline: AudioPipeline;
  readonly speech: SpeechClient;
  readonly voices: VoiceCatalogue;
  readonly spending: Spending;
  readonly paidAudio: PaidAudio;
  readonly purchases: Purchases;
  readonly apiKey: string;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly stopping: AbortSignal;
}

/** What turns texts into sound, as the configuration wants it. */
function openSynthesiser(options: OpenOptions): Synthesiser {
  const { config, folder, apiKey, log, voices, metrics, ...rest } = options;
  const { memoryBytes } = config.audioCache;
  const store: SoundStore = createSoundStore({ memoryBytes, disk: openDisk(config.audioCache, folder, log), log });
  metrics.watch({ cache: store.use });
  return createSynthesiser({
    ...rest,
    keyOf: createCacheKey(soundScope(config.speech, apiKey)),
    store,
    onPartAudio: (ms) => metrics.firstAudio({ kind: 'part', ms }),
    models: () => voices.known()?.models,
    isFree: isFree(config.speech),
  });
}

/** Whose sounds and texts are kept here. */
export const soundScope = (speech: Config['speech'], apiKey: string): SoundScope => ({
  service: serviceOf(speech),
  apiKey,
  soundOf: speech.kind === 'local' ? soundOf(speech.engines) : undefined,
});

/** Whose texts wait here. After a change of an engine, it would not be found what was paid for them before. */
function textScope(speech: Config['speech'], apiKey: string): SoundScope {
  const { engines = [] } = speech.kind === 'local' ? speech : {};
  const said = JSON.stringify(engines, ['name', 'kind', 'url', 'model', 'style', 'voices', 'server_name']);
  return { service: engines.length > 0 ? `${serviceOf(speech)} ${said}` : serviceOf(speech), apiKey };
}

/** What answers, by a name that is the same after a restart: the local voice's port is not. */
const serviceOf = (speech: Config['speech']): string => (speech.kind === 'service' ? speech.url.href : 'local');

/**
 * What decides how a voice of the file's engines sounds, besides its id: not a key or price, which may change meanwhile, nor what
 * the file says of other voices. Undefined for the local synthesiser's.
 */
function soundOf(engines: readonly EngineSettings[]): Required<SoundScope>['soundOf'] {
  const serverNames = new Map<string, string>();
  const sounds = new Map<string, readonly unknown[]>();
  for (const engine of engines) {
    if (engine.kind === 'embedded') continue;
    const { name, kind, url, voices = [] } = engine;
    const manner = kind === 'openai' ? [engine.model ?? DEFAULT_MODEL, engine.style] : [];
    sounds.set(name, [name, kind, url, ...manner]);
    for (const { name: voice, server_name: at = voice } of voices) {
      if (at !== voice) serverNames.set(voiceIdOf(name, voice), at);
    }
  }
  return ({ voiceId = '', model = '' }) => {
    const sound = sounds.get(model);
    return sound && JSON.stringify([...sound, serverNames.get(voiceId)]);
  };
}

/** Speech works without it, too. */
function openDisk({ diskBytes }: Config['audioCache'], folder: DataFolder, log: Logger): DiskCache | undefined {
  try {
    if (diskBytes === 0) return undefined;
    return openDiskCache({ path: join(folder.path, 'clips'), maxBytes: diskBytes, log });
  } catch (error) {
    log.warn({ err: error }, 'Audio cannot be cached on disk');
    return undefined;
  }
}

interface UnspokenNeeds {
  readonly apiKey: string;
  readonly storage: StorageStage;
}

/** What outlives the process for some minutes: texts that were accepted and not spoken, and what was paid for them. */
async function openUnspoken({ config, log, closeLater }: Startup, { apiKey, storage }: UnspokenNeeds) {
  const { store, ownership } = storage;
  // Texts and sounds of one account can be read by the same account alone.
  const seal = createValueCipher(cacheSecret(textScope(config.speech, apiKey)));
  const isKept = config.resumesTexts;

  async function open<Value>(table: Table<string>, keptMs: number) {
    const rows = await openKeptRows<Value>({ table, seal, keptMs, owns: ownership.owns, log });
    closeLater('the texts that wait', rows.close, { keepsData: true });
    if (!isKept) for (const [key] of rows.entries()) rows.delete(key);
    return rows;
  }

  const keeper = createUnspokenKeeper({
    texts: await open<AcceptedText>(store.table('accepted-texts', z.string()), ORIGIN_KEPT_MS),
    words: await open<KeptWords>(store.table('accepted-words', z.string()), WORDS_KEPT_MS),
    isKept,
  });
  const paid = await open<KeptPurchase>(store.table('accepted-purchases', z.string()), PURCHASES_KEPT_MS);
  const purchases = createPurchases({
    rows: isKept && !isFree(config.speech) ? paid : undefined,
    // The addresses of the local voice end with it, also where its engines have a price.
    addressesLast: config.speech.kind === 'service',
  });
  return { keeper, purchases };
}
