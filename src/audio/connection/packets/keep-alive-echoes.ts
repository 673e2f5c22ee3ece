import type { Buffer } from 'node:buffer';
import type { NetworkingReadyState } from '../library/voice-library.ts';

/** A counter, sent every 5 s; some voice servers send it back (https://github.com/discordjs/discord.js/issues/9185). */
const KEEP_ALIVE_BYTES = 8;
/** Noticed after 20 to 25 s, where three missed heartbeats would take more than 41 s. */
const UNANSWERED_LIMIT = 4;

/** To be told of each keep-alive of a socket, after it was sent. */
export interface KeepAliveEchoes {
  sent(): void;
}

/**
 * Notices that no datagram reaches the voice server or comes back, of which the voice gateway knows nothing: a router may have
 * forgotten the socket's port. `onStopped` is called only where an echo was seen before, and again while it lasts.
 */
export function watchEchoes(udp: NetworkingReadyState['udp'], onStopped: () => void): KeepAliveEchoes {
  let hasEchoed = false;
  let unanswered = 0;
  udp.on('message', (bytes: Buffer) => {
    if (bytes.length !== KEEP_ALIVE_BYTES) return;
    hasEchoed = true;
    unanswered = 0;
  });
  return {
    sent() {
      unanswered += 1;
      if (!hasEchoed || unanswered <= UNANSWERED_LIMIT) return;
      unanswered = 0;
      onStopped();
    },
  };
}
