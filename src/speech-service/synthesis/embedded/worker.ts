import { parentPort, workerData } from 'node:worker_threads';
import { loadLanguageDetector } from '../../../language/detection.ts';
import { isJapanese } from '../../../language/speakable-words.ts';
import { loadEncoders } from '../encode.ts';
import type { TimbredJob } from '../engine.ts';
import { loadEspeak } from './espeak.ts';
import { loadFlite } from './flite.ts';
import { loadJapanese, type ReadJapanese, readsKanji } from './japanese.ts';
import { renderSpeech } from './render.ts';

/** Synthesis runs in this worker thread, because it would block other work for tens of milliseconds. */

export interface WorkerData {
  readonly english: 'flite' | 'espeak';
}
export type ToWorker = { id: number; job: TimbredJob };
export type FromWorker =
  | { type: 'ready' }
  /** The synthesis thread reports each part of a text before Flite speaks it, to show that the thread is not stuck. */
  | { type: 'speaking' }
  | { type: 'done'; id: number; bytes: Uint8Array<ArrayBuffer> }
  | { type: 'failed'; id: number; message: string };

const port = parentPort;
if (port === null) throw new Error('This file is a worker thread of the speech service.');
const post = (message: FromWorker, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer);
const { english }: WorkerData = workerData;

const [espeak, flite, encode, detector] = await Promise.all([
  loadEspeak(),
  english === 'flite' ? loadFlite(() => post({ type: 'speaking' })) : undefined,
  loadEncoders(),
  loadLanguageDetector(),
]);
let loadedJapanese: ReadJapanese | undefined;
/** Most services never speak Japanese, so the Japanese dictionary is loaded at the first Japanese text. */
const readerFor = ({ text, language }: TimbredJob): ReadJapanese | undefined => {
  // A text of kanji alone counts as Chinese, unless the request names Japanese as its language.
  if ((isJapanese(text) || language === 'ja') && readsKanji()) loadedJapanese ??= loadJapanese();
  return loadedJapanese;
};
port.on('message', ({ id, job }: ToWorker) => {
  try {
    const speech = renderSpeech(job, { espeak, flite }, { detector, readJapanese: readerFor(job) });
    const bytes = encode(speech, job.sampleRateHz, job.format);
    post({ type: 'done', id, bytes }, [bytes.buffer]);
  } catch (error) {
    post({ type: 'failed', id, message: error instanceof Error ? error.message : String(error) });
  }
});
post({ type: 'ready' });
