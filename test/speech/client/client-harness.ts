import { onTestFinished } from 'vitest';
import { type CallOptions, createSpeechClient, type SpeechClientOptions } from '../../../src/speech/client/client.ts';
import { SpeechError } from '../../../src/speech/errors.ts';
import type { SpeechRequest } from '../../../src/speech/interface/schemas.ts';
import { createManualClock } from '../../pace/manual-clock.ts';
import { writtenLog } from '../../silent-log.ts';
import { type Answering, startScriptedServer } from './scripted-server.ts';

export const KEY = 'sk-very-secret-key';
export const TEXT = 'Words nobody should find in a log.';
export const VOICE_ID = '0b7a1c1e-7a1c-4b2e-9d3f-3f2a1b0c9d8e';
export const request: SpeechRequest = { input: TEXT, voice: { kind: 'id', voiceId: VOICE_ID, model: 'gpro' } };

/** A client against a server of its own; time stands still unless the test moves it. */
export async function startHarness(answers: Answering[], options: Partial<SpeechClientOptions> = {}) {
  const server = await startScriptedServer(...answers);
  const clock = createManualClock();
  const { log, lines } = writtenLog('trace');
  const client = createSpeechClient({ baseUrl: server.url, apiKey: KEY, log, clock, ...options });
  onTestFinished(async () => {
    await client.close();
    await server.close();
  });
  /** The error a call ends in. */
  const failed = async (call: Promise<unknown>) => {
    const unexpected = () => new Error('the call was expected to fail');
    const error: unknown = await call.then(unexpected, (reason) => reason);
    if (error instanceof SpeechError) return error;
    throw error;
  };
  return {
    server,
    client,
    clock,
    /** Everything logged, down to trace. */
    lines,
    failed,
    speakFails: (callOptions?: CallOptions) => failed(client.speak(request, callOptions)),
  };
}
