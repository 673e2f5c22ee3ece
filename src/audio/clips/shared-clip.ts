import { type Clip, ClipCancelledError, PACKET_MS } from './clip.ts';

interface SharedClipOptions {
  /** This one was given up while it grew; the clip itself goes on. */
  readonly onCancelled?: () => void;
  readonly onPlayed?: (count: number) => void;
}

/**
 * One clip for several who want it, a view for each: giving up a view ends that view alone. What it had by then stays in
 * it.
 */
export function viewOf(source: Clip, { onCancelled, onPlayed }: SharedClipOptions = {}): Clip {
  const ended = new AbortController();
  const { promise: done, resolve, reject } = Promise.withResolvers<void>();
  done.catch(() => undefined);
  source.done.then(resolve, reject);
  let cancelled: { readonly error: Error; readonly packets: readonly Uint8Array[] } | undefined;

  return {
    get packets() {
      return cancelled?.packets ?? source.packets;
    },
    get state() {
      return cancelled ? 'failed' : source.state;
    },
    get error() {
      return cancelled?.error ?? source.error;
    },
    get durationMs() {
      return this.packets.length * PACKET_MS;
    },
    done,
    async waitFor(count, signal) {
      signal?.throwIfAborted();
      if (cancelled) return;
      try {
        await source.waitFor(count, signal ? AbortSignal.any([signal, ended.signal]) : ended.signal);
      } catch (error) {
        if (signal?.aborted || !cancelled) throw error;
      }
    },
    played: onPlayed,
    cancel(reason = 'The clip was cancelled') {
      if (cancelled || source.state !== 'growing') return;
      cancelled = { error: new ClipCancelledError(reason), packets: [...source.packets] };
      ended.abort(cancelled.error);
      reject(cancelled.error);
      onCancelled?.();
    },
  };
}
