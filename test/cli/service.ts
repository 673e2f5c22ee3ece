import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach } from 'vitest';
import { noFaults } from '../../src/speech-service/api/speech.ts';
import { startSpeechService } from '../../src/speech-service/server.ts';
import { createToneEngine } from '../end-to-end/tone-engine.ts';

export const KEY = 'crier_sk_a_key_for_tests_of_the_command_line';
/** One of its voices: `aria` of `gpro`. */
export const ARIA = '-v aria -m gpro';

/** A service that speaks in tones, for the tests of one file, over its sockets as the command line meets it. Its faults end with each test. */
export async function startService() {
  const dataDir = await mkdtemp(join(tmpdir(), 'voice-service-'));
  const engine = await createToneEngine();
  const service = await startSpeechService({ dataDir, apiKey: KEY, requestsPerMinute: 100_000, engine });
  afterEach(() => void Object.assign(service.faults, noFaults()));
  afterAll(async () => {
    await service.close();
    await rm(dataDir, { recursive: true, force: true });
  });
  /** Variables that make the command line use it. */
  const env = { VOICE_API_URL: service.url, VOICE_API_KEY: KEY };
  return Object.assign(service, { env });
}
