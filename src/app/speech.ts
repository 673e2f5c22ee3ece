import { childEnvironment } from '../process/child-environment.ts';
import { startEmbeddedSpeech } from '../services/local-voice/embedded-speech.ts';
import { watchSpeech } from '../services/monitoring/speech-watch.ts';
import type { DataFolder } from '../services/storage/data-folder.ts';
import { createVoices } from '../services/voices/voices.ts';
import { createSpeechClient } from '../speech/client/client.ts';
import type { MonitoringStage } from './monitoring.ts';
import type { Startup } from './startup.ts';
import type { StorageStage } from './storage.ts';

interface SpeechSource {
  /** Changes when the local voice had to be restarted on another port. */
  readonly baseUrl: () => URL;
  /** Undefined unless speech comes from the local voice. */
  readonly serverEnd?: (signal: AbortSignal) => Promise<AbortSignal>;
  /** Wakes the local voice when a member may soon ask for speech. Undefined without a local voice. */
  readonly wake?: () => void;
  readonly apiKey: string;
  readonly authHeaderPrefix?: string;
}

/** Voices come and go with the engines of one's own, and asking for them costs nothing and next to no time. */
const OF_ENGINES = { ttlMs: 15_000, waitsForFresh: true };

export type SpeechStage = Awaited<ReturnType<typeof openSpeech>>;

/** The client of the speech service, whose calls are counted, and its voices; the local voice is started where it speaks. */
export async function openSpeech(
  startup: Startup,
  folder: DataFolder,
  { metrics, readiness }: MonitoringStage,
  { store, texts }: StorageStage,
) {
  const { config, log, closeLater } = startup;
  const source = await reachSpeech(startup, folder);
  const client = createSpeechClient({
    ...source,
    requestTimeoutMs: config.speechTimeoutMs,
    log,
  });
  closeLater('the speech client', client.close);
  const { speech, problem } = watchSpeech({ speech: client, metrics });
  readiness.check('speech', problem);
  const hasEngines = config.speech.kind === 'local' && config.speech.engines.length > 0;
  const isBlocked = async (name: string, guildId: string) => (await texts.blockedIn(name, guildId)) !== undefined;
  const voices = createVoices({ speech, store, isBlocked, log, ...(hasEngines && OF_ENGINES) });
  closeLater('the voice list', voices.close);
  return { source, speech, voices };
}

/** The address and key of the speech service; without a configured one, of the embedded one, which is started. */
async function reachSpeech(
  { config, conceal, closeLater, stopping, log }: Startup,
  folder: DataFolder,
): Promise<SpeechSource> {
  if (config.speech.kind === 'service') {
    const { url, key, authHeaderPrefix } = config.speech;
    conceal(key);
    return { baseUrl: () => url, apiKey: key, authHeaderPrefix };
  }
  const { engine, engines, engineKeys, dashboard } = config.speech;
  for (const key of engineKeys) conceal(key);
  const apiKey = folder.secret('speech-key', 'local_');
  conceal(apiKey);
  const dataPath = `${folder.path}/speech`;
  const embedded = await startEmbeddedSpeech({
    dataPath,
    dashboard,
    apiKey,
    environment: { ...childEnvironment(), ...engine, SPEECH_TIMEOUT_MS: String(config.speechTimeoutMs) },
    log,
    signal: stopping,
  });
  closeLater('the local voice', embedded.close);
  log.info(
    {
      speechUrl: embedded.url.origin,
      dashboardUrl: dashboard ? embedded.dashboardUrl : undefined,
      dashboardAddressIn: dashboard ? `${dataPath}/dashboard-address` : undefined,
    },
    engines.length === 0
      ? 'The voice is local: set VOICE_API_URL and VOICE_API_KEY to speak through a service'
      : 'The speech service on this machine is ready: it hands texts to the engines that are set',
  );
  return { baseUrl: () => embedded.url, serverEnd: embedded.currentEnd, wake: embedded.wake, apiKey };
}
