import { wavFile } from '../../../../src/sound/wav.ts';
import type { FromWorker, ToWorker } from '../../../../src/speech-service/synthesis/neural/worker.ts';

/** A process of a voice that fails on command: the text says how. */
const post = (message: FromWorker) => process.send?.(message);

process.on('message', (message: ToWorker) => {
  if ('cancel' in message || message.job.text === 'hang') return;
  if (message.job.text === 'die') process.exit(1);
  if (message.job.text === 'keys') {
    const keys = Object.keys(process.env).filter((name) => /KEY/.test(name));
    return post({ type: 'failed', id: message.id, message: `Its keys: ${keys.join(', ') || 'none'}.` });
  }
  post({ type: 'audio', id: message.id, bytes: wavFile(new Float32Array(24_000), 24_000) });
  post({ type: 'end', id: message.id });
});
post({ type: 'ready' });
