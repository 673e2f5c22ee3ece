/* Compiled by the type check, never run: requests that break the document's rules must not compile. */
import type { SpeechRequest, VoiceSelection } from '../../src/speech/request.ts';

const input = 'hello';

export const allowed: SpeechRequest[] = [
  { input, voice: { kind: 'id', voiceId: 'v' } },
  { input, voice: { kind: 'id', voiceId: 'v', model: 'gpro' } },
  { input, voice: { kind: 'name', voice: 'anna', model: 'gpro' } },
  { input, voice: { kind: 'name', voice: 'anna', model: 'of-next-year' }, responseFormat: 'wav', speed: 1 },
];

export const refused: VoiceSelection[] = [
  // @ts-expect-error a name together with an id
  { kind: 'id', voiceId: 'v', voice: 'anna' },
  // @ts-expect-error an id together with a name and a model
  { kind: 'name', voiceId: 'v', voice: 'anna', model: 'gpro' },
  // @ts-expect-error a name without its model
  { kind: 'name', voice: 'anna' },
  // @ts-expect-error a model without a name
  { kind: 'name', model: 'gpro' },
  // @ts-expect-error an id selection without the id
  { kind: 'id', model: 'gpro' },
  // @ts-expect-error neither
  {},
];

const voice: VoiceSelection = { kind: 'id', voiceId: 'v' };
export const refusedFields: SpeechRequest[] = [
  // @ts-expect-error null is not the absence of a field
  { input, voice, style: null },
  // @ts-expect-error a format the interface does not have
  { input, voice, responseFormat: 'ogg' },
  // @ts-expect-error a number given as text
  { input, voice, speed: '1' },
  // @ts-expect-error a field the interface does not have
  { input, voice, pitch: 1 },
  // @ts-expect-error the voice is chosen in one place
  { input, voice, voiceId: 'v' },
  // @ts-expect-error no text
  { voice },
  // @ts-expect-error no voice
  { input },
];

// A selection made elsewhere and widened still cannot carry all three.
const mixed = { kind: 'id' as const, voiceId: 'v', voice: 'anna', model: 'gpro' };
// @ts-expect-error excess fields in a variable are refused too
export const widened: VoiceSelection = mixed;
