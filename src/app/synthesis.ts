import { join } from 'node:path';
import type { Logger } from 'pino';
import type { AudioPipeline } from '../audio/making/pipeline.ts';
import { type Config, isFree } from '../config/config.ts';
import type { Metrics } from '../services/monitoring/metrics.ts';
import type { PaidAudio } from '../services/spending/lost-audio-watch.ts';
import type { DataFolder } from '../services/storage/data-folder.ts';
import { AUDIO_KEPT_MS } from '../services/storage/retention.ts';
import type { PurchaseRecords, SoundStore } from '../services/synthesis/buying.ts';
import { createCacheKey, type SoundScope } from '../services/synthesis/cache-key.ts';
import { type DiskCache, openDiskCache } from '../services/synthesis/disk-cache.ts';
import { createSoundStore } from '../services/synthesis/sound-store.ts';
import { createSynthesiser } from '../services/synthesis/synthesis.ts';
import type { SpendingGate, Synthesiser } from '../services/synthesis/synthesis-types.ts';
import type { VoiceCatalogue } from '../services/voices/voice-catalogue.ts';
import type { SpeechClient } from '../speech/client/client.ts';
import { DEFAULT_MODEL, type EngineSettings } from '../speech/engines/engines-file.ts';
import { voiceIdOf } from '../speech/engines/listed-voices.ts';

interface OpenOptions {
  readonly config: Pick<Config, 'speech' | 'audioCache'>;
  readonly folder: DataFolder;
  readonly pipeline: AudioPipeline;
  readonly speech: Pick<SpeechClient, 'speak'>;
  readonly voices: VoiceCatalogue;
  readonly spending: SpendingGate;
  readonly paidAudio: PaidAudio;
  readonly journal: PurchaseRecords | undefined;
  readonly apiKey: string;
  readonly metrics: Pick<Metrics, 'watch' | 'firstAudio'>;
  readonly log: Logger;
  readonly stopping: AbortSignal;
}

/** What turns texts into sound, as the configuration wants it. */
export function openSynthesiser(options: OpenOptions): Synthesiser {
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
  ...(speech.kind === 'local' && { soundOf: soundOf(speech.engines) }),
});

/** Whose texts wait here. After a change of an engine, it would not be found what was paid for them before. */
export function textScope(speech: Config['speech'], apiKey: string): SoundScope {
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
    return openDiskCache({ path: join(folder.path, 'clips'), maxBytes: diskBytes, ttlMs: AUDIO_KEPT_MS, log });
  } catch (error) {
    log.warn({ err: error }, 'What is spoken is not kept on disk');
    return undefined;
  }
}
