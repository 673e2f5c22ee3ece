import { watchSpeech } from '../services/monitoring/speech-watch.ts';
import type { DataFolder } from '../services/storage/data-folder.ts';
import { createSpeechClient, type SpeechClient } from '../speech/client/client.ts';
import type { MonitoringStage } from './monitoring.ts';
import { reachSpeech, type SpeechSource } from './speech-source.ts';
import type { Startup } from './startup.ts';

export interface SpeechStage {
  readonly source: SpeechSource;
  readonly speech: SpeechClient;
}

/** The client of the speech service, whose calls are counted; the local voice is started for it where it speaks. */
export async function openSpeech(
  startup: Startup,
  folder: DataFolder,
  monitoring: MonitoringStage,
): Promise<SpeechStage> {
  const { config, log, closeLater } = startup;
  const { metrics, readiness } = monitoring;
  const source = await reachSpeech(startup, folder);
  const client = createSpeechClient({ ...source, requestTimeoutMs: config.speechTimeoutMs, log });
  closeLater('the speech client', client.close);
  const { speech, problem } = watchSpeech({ speech: client, metrics });
  readiness.check('speech', problem);
  return { source, speech };
}
