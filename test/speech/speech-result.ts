import type { SpeechResult } from '../../src/speech/client/client.ts';

/** What the client makes of an answer in which the service said only what it must. */
export const speechResult = (more: Partial<SpeechResult> = {}): SpeechResult => ({
  audioUrl: new URL('https://audio.example.com/audio'),
  creditsUsed: 12,
  creditsRemaining: 88,
  inputCharacters: undefined,
  model: undefined,
  spokenBy: undefined,
  requestId: 'req_1',
  warnings: [],
  ...more,
});
