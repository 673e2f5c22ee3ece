import { parentPort } from 'node:worker_threads';
import { loadLanguageDetector } from '../../../language/detection.ts';
import { isJapanese } from '../../../language/speakable-words.ts';
import { loadEncoders } from '../encode.ts';
import type { TimbredJob } from '../engine.ts';
import { TIMBRES } from '../timbres.ts';
import { EspeakMissingError, loadEspeak } from './espeak.ts';
import { loadJapanese, type ReadJapanese, readsKanji } from './japanese.ts';
import type { LanguageTools } from './language.ts';
import { renderSpeech } from './render.ts';

/** Synthesis stalls its thread for tens of milliseconds, so it has one of its own. */

export type ToWorker = { id: number; job: TimbredJob };
export type FromWorker =
  | { type: 'ready' }
  | { type: 'missing'; message: string }
  | { type: 'done'; id: number; bytes: Uint8Array<ArrayBuffer> }
  | { type: 'failed'; id: number; message: string };

const port = parentPort;
if (port === null) throw new Error('This file is a worker thread of the speech service.');
const post = (message: FromWorker, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer);

const WARM_UP_TIMBRE = TIMBRES.aria;
if (WARM_UP_TIMBRE === undefined) throw new Error('The voice for warming up is gone.');
const WARM_UP: TimbredJob = {
  text: 'The first sentence is slow, so it is spoken before anybody waits for one.',
  voiceName: 'aria',
  timbre: WARM_UP_TIMBRE,
  tags: 'none',
  multilingual: true,
  format: 'mp3',
  sampleRateHz: 24_000,
  speed: 1,
};

try {
  const [espeak, encode] = await Promise.all([loadEspeak(), loadEncoders()]);
  const speak = (job: TimbredJob, tools?: LanguageTools) =>
    encode(renderSpeech(job, espeak, tools), job.sampleRateHz, job.format);
  speak(WARM_UP);
  speak({ ...WARM_UP, format: 'wav' });
  /** At the first text, which takes some 50 ms longer: a service that speaks none does without 15 MB. */
  let detector: ReturnType<typeof loadLanguageDetector> | undefined;
  let loadedJapanese: ReadJapanese | undefined;
  /** At the first Japanese text: most services never speak one. */
  const readerFor = ({ text, language }: TimbredJob): ReadJapanese | undefined => {
    // Kanji alone are Chinese, unless the language is named.
    if ((isJapanese(text) || language === 'ja') && readsKanji()) loadedJapanese ??= loadJapanese();
    return loadedJapanese;
  };
  port.on('message', async ({ id, job }: ToWorker) => {
    try {
      detector ??= loadLanguageDetector();
      const bytes = speak(job, { detector: await detector, readJapanese: readerFor(job) });
      post({ type: 'done', id, bytes }, [bytes.buffer]);
    } catch (error) {
      post({ type: 'failed', id, message: error instanceof Error ? error.message : String(error) });
    }
  });
  post({ type: 'ready' });
} catch (error) {
  if (!(error instanceof EspeakMissingError)) throw error;
  post({ type: 'missing', message: error.message });
}
