import { availableParallelism, loadavg, setPriority } from 'node:os';
import { resample } from '../../../sound/resample.ts';
import { startEncoding } from '../encode.ts';
import type { SynthesisJob } from '../engine.ts';
import type { InstalledVoice } from './installed-voices.ts';
import { loadModel } from './runtime.ts';

/** Each neural voice has its own process: the runtime ends the process if a model is unusable, and the process's end frees all memory. */

export type WorkerData = Pick<InstalledVoice, 'kind' | 'files' | 'folder'>;
export type ToWorker = { id: number; job: SynthesisJob } | { cancel: number };
export type FromWorker =
  | { type: 'ready' }
  | { type: 'audio'; id: number; bytes: Uint8Array }
  | { type: 'end'; id: number }
  | { type: 'failed'; id: number; message: string };

/** The bot has priority over a neural voice, because it has to send an audio packet every 20 ms. */
const NICE = 5;
/** More threads than this do not make a neural voice faster. */
const MAX_THREADS = 4;

setPriority(NICE);
process.on('disconnect', () => process.exit());
const post = (message: FromWorker) => process.connected && process.send?.(message);

const voice: WorkerData = JSON.parse(process.argv[2] ?? '');
const threads = Math.round(availableParallelism() - (loadavg()[0] ?? 0));
const model = await loadModel(voice, Math.min(MAX_THREADS, Math.max(1, threads))).catch((error: Error) => {
  // The speech service reports this message as the reason why the neural voice does not load.
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});

const cancelled = new Set<number>();
let turn: Promise<unknown> = Promise.resolve();

async function speak(id: number, job: SynthesisJob): Promise<void> {
  try {
    if (cancelled.has(id)) return;
    const encoding = await startEncoding(job.sampleRateHz, job.format);
    await model.generateAsync({
      text: job.text,
      sid: Number(job.serverVoice),
      speed: job.speed,
      onProgress({ samples }) {
        if (cancelled.has(id)) return false;
        post({ type: 'audio', id, bytes: encoding.push(resample(samples, model.sampleRate, job.sampleRateHz)) });
        return true;
      },
    });
    post({ type: 'audio', id, bytes: encoding.end() });
    post({ type: 'end', id });
  } catch (error) {
    post({ type: 'failed', id, message: error instanceof Error ? error.message : String(error) });
  } finally {
    cancelled.delete(id);
  }
}

process.on('message', (message: ToWorker) => {
  if ('cancel' in message) cancelled.add(message.cancel);
  else turn = turn.then(() => speak(message.id, message.job));
});
post({ type: 'ready' });
