import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import type { Fault, FaultSwitches, Subject } from '../../src/conformance/rule.ts';
import { createSubject } from '../../src/conformance/subject.ts';
import { type FaultCounter, noFaults } from '../../src/speech-service/faults.ts';
import { type SpeechService, type SpeechServiceOptions, startSpeechService } from '../../src/speech-service/server.ts';

const COUNTERS: Readonly<Record<Fault, FaultCounter>> = {
  unavailable: 'unavailable',
  quota: 'quota',
  'server-error': 'serverError',
  'content-policy': 'contentPolicy',
  'drop-after-billing': 'dropAfterBilling',
  html: 'html',
};
export const KEY = 'crier_sk_for_the_conformance_suite';

function switches(service: SpeechService): FaultSwitches {
  return {
    next: (fault, times) => {
      service.faults[COUNTERS[fault]] = times;
    },
    clear: () => void Object.assign(service.faults, noFaults()),
  };
}

export interface EmbeddedSubject extends AsyncDisposable {
  readonly subject: Subject;
  readonly url: string;
  readonly apiKey: string;
}

/**
 * The embedded service with an account that has credits and one that has none, reached over its sockets. `through`
 * gives the address to use in place of the service's own.
 */
export async function startEmbeddedSubject(
  options: Partial<SpeechServiceOptions> = {},
  through: (url: string) => Promise<{ url: string; close(): Promise<void> }> = async (url) => ({
    url,
    close: async () => {},
  }),
): Promise<EmbeddedSubject> {
  const folder = await mkdtemp(join(tmpdir(), 'crier-conformance-'));
  const start = (name: string, more: Partial<SpeechServiceOptions>) =>
    startSpeechService({ dataDir: join(folder, name), apiKey: KEY, requestsPerMinute: 100_000, ...more });
  const rich = await start('rich', options);
  const poor = await start('poor', { startingCredits: 1 });
  const front = await through(rich.url);
  const stop = new AbortController();
  const { subject, close } = createSubject({
    url: front.url,
    apiKey: KEY,
    log: pino({ level: 'silent' }),
    signal: stop.signal,
    faults: switches(rich),
    poor: { url: poor.url, apiKey: KEY },
  });
  return {
    subject,
    url: front.url,
    apiKey: KEY,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await close();
      await front.close();
      await Promise.all([rich.close(), poor.close()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
