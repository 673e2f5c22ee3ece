import type { ClipPlayer } from '../playing/clip-player.ts';

/** What holds a session's player: a member's pause, or the bot's not yet being audible where it is. */
interface SessionHold {
  /** See VoiceSession.stay. */
  readonly stay: AbortSignal;
  beginStay(): void;
  endStay(): void;
  /** See VoiceSession.holdUntil. */
  until(audible: Promise<unknown>): void;
  setPaused(isPaused: boolean): void;
}

/** `onHeld`: no packet waits any more to be sent. */
export function createSessionHold(player: ClipPlayer, onHeld: () => void): SessionHold {
  let stay = new AbortController();
  /** The pending change to being audible, while clips wait for it. */
  let pending: Promise<unknown> | undefined;
  let isPaused = false;

  function apply(): void {
    if (isPaused || pending) {
      player.pause();
      onHeld();
    } else {
      player.resume();
    }
  }

  function release(): void {
    pending = undefined;
    apply();
  }

  async function until(audible: Promise<unknown>): Promise<void> {
    pending = audible;
    apply();
    try {
      await audible;
    } catch (error) {
      // A failure for an earlier channel does not concern the present one.
      if (pending !== audible) return;
      player.cutOff(error instanceof Error ? error : new Error('It would be inaudible', { cause: error }));
    }
    if (pending === audible) release();
  }

  function endStay(): void {
    stay.abort();
    release();
  }

  return {
    get stay() {
      return stay.signal;
    },
    beginStay() {
      endStay();
      stay = new AbortController();
    },
    endStay,
    until: (audible) => void until(audible),
    setPaused(paused) {
      isPaused = paused;
      apply();
    },
  };
}
