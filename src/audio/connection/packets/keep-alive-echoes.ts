import type { Buffer } from 'node:buffer';
import type { NetworkingReadyState } from '@discordjs/voice';

/**
 * The length tells a keep-alive from other datagrams. Some voice servers send keep-alives back, which shows that
 * datagrams arrive (https://github.com/discordjs/discord.js/issues/9185).
 */
export const KEEP_ALIVE_BYTES = 8;
const echoed = new WeakSet<NetworkingReadyState['udp']>();

/** Calls `listener` for each keep-alive that the voice server sends back, and at once if any came back before. */
export function onEcho(udp: NetworkingReadyState['udp'], listener: () => void): void {
  udp.on('message', (bytes: Buffer) => {
    if (bytes.length !== KEEP_ALIVE_BYTES) return;
    echoed.add(udp);
    listener();
  });
  if (echoed.has(udp)) listener();
}

/** A probe (an extra keep-alive) is sent every 25 periods of 20 ms, that is, every half second of speech. */
const PROBE_TURNS = 25;
/** Three probes may stay unanswered by chance. The fourth probe reveals a loss, 1.5 to 2 s after the last answer. */
const UNANSWERED_PROBES = 3;
/** A probe that was sent up to 200 ms ago proves nothing: the voice server's answer may still be on its way. */
const ON_ITS_WAY_TURNS = 10;
/** Speech waits up to 8 s for the voice server's answer to a probe. After that, the bot rejoins. */
const MAX_HELD_TURNS = 400;
/** Speech waits for a probe's answer only once in this time, so that a few unanswered probes cause no stutter. */
const HOLD_PAUSE_MS = 60_000;
const NOT_HELD = -1;

export type SpeechProbe = ReturnType<typeof createSpeechProbe>;

/** Finds out if speech arrives at a voice server that sends keep-alives back. `onSilent`: no answer came for 8 s. */
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

  /** Returns how many of the last voice packets were lost; 0 while their loss is not certain. */
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
    echoed(): void {
      hasEchoed = true;
      unanswered = 0;
      sinceEcho = 0;
      heldTurns = NOT_HELD;
    },
    /** Must be called after each voice packet. Returns the number of lost packets, like ask(). */
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
    /** Makes the next speech begin with a probe, so that the arrival of even a short text is checked. */
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
