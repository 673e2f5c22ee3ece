/** The duration of every voice packet: Discord expects 20 ms, and each tick of the packet clock sends a packet. */
export const PACKET_MS = 20;

type ClipState = 'growing' | 'complete' | 'failed';

/**
 * One utterance as Opus packets of 20 ms each (mono, 960 ticks of the 48 kHz RTP clock). A clip grows while it is being
 * made. A failed clip keeps its good packets: they can be played, and `error` says why there are no more.
 */
export interface Clip {
  readonly packets: readonly Uint8Array[];
  readonly state: ClipState;
  readonly error: Error | undefined;
  readonly durationMs: number;
  /** Resolves once more than `count` packets exist or the clip has ended. Rejects only if `signal` aborts. */
  waitFor(count: number, signal?: AbortSignal): Promise<void>;
  /** Resolves when the clip is complete; rejects with the clip's error. Ignoring a rejection is safe. */
  readonly done: Promise<void>;
  /**
   * Called by the player with the number of packets sent so far. Present if the clip is only made as far as the player
   * needs it. Must not throw.
   */
  played?(count: number): void;
  /** Stops the download or decoder that makes the clip, which fails with a ClipCanceledError. Idempotent. */
  cancel(reason?: string): void;
}

export class ClipCanceledError extends Error {
  override name = 'ClipCanceledError';
}

/**
 * Creates an empty clip and the methods that fill it. After the clip's end the methods do nothing, so a late packet
 * does no harm.
 */
export function createClip() {
  const packets: Uint8Array[] = [];
  const waiters = new Set<{ count: number; resolve: () => void }>();
  const cancellation = new AbortController();
  const { promise: done, resolve: resolveDone, reject: rejectDone } = Promise.withResolvers<void>();
  // A failed clip that nobody awaits must not cause an unhandled rejection: the player reads `error` instead.
  done.catch(() => undefined);
  let state: ClipState = 'growing';
  let error: Error | undefined;

  function wake(): void {
    for (const waiter of waiters) {
      if (state === 'growing' && packets.length <= waiter.count) continue;
      waiters.delete(waiter);
      waiter.resolve();
    }
  }

  function end(failure?: Error): void {
    if (state !== 'growing') return;
    state = failure ? 'failed' : 'complete';
    error = failure;
    wake();
    if (failure) rejectDone(failure);
    else resolveDone();
  }

  const clip: Clip = {
    packets,
    get state() {
      return state;
    },
    get error() {
      return error;
    },
    get durationMs() {
      return packets.length * PACKET_MS;
    },
    done,
    waitFor(count, signal) {
      if (signal?.aborted) return Promise.reject(signal.reason);
      if (state !== 'growing' || packets.length > count) return Promise.resolve();
      return new Promise((resolve, reject) => {
        const onAbort = () => {
          waiters.delete(waiter);
          reject(signal?.reason);
        };
        const waiter = {
          count,
          resolve() {
            signal?.removeEventListener('abort', onAbort);
            resolve();
          },
        };
        waiters.add(waiter);
        signal?.addEventListener('abort', onAbort, { once: true });
      });
    },
    cancel(reason = 'The clip was canceled') {
      if (state !== 'growing') return;
      const cancelError = new ClipCanceledError(reason);
      end(cancelError);
      cancellation.abort(cancelError);
    },
  };

  return {
    clip,
    /** Aborts when the clip is canceled, so that its download and decoder stop. */
    canceled: cancellation.signal,
    push(packet: Uint8Array): void {
      if (state !== 'growing') return;
      packets.push(packet);
      if (waiters.size > 0) wake();
    },
    complete: () => end(),
    fail: (failure: Error) => end(failure),
  };
}

export type ClipWriter = ReturnType<typeof createClip>;

/** A finished clip of packets made earlier (by a cache or a test). The packets are not copied. */
export function clipFromPackets(source: readonly Uint8Array[]): Clip {
  const writer = createClip();
  for (const packet of source) writer.push(packet);
  writer.complete();
  return writer.clip;
}

/**
 * An Opus packet of 20 ms of silence. @discordjs/voice leaves exactly these bytes without end-to-end encryption, even
 * in an encrypted call. Silence can therefore be sent while no encryption key exists yet.
 */
export const SILENCE_PACKET = Buffer.from([0xf8, 0xff, 0xfe]);

/**
 * A view of a clip that several callers share. Canceling a view ends only the view, which keeps its packets so far.
 * `onCanceled` runs if the view was canceled while the clip grew; the clip itself continues.
 */
export function viewOf(source: Clip, onPlayed?: Clip['played'], onCanceled?: () => void): Clip {
  const ended = new AbortController();
  const { promise: done, resolve, reject } = Promise.withResolvers<void>();
  done.catch(() => undefined);
  source.done.then(resolve, reject);
  let canceled: { readonly error: Error; readonly packets: readonly Uint8Array[] } | undefined;

  return {
    get packets() {
      return canceled?.packets ?? source.packets;
    },
    get state() {
      return canceled ? 'failed' : source.state;
    },
    get error() {
      return canceled?.error ?? source.error;
    },
    get durationMs() {
      return this.packets.length * PACKET_MS;
    },
    done,
    async waitFor(count, signal) {
      signal?.throwIfAborted();
      if (canceled) return;
      try {
        await source.waitFor(count, signal ? AbortSignal.any([signal, ended.signal]) : ended.signal);
      } catch (error) {
        if (signal?.aborted || !canceled) throw error;
      }
    },
    played: onPlayed,
    cancel(reason = 'The clip was canceled') {
      if (canceled || source.state !== 'growing') return;
      canceled = { error: new ClipCanceledError(reason), packets: [...source.packets] };
      ended.abort(canceled.error);
      reject(canceled.error);
      onCanceled?.();
    },
  };
}
