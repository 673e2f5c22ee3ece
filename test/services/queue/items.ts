import type { QueueItem, Requested, SpeechOrder } from '../../../src/services/queue/queue-item.ts';
import type { SpeechRequest } from '../../../src/speech/request.ts';

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
