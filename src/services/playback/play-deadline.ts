import type { Clip } from '../../audio/clips/clip.ts';
import { wasDisconnected } from '../../audio/connection/session-state.ts';
import { NoEncryptionGroupError, type VoiceSession } from '../../audio/connection/voice-session-types.ts';
import type { PlayResult } from '../../audio/playing/clip-player.ts';
import { refusal } from '../../errors/refusals.ts';
import { UserError } from '../../errors/user-errors.ts';
import { DeadlineError } from '../time/deadline.ts';

/**
 * How much longer than its sound a clip may take: for the end-to-end encryption and for getting the connection back. A
 * play that never ends must not block the queue.
 */
const PLAY_MARGIN_MS = 60_000;

/** Aborts when a clip has not been played long after it is complete; until then its maker has deadlines of its own. */
export function createPlayDeadline(clip: Clip) {
  const overdue = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let isComplete = false;
  let isHeld = false;
  let isCleared = false;

  function setTimer(): void {
    clearTimeout(timer);
    if (!isComplete || isHeld || isCleared) return;
    const onTimer = () => overdue.abort(new DeadlineError('The clip was not played'));
    timer = setTimeout(onTimer, clip.durationMs + PLAY_MARGIN_MS);
  }

  const complete = () => {
    isComplete = true;
    setTimer();
  };
  clip.done.then(complete, complete);
  return {
    signal: overdue.signal,
    /** A pause is no delay: the deadline counts anew after it. */
    hold() {
      isHeld = true;
      setTimer();
    },
    go() {
      isHeld = false;
      setTimer();
    },
    clear() {
      isCleared = true;
      clearTimeout(timer);
    },
  };
}

export type PlayDeadline = ReturnType<typeof createPlayDeadline>;

/** Why a clip was not played to its end, when neither a member nor the speaker ended it. */
export function interruption(
  { state, channelId }: VoiceSession,
  { error, packetsSent }: Pick<PlayResult, 'error' | 'packetsSent'>,
  channelExists: (channelId: string) => boolean,
): unknown {
  if (error instanceof NoEncryptionGroupError) {
    const kind = packetsSent === 0 ? 'unheard' : 'encryption-lost';
    return new UserError(refusal(kind, { channel: `<#${channelId}>` }), { cause: error });
  }
  if (state.status === 'closed' && wasDisconnected(state.end)) {
    return disconnectedError(channelId, channelExists(channelId) ? 'kicked' : 'channel-gone');
  }
  if (state.status === 'closed' || error === undefined) {
    return new UserError(refusal('connection-lost', { heard: 'nothing' }), { cause: error });
  }
  return error;
}

export function disconnectedError(channelId: string, reason: 'kicked' | 'channel-gone'): UserError {
  if (reason === 'channel-gone') return new UserError(refusal('channel-gone', { heard: 'nothing' }));
  return new UserError(refusal('kicked', { channel: `<#${channelId}>`, heard: 'nothing' }));
}
