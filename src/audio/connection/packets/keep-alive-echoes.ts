import type { Buffer } from 'node:buffer';
import type { NetworkingReadyState } from '@discordjs/voice';

/**
 * The length of a keep-alive datagram: a counter, sent every 5 s. Some voice servers send keep-alives back
 * (https://github.com/discordjs/discord.js/issues/9185).
 */
export const KEEP_ALIVE_BYTES = 8;
/** The voice sockets that received a keep-alive back. */
const echoed = new WeakSet<NetworkingReadyState['udp']>();

/**
 * Starts to note whether the voice server sends keep-alives back. The first one may come back before anything else
 * listens, and would otherwise be missed.
 */
export const watchEchoes = (udp: NetworkingReadyState['udp']): void => onEcho(udp, () => undefined);

/** Calls `listener` for each keep-alive that the voice server sends back, and at once if any came back before. */
export function onEcho(udp: NetworkingReadyState['udp'], listener: () => void): void {
  udp.on('message', (bytes: Buffer) => {
    if (bytes.length !== KEEP_ALIVE_BYTES) return;
    echoed.add(udp);
    listener();
  });
  if (echoed.has(udp)) listener();
}

/** The number of turns (20 ms each) between two probes, which are extra keep-alives: half a second of speech. */
const PROBE_TURNS = 25;
/**
 * How many probes in a row may stay unanswered by accident. A loss of voice packets is noticed 1.5 to 2 s after the
 * last answer.
 */
const UNANSWERED_PROBES = 3;
/** A probe of the last 200 ms proves nothing yet: the voice server's answer may still be on its way. */
const ON_ITS_WAY_TURNS = 10;
/**
 * The maximum time that speech waits for answers to probes: 8 s. Speech that waits for longer needs another connection.
 */
const MAX_HELD_TURNS = 400;
/**
 * The minimum time between two waits for the voice server's answers. A server that answers only some probes must not
 * make speech stutter.
 */
const HOLD_PAUSE_MS = 60_000;
const NOT_HELD = -1;

export type SpeechProbe = ReturnType<typeof createSpeechProbe>;

/**
 * Tells whether speech arrives at the voice server, if the server sends keep-alives back. `send` sends a keep-alive as
 * a probe. No probe is sent before the first keep-alive came back. `onSilent` is called when speech was held for too
 * long. Speech then continues, because the server may have stopped echoing for its own reasons.
 */
export function createSpeechProbe(send: () => void, onSilent: () => void, now: () => number = () => performance.now()) {
  let hasEchoed = false;
  let turns = 0;
  let unanswered = 0;
  let sinceEcho = 0;
  let heldTurns = NOT_HELD;
  let nextHoldAtMs = Number.NEGATIVE_INFINITY;

  function isDue(): boolean {
    turns += 1;
    if (turns < PROBE_TURNS || !hasEchoed) return false;
    turns = 0;
    return true;
  }

  /**
   * Must be called every 20 ms while the voice server's answer to a probe is overdue and no voice packet is sent. Sends
   * another probe if one is due. Returns how many of the last voice packets were lost, once the loss is certain, else
   * 0.
   */
  function ask(): number {
    if (!isDue()) return 0;
    send();
    unanswered += 1;
    if (unanswered <= UNANSWERED_PROBES || now() < nextHoldAtMs) return 0;
    nextHoldAtMs = now() + HOLD_PAUSE_MS;
    heldTurns = 0;
    return sinceEcho;
  }

  return {
    /** Must be called when the voice server sends a keep-alive back. */
    echoed(): void {
      hasEchoed = true;
      unanswered = 0;
      sinceEcho = 0;
      heldTurns = NOT_HELD;
    },
    /**
     * Must be called after each voice packet. Returns how many of the last packets did not reach the voice server, once
     * noticed, else 0.
     */
    packetSent(): number {
      sinceEcho += 1;
      return ask();
    },
    ask,
    /** True if the voice server's answer to a probe is overdue: the last packets may not have arrived. */
    isInDoubt(): boolean {
      if (!hasEchoed || heldTurns !== NOT_HELD || now() < nextHoldAtMs) return false;
      return unanswered > 1 || (unanswered === 1 && turns >= ON_ITS_WAY_TURNS);
    },
    /**
     * Must be called when speech ends. The next packet is then followed by a probe at once, so that even a short text
     * is probed.
     */
    spurtEnded(): void {
      turns = PROBE_TURNS;
    },
    /** Must be called every 20 ms. True while speech waits for the voice server's answer to a probe. */
    isHeld(): boolean {
      if (heldTurns === NOT_HELD) return false;
      heldTurns += 1;
      if (heldTurns > MAX_HELD_TURNS) {
        heldTurns = NOT_HELD;
        hasEchoed = false;
        onSilent();
        return false;
      }
      if (isDue()) send();
      return true;
    },
  };
}
