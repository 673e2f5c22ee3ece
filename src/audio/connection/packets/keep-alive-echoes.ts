import type { Buffer } from 'node:buffer';
import type { NetworkingReadyState } from '../library/voice-library.ts';

/** A counter, sent every 5 s; some voice servers send it back (https://github.com/discordjs/discord.js/issues/9185). */
export const KEEP_ALIVE_BYTES = 8;
/** Noticed after 20 to 25 s, where three missed heartbeats would take more than 41 s. */
const UNANSWERED_LIMIT = 4;

/** The sockets whose keep-alives were sent back. */
const echoed = new WeakSet<NetworkingReadyState['udp']>();

/** Calls `onEcho` for each keep-alive that comes back, and now if one came before. */
export function onEcho(udp: NetworkingReadyState['udp'], listener: () => void): void {
  udp.on('message', (bytes: Buffer) => {
    if (bytes.length !== KEEP_ALIVE_BYTES) return;
    echoed.add(udp);
    listener();
  });
  if (echoed.has(udp)) listener();
}

/**
 * Notices that no datagram reaches the voice server or comes back, of which the voice gateway knows nothing: a router may have
 * forgotten the socket's port. `onStopped` is called only where an echo was seen before, and again while it lasts. The result is
 * to be called after each keep-alive of the socket.
 */
export function watchEchoes(udp: NetworkingReadyState['udp'], onStopped: () => void): () => void {
  let hasEchoed = false;
  let unanswered = 0;
  onEcho(udp, () => {
    hasEchoed = true;
    unanswered = 0;
  });
  return () => {
    unanswered += 1;
    if (!hasEchoed || unanswered <= UNANSWERED_LIMIT) return;
    unanswered = 0;
    onStopped();
  };
}

/** Half a second of speech lies between two probes. */
const PROBE_TURNS = 25;
/** This many unanswered probes in a row are no accident: it takes 1.5 to 2 s after the last echo. */
const UNANSWERED_PROBES = 3;
/** 200 ms: a probe that was sent later may still be on its way. */
const ON_ITS_WAY_TURNS = 10;
/** 8 s: speech that is held for longer needs another connection. */
const MAX_HELD_TURNS = 400;
/** A server that sends only some probes back must not make speech stutter. */
const HOLD_PAUSE_MS = 60_000;
const NOT_HELD = -1;

export type SpeechProbe = ReturnType<typeof createSpeechProbe>;

/**
 * Whether speech arrives at the voice server, as far as a server that sends keep-alives back lets that be known.
 * `send` sends one keep-alive. No probe is sent before the first echo. `onSilent` runs when speech was held for long
 * enough: it goes on then, since the server may have its own reasons to stop echoing.
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

  /** To be called once a turn while in doubt and nothing is sent: asks again, and answers as packetSent() does. */
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
    /** A keep-alive has come back. */
    echoed(): void {
      hasEchoed = true;
      unanswered = 0;
      sinceEcho = 0;
      heldTurns = NOT_HELD;
    },
    /** To be called after each packet; the number of last packets that have not arrived as soon as that is noticed, else 0. */
    packetSent(): number {
      sinceEcho += 1;
      return ask();
    },
    ask,
    /** Whether the last packets may not have arrived: an echo is overdue. */
    isInDoubt(): boolean {
      if (!hasEchoed || heldTurns !== NOT_HELD || now() < nextHoldAtMs) return false;
      return unanswered > 1 || (unanswered === 1 && turns >= ON_ITS_WAY_TURNS);
    },
    /** Nothing more is sent for now: the next packet is followed by a probe at once, so that a short text has one too. */
    spurtEnded(): void {
      turns = PROBE_TURNS;
    },
    /** To be called once a turn (20 ms): whether speech waits for an echo. */
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
