import type { Clip } from '../../audio/clips/clip.ts';
import { DeliveryError } from '../../errors/user-errors.ts';
import type { VoicePlace } from '../presence/channel-presence.ts';
import type { Delivery, Item } from './utterance.ts';

/** An item whose sound is there already: speaking it again costs nothing. */
export function createReplayItem(place: VoicePlace, clip: Clip, { speech }: Pick<Delivery, 'speech'>): Item {
  const askedAtMs = performance.now();
  const cancellation = new AbortController();
  const { signal } = cancellation;
  const delivery = Promise.withResolvers<Delivery>();
  // What was billed then is not billed again.
  const { requestId: _, inputCharacters: __, ...known } = speech;

  return {
    place,
    signal,
    delivery: delivery.promise,
    askedAtMs,
    isCached: true,
    prepare: () => Promise.resolve(clip),
    cancel: (reason) => cancellation.abort(reason),
    succeed({ outcome, channelId, encrypted, firstPacketAtMs = performance.now() }) {
      delivery.resolve({
        outcome,
        channelId,
        speech: { ...known, creditsUsed: 0, cached: true, warnings: [] },
        firstAudioMs: Math.round(firstPacketAtMs - askedAtMs),
        encrypted,
      });
    },
    async fail(cause) {
      const reason = signal.aborted ? signal.reason : cause;
      cancellation.abort(reason);
      delivery.reject(new DeliveryError(this.place.channelId, { kind: 'none' }, reason));
    },
  };
}
