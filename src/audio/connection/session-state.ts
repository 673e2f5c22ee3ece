import {
  type JoinStep,
  NoEncryptionGroupError,
  type SessionEnd,
  VoiceJoinError,
  type VoiceSessionState,
} from './voice-session-types.ts';

export type SessionEvent =
  | { type: 'ready' }
  | { type: 'interrupted' }
  | { type: 'lost'; closeCode: number }
  /** `wasLetIn`: Discord has already answered the present request and admitted the bot. */
  | { type: 'own-state'; channelId: string | null; wasLetIn: boolean }
  | { type: 'unavailable' }
  /** No encryption group has admitted the bot in time. */
  | { type: 'no-group' }
  /** The encryption group went on without the bot: some listeners hear nothing. */
  | { type: 'group-lost' }
  /** The timeout of the present step: see stepTimeoutMs. */
  | { type: 'step-timeout' }
  /** The deadline until ready. */
  | { type: 'deadline' }
  | { type: 'end'; end: SessionEnd };

/** The effects on the link to Discord that a transition requires from the state's owner. */
type SessionEffect =
  | 'none'
  /** Drop the link if there is one, and join by a new one. */
  | 'join'
  /** Drop the link and tell Discord that we leave. */
  | 'leave'
  /** Drop the link silently. */
  | 'drop';

interface Transition {
  state: VoiceSessionState;
  effect: SessionEffect;
}

/**
 * Close codes after which rejoining is refused again or forbidden;
 * https://discord.com/developers/docs/topics/opcodes-and-status-codes#voice-voice-close-event-codes
 */
const FINAL_CODES: ReadonlyMap<number, string> = new Map([
  [4004, 'Discord refused our voice token'],
  [4011, 'Discord knows no such voice server'],
  [4012, 'Discord does not know our voice protocol'],
  [4016, 'Discord does not know our encryption mode'],
  [4017, 'The call requires end-to-end encryption, which was not offered'],
  [4020, 'Discord found a request of ours malformed'],
  [4021, 'Discord ended the voice connection because of too many requests'],
]);

/** Kicked, moved, call ended, main session lost: one code with several causes, and all of them may come for a kick. */
const ASK_WHY_CODES: ReadonlySet<number> = new Set([4014, 4022]);
/** Discord ended the call and asks not to come back. */
const CALL_TERMINATED = 4022;

/** States in which the bot is in the channel as far as is known. */
const STEPS_INSIDE: ReadonlySet<JoinStep> = new Set(['resuming', 'asking-why']);
/** A restored connection that lasts this long counts as stable: its rejoins are forgotten. */
const PROVEN_AFTER_MS = 10_000;

export interface StepTimes {
  attemptTimeoutMs: number;
  rejoinDelayMs: number;
}

/** The timeout of the present step; undefined: none. */
export function stepTimeoutMs(state: VoiceSessionState, times: StepTimes): number | undefined {
  if (state.status === 'closed') return undefined;
  if (state.status === 'ready') return state.rejoins === undefined ? undefined : PROVEN_AFTER_MS;
  switch (state.step) {
    case 'joining':
    case 'resuming':
      return times.attemptTimeoutMs;
    case 'pausing':
      return times.rejoinDelayMs;
    case 'no-gateway':
      return 250;
    case 'asking-why':
      return 1_000;
  }
}

function closed(end: SessionEnd, effect: SessionEffect): Transition {
  return { state: { status: 'closed', end }, effect };
}

type Trying = Extract<VoiceSessionState, { step: JoinStep }>;

function failed(kind: VoiceJoinError['kind'], message: string, closeCode: number | undefined): Transition {
  const code = closeCode === undefined ? {} : { closeCode };
  return closed({ reason: 'failed', ...code, error: new VoiceJoinError(kind, message, code) }, 'leave');
}

type Open = Exclude<VoiceSessionState, { status: 'closed' }>;

/** The same attempts, in another step. */
function step(state: Open, next: JoinStep, closeCode?: number): Trying {
  const code = closeCode === undefined ? {} : { closeCode };
  if (state.status === 'ready') return { status: 'reconnecting', step: next, attempt: state.rejoins ?? 0, ...code };
  return { ...state, ...code, step: next };
}

function afterFailedAttempt(state: Trying, maxAttempts: number, closeCode: number | undefined): Transition {
  if (state.attempt < maxAttempts) return { state: step(state, 'pausing', closeCode), effect: 'leave' };
  if (closeCode !== undefined) {
    return failed(
      'failed',
      `Discord closed the voice connection ${maxAttempts} times, last with ${closeCode}`,
      closeCode,
    );
  }
  return failed('timeout', `Discord did not let us into the voice channel in ${maxAttempts} attempts`, undefined);
}

/** Mid-session, the first rejoin is immediate and without leaving: listeners hardly notice. */
function joinAgain(state: Open, maxAttempts: number, closeCode?: number): Transition {
  const trying = step(state, 'joining', closeCode);
  if (trying.attempt > 0) return afterFailedAttempt(trying, maxAttempts, closeCode);
  return { state: { ...trying, attempt: 1 }, effect: 'join' };
}

function onLost(state: Open, closeCode: number, maxAttempts: number): Transition {
  const final = FINAL_CODES.get(closeCode);
  if (final !== undefined) {
    return failed(
      closeCode === 4016 || closeCode === 4017 ? 'encryption' : 'refused',
      `${final} (${closeCode})`,
      closeCode,
    );
  }
  if (ASK_WHY_CODES.has(closeCode)) return { state: step(state, 'asking-why', closeCode), effect: 'none' };
  return joinAgain(state, maxAttempts, closeCode);
}

/** One rejoin may help; a second one would only let the requester wait longer. */
function onNoGroup(state: Open, maxAttempts: number): Transition {
  if (state.status !== 'ready') return { state, effect: 'none' };
  if (state.rejoins === undefined) return joinAgain(state, maxAttempts);
  return closed({ reason: 'failed', error: new NoEncryptionGroupError() }, 'leave');
}

function onOwnState(state: Open, channelId: string | null, wasLetIn: boolean): Transition {
  // Before admission, a null is the echo of the leave before this attempt.
  const isIn = wasLetIn || state.status === 'ready' || STEPS_INSIDE.has(state.step);
  if (channelId !== null || !isIn) return { state, effect: 'none' };
  const closeCode = state.status === 'ready' ? undefined : state.closeCode;
  return closed({ reason: 'kicked', ...(closeCode === undefined ? {} : { closeCode }) }, 'drop');
}

function onStepTimeout(state: Trying, maxAttempts: number): Transition {
  switch (state.step) {
    case 'joining':
      return afterFailedAttempt(state, maxAttempts, undefined);
    case 'pausing':
      return { state: { ...step(state, 'joining'), attempt: state.attempt + 1 }, effect: 'join' };
    case 'no-gateway':
      return { state: step(state, 'joining'), effect: 'join' };
    case 'resuming':
      return joinAgain(state, maxAttempts);
    case 'asking-why':
      if (state.closeCode === CALL_TERMINATED) {
        return closed({ reason: 'call-ended', closeCode: CALL_TERMINATED }, 'leave');
      }
      // Neither kicked nor moved: the main session was dropped and voice with it. The new one joins again.
      return joinAgain(state, maxAttempts, state.closeCode);
  }
}

function onReady(state: Open): VoiceSessionState {
  if (state.status === 'ready') return state;
  // A voice server that repeatedly admits and drops the bot would be joined without limit.
  const isProven = state.status === 'connecting' || state.attempt === 0;
  return isProven ? { status: 'ready' } : { status: 'ready', rejoins: state.attempt };
}

/** The state after an event: the one place where a session's state changes. Pure. */
export function transition(state: VoiceSessionState, event: SessionEvent, limits: { maxAttempts: number }): Transition {
  if (state.status === 'closed') return { state, effect: 'none' };
  switch (event.type) {
    case 'end':
      return closed(
        event.end,
        event.end.reason === 'gateway-lost' || event.end.reason === 'moved-away' ? 'drop' : 'leave',
      );
    case 'ready':
      return { state: onReady(state), effect: 'none' };
    case 'interrupted':
      // In an attempt to join this is simply progress.
      if (state.status !== 'ready' && state.step === 'joining') return { state, effect: 'none' };
      return { state: step(state, 'resuming'), effect: 'none' };
    case 'lost':
      return onLost(state, event.closeCode, limits.maxAttempts);
    case 'own-state':
      return onOwnState(state, event.channelId, event.wasLetIn);
    case 'unavailable':
      return { state: step(state, 'no-gateway'), effect: 'drop' };
    case 'no-group':
      return onNoGroup(state, limits.maxAttempts);
    case 'group-lost':
      // After a recent rejoin another one is not expected to help; other listeners may hear it.
      if (state.status !== 'ready' || state.rejoins !== undefined) return { state, effect: 'none' };
      return joinAgain(state, limits.maxAttempts);
    case 'step-timeout':
      if (state.status === 'ready') return { state: { status: 'ready' }, effect: 'none' };
      return onStepTimeout(state, limits.maxAttempts);
    case 'deadline':
      if (state.status === 'ready') return { state, effect: 'none' };
      return state.step === 'no-gateway'
        ? failed('gateway-unavailable', 'The main gateway took no request to join', state.closeCode)
        : failed('timeout', 'Discord did not let us into the voice channel in time', state.closeCode);
  }
}

/** After a disconnection by a member, the bot does not rejoin. */
export function wasDisconnected({ reason }: SessionEnd): boolean {
  return reason === 'kicked' || reason === 'call-ended';
}

const JOIN_ERRORS: Readonly<Record<SessionEnd['reason'], VoiceJoinError['kind']>> = {
  left: 'aborted',
  'moved-away': 'aborted',
  kicked: 'disconnected',
  'call-ended': 'disconnected',
  'gateway-lost': 'failed',
  failed: 'failed',
};

/** The error of a pending join when the session ends first. */
export function joinError({ reason, error, closeCode }: SessionEnd, lastError: Error | undefined): VoiceJoinError {
  if (error instanceof VoiceJoinError && (error.cause || !lastError)) return error;
  const code = closeCode === undefined ? {} : { closeCode };
  if (error instanceof VoiceJoinError) {
    return new VoiceJoinError(error.kind, error.message, { cause: lastError, ...code });
  }
  return new VoiceJoinError(JOIN_ERRORS[reason], `Joining ended: ${reason}`, { cause: error, ...code });
}
