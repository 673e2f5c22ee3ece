import { parentPort, threadId } from 'node:worker_threads';
import type { FromWorker, ToWorker } from '../../../../src/speech-service/synthesis/embedded/worker.ts';

/** A synthesis thread that fails on command: the text says how. Its answer is its own number. */
const post = (message: FromWorker) => parentPort?.postMessage(message);

parentPort?.on('message', ({ id, job }: ToWorker) => {
  if (job.text === 'hang') while (true);
  if (job.text === 'die') process.exit(1);
  if (job.text === 'throw') throw new Error('out of order');
  post({ type: 'done', id, bytes: Uint8Array.of(threadId) });
});
post({ type: 'ready' });
