import type { Delivery, QueueItem, Requested, SpeechOrder } from '../../../src/services/queue/queue-item.ts';
import type { SpeechFacts } from '../../../src/services/synthesis/synthesis.ts';
import type { SpeechRequest } from '../../../src/speech/interface/schemas.ts';

/** What a test does not care for is as of a text that alice asked for with /say. */
export const orderOf = (more: Partial<SpeechOrder> = {}): SpeechOrder => ({
  userId: 'alice',
  from: 'own',
  words: 'Hello',
  as: 'voice',
  speechOptions: {},
  ...more,
});

export function requestedOf(input = 'Hello', more: Partial<Requested> = {}): Requested {
  const request: SpeechRequest = { input, voice: { kind: 'id', voiceId: 'v' } };
  return { request, voices: [], billed: [], isBleeped: false, notes: [], ...more };
}

export const itemOf = ({ order, requested, ...more }: Partial<QueueItem> = {}): QueueItem => ({
  id: 'one',
  order: orderOf(order),
  requested: requested ?? requestedOf(),
  channelId: '2',
  state: 'waiting',
  position: 0,
  waitMs: undefined,
  ...more,
});

/** The cost of a text that came from what is kept, and of which no more is known. */
export const factsOf = (more: Partial<SpeechFacts> = {}) => ({ creditsUsed: 0, cached: true, ...more }) as SpeechFacts;

/** A text that was heard to its end. */
export const deliveryOf = (cost: Partial<SpeechFacts>, more: Partial<Delivery> = {}): Delivery => ({
  ...{ outcome: 'finished' as const, stoppedBy: undefined, channelId: '30', firstAudioMs: 20, encrypted: true },
  ...{ isNotKept: false, speech: factsOf(cost), ...more },
});
