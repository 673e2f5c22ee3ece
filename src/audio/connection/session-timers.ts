import { type HeldUpBy, isWaiting, type SessionEvent, stepTimeoutMs } from './session-state.ts';
import type { SessionTimes, VoiceSessionState } from './voice-session-types.ts';

/** For joining, or rejoining after a loss: three attempts of 6 s and the pauses between them. */
export const DEFAULT_DEADLINE_MS = 20_000;
/**
 * How long a request may wait for its turn, or Discord's explanation for the main gateway: the budget's minute, and a margin for
 * requests whose turn comes as it ends.
 */
const HELD_UP_TIMEOUT_MS = 75_000;
/** How often the cached voice state is read while Discord's explanation is awaited: no event tells of a new main session. */
const LOOK_AGAIN_MS = 250;

interface TimersNeeds {
  readonly times: SessionTimes;
  /** Until ready for the first time. */
  readonly deadlineMs: number;
  readonly state: () => VoiceSessionState;
  /** The present request has not been sent yet: no time counts but that in line. */
  readonly isInLine: () => boolean;
  /** The same holds for an explanation that cannot come while the main gateway is away. */
  readonly isGatewayConnected: () => boolean;
  /** The channel in the main gateway's cache. */
  readonly knownChannel: () => string | null | undefined;
  readonly dispatch: (event: SessionEvent) => void;
}

/** All timers of one session. None runs once it is closed. */
interface SessionTimers {
  /** `firstStepMs`: what is left of the first step, when that is less than usual. */
  start(firstStepMs?: number): void;
  stateChanged(before: VoiceSessionState): void;
  /** A request that had to wait has been sent: its time counts from now on. */
  requestSent(): void;
}

export function createSessionTimers({ times, deadlineMs, state, ...needs }: TimersNeeds): SessionTimers {
  const { isInLine, isGatewayConnected, knownChannel, dispatch } = needs;
  let stepTimer: NodeJS.Timeout | undefined;
  let deadlineTimer: NodeJS.Timeout | undefined;
  let lookTimer: NodeJS.Timeout | undefined;
  let heldUpBy: HeldUpBy | undefined;

  function startDeadline(ms: number): void {
    clearTimeout(deadlineTimer);
    deadlineTimer = setTimeout(() => dispatch({ type: 'deadline', heldUpBy }), ms);
  }

  function startStep(timeoutMs = stepTimeoutMs(state(), times)): void {
    clearTimeout(stepTimer);
    const before = heldUpBy;
    heldUpBy = whatHoldsUp();
    if (heldUpBy && !before) startDeadline(HELD_UP_TIMEOUT_MS);
    else if (!heldUpBy && before) {
      startDeadline(state().status === 'reconnecting' ? DEFAULT_DEADLINE_MS : deadlineMs);
    }
    if (timeoutMs !== undefined && !heldUpBy) stepTimer = setTimeout(dispatch, timeoutMs, { type: 'step-timeout' });
  }

  function whatHoldsUp(): HeldUpBy | undefined {
    if (isInLine()) return 'line';
    return isWaiting(state()) && !isGatewayConnected() ? 'gateway' : undefined;
  }

  function lookForExplanation(): void {
    if (whatHoldsUp() !== heldUpBy) startStep();
    const known = knownChannel();
    if (known === undefined) dispatch({ type: 'forgotten' });
    else if (known === null) dispatch({ type: 'own-state', channelId: null, wasLetIn: true, mayBeEcho: false });
  }

  function clear(): void {
    clearTimeout(stepTimer);
    clearTimeout(deadlineTimer);
    clearInterval(lookTimer);
  }

  return {
    start(firstStepMs) {
      if (state().status === 'closed') return;
      startDeadline(deadlineMs);
      startStep(firstStepMs);
    },
    stateChanged(before) {
      const now = state();
      clearInterval(lookTimer);
      if (now.status === 'closed') {
        clear();
        return;
      }
      if (before.status === 'ready' && now.status === 'reconnecting') startDeadline(DEFAULT_DEADLINE_MS);
      startStep();
      if (now.status === 'ready') clearTimeout(deadlineTimer);
      if (isWaiting(now)) lookTimer = setInterval(lookForExplanation, LOOK_AGAIN_MS);
    },
    requestSent: () => startStep(),
  };
}
