/**
 * Why the bot could not use audio from a URL. 'endless': far more audio than the text can need. 'too-short': far less
 * audio, or silence. 'damaged': the audio is broken or ends early.
 */
export type AudioErrorKind =
  | 'refused-address'
  | 'refused-redirect'
  | 'http-status'
  | 'network'
  | 'timeout'
  | 'too-large'
  | 'too-long'
  | 'endless'
  | 'too-short'
  | 'not-audio'
  | 'ffmpeg-missing'
  | 'damaged';

export class AudioError extends Error {
  override name = 'AudioError';
  readonly kind: AudioErrorKind;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(
    kind: AudioErrorKind,
    message: string,
    { cause, status, retryAfterMs }: { cause?: unknown; status?: number; retryAfterMs?: number } = {},
  ) {
    super(message, { cause });
    this.kind = kind;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

const PASSING: readonly AudioErrorKind[] = ['http-status', 'network', 'timeout', 'damaged'];

/** True if fetching the audio again may succeed, because the failure may be temporary. */
export const mayPass = ({ kind }: AudioError): boolean => PASSING.includes(kind);

/** Discord expects voice packets of 20 ms, one every 20 ms. */
export const PACKET_MS = 20;

/** One utterance as mono Opus packets of 20 ms. A failed clip keeps its good packets, which can be played. */
export interface Clip {
  readonly packets: readonly Uint8Array[];
  readonly state: 'growing' | 'complete' | 'failed';
  readonly error: Error | undefined;
  readonly durationMs: number;
  /** Resolves once more than `count` packets exist or the clip has ended. Rejects only if `signal` aborts. */
  waitFor(count: number, signal?: AbortSignal): Promise<void>;
  /** Resolves when the clip is complete, and rejects with the clip's error. An ignored rejection does no harm. */
  readonly done: Promise<void>;
  /** The player reports how many packets it has sent, so that audio is made only as far as needed. */
  played?(count: number): void;
  /** Ends the clip with a ClipCanceledError, and stops the download or decoder that fills it. Idempotent. */
  cancel(reason?: string): void;
}

export class ClipCanceledError extends Error {
  override name = 'ClipCanceledError';
}

/** The methods that fill a clip do nothing once the clip has ended. */
export function createClip(played?: Clip['played']) {
  const packets: Uint8Array[] = [];
  const waiters = new Set<{ count: number; resolve: () => void }>();
  const cancellation = new AbortController();
  const { promise: done, resolve: resolveDone, reject: rejectDone } = Promise.withResolvers<void>();
  // A failed clip that nobody awaits must not cause an unhandled rejection: the player reads `error` instead.
  done.catch(() => undefined);
  let state: Clip['state'] = 'growing';
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
    played,
    waitFor(count, signal) {
      // Some players never report progress, so all packets before the awaited packet count as played.
      played?.(count);
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

export function clipFromPackets(source: readonly Uint8Array[]): Clip {
  const writer = createClip();
  for (const packet of source) writer.push(packet);
  writer.complete();
  return writer.clip;
}

/** 20 ms of silence as an Opus packet. @discordjs/voice recognizes exactly these bytes, and does not encrypt them end to end. */
export const SILENCE_PACKET = Buffer.from([0xf8, 0xff, 0xfe]);

/** One caller's view of a shared clip. Canceling a view keeps its packets, and the shared clip continues. */
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
