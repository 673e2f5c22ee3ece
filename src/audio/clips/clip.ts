import { EventEmitter, once } from 'node:events';

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

export function asBuffer(packet: Uint8Array): Buffer {
  return Buffer.isBuffer(packet) ? packet : Buffer.from(packet.buffer, packet.byteOffset, packet.byteLength);
}

/** One utterance as mono Opus packets of 20 ms. A failed clip keeps its good packets, which can be played. */
export interface Clip {
  readonly packets: readonly Uint8Array[];
  readonly state: 'growing' | 'complete' | 'failed';
  readonly error: Error | undefined;
  readonly durationMs: number;
  /** Calls `listener` with each packet: at once with those that exist, and later with each new one. */
  onPacket(listener: (packet: Uint8Array) => void): void;
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
  /** 'packet' tells of each new packet, and 'change' also of the end. */
  const events = new EventEmitter<{ packet: [Uint8Array]; change: [] }>().setMaxListeners(0);
  const cancellation = new AbortController();
  const { promise: done, resolve: resolveDone, reject: rejectDone } = Promise.withResolvers<void>();
  // A failed clip that nobody awaits must not cause an unhandled rejection: the player reads `error` instead.
  done.catch(() => undefined);
  let state: Clip['state'] = 'growing';
  let error: Error | undefined;

  function end(failure?: Error): void {
    if (state !== 'growing') return;
    state = failure ? 'failed' : 'complete';
    error = failure;
    events.emit('change');
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
    onPacket(listener) {
      for (const packet of packets) listener(packet);
      events.on('packet', listener);
    },
    async waitFor(count, signal) {
      // Some players never report progress, so all packets before the awaited packet count as played.
      if (count > 0) played?.(count);
      signal?.throwIfAborted();
      while (state === 'growing' && packets.length <= count) {
        await once(events, 'change', { signal }).catch(() => signal?.throwIfAborted());
      }
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
      events.emit('packet', packet);
      events.emit('change');
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
  const { clip, canceled, push, complete, fail } = createClip(onPlayed);
  if (onCanceled) canceled.addEventListener('abort', onCanceled, { once: true });
  source.onPacket(push);
  source.done.then(complete, fail);
  return clip;
}
