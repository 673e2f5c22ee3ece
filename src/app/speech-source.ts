import { childEnvironment } from '../process/child-environment.ts';
import { startEmbeddedSpeech } from '../services/local-voice/embedded-speech.ts';
import type { DataFolder } from '../services/storage/data-folder.ts';
import type { Startup } from './startup.ts';

export interface SpeechSource {
  readonly baseUrl: URL;
  readonly apiKey: string;
  readonly authHeaderPrefix?: string;
}

/** The address and key of the speech service; without a configured one, of the embedded one, which is started. */
export async function reachSpeech(
  { config, conceal, closeLater, stopping, log }: Startup,
  folder: DataFolder,
): Promise<SpeechSource> {
  if (config.speech.kind === 'service') {
    const { url, key, authHeaderPrefix } = config.speech;
    conceal(key);
    return { baseUrl: url, apiKey: key, authHeaderPrefix };
  }
  const { engine, engineKey } = config.speech;
  if (engineKey) conceal(engineKey);
  const apiKey = folder.secret('speech-key', 'local_');
  conceal(apiKey);
  const embedded = await startEmbeddedSpeech({
    dataPath: `${folder.path}/speech`,
    apiKey,
    environment: { ...childEnvironment(), ...engine },
    log,
    signal: stopping,
  });
  closeLater('the local voice', embedded.close);
  log.info(
    { speechUrl: embedded.url.origin, dashboardUrl: embedded.dashboardUrl.href },
    'The voice is local: set VOICE_API_URL and VOICE_API_KEY to speak through a service',
  );
  return { baseUrl: embedded.url, apiKey };
}
