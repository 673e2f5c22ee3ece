import {
  type JoinStep,
  type JoinTarget,
  NoEncryptionGroupError,
  type SessionEnd,
  type SessionTimes,
  VoiceJoinError,
  type VoiceSessionState,
} from './voice-session-types.ts';
import type { OwnState } from './voice-signaling.ts';

export type SessionEvent =
  | { type: 'ready' }
  | { type: 'interrupted' }
  /** The voice server is gone, and Discord will announce another server. */
  | { type: 'server-gone' }
  | { type: 'lost'; closeCode: number }
  | ({ type: 'own-state' } & OwnState)
  /** The main gateway session is new: voice ended with the previous session. */
  | { type: 'forgotten' }
  | { type: 'unavailable' }
  /** No encryption group admitted the bot in time. */
  | { type: 'no-group' }
  /** The end-to-end encryption group continued without the bot: some listeners hear nothing. */
  | { type: 'group-lost' }
  /** The bot followed its end-to-end encryption group into the next epoch. */
  | { type: 'group-followed' }
  /** Datagrams to the voice server cannot be sent, or keep-alives no longer come back. */
  | { type: 'route-lost' }
  | { type: 'step-timeout' }
  /** The voice session was not ready in time. */
  | { type: 'deadline'; heldUpBy: HeldUpBy | undefined }
  | { type: 'end'; end: SessionEnd };

/** The cause of a delayed join: the line of requests to Discord, or an absent main gateway. */
type HeldUpBy = 'line' | 'gateway';

type SessionEffect =
  | 'none'
  /** Drops the voice link, if there is one, and joins with a new link. */
  | 'join'
  /** Drops the voice link and tells Discord that the bot leaves. */
  | 'leave'
  /** Drops the voice link without telling Discord. */
  | 'drop';

interface Transition {
  state: VoiceSessionState;
  effect: SessionEffect;
}

/**
 * Close codes that deny a connection. After the first denial the bot makes a fresh connection, with a new token and
 * perhaps another voice server: the current text is not lost. The same code again is final.
 * https://discord.com/developers/docs/topics/opcodes-and-status-codes#voice-voice-close-event-codes
 */
const DENIALS: ReadonlyMap<number, string> = new Map([
  [4004, 'Discord refused our voice token'],
  [4011, 'Discord knows no such voice server'],
  [4012, 'Discord does not know our voice protocol'],
  [4016, 'Discord does not know our encryption mode'],
  [4017, 'The call requires end-to-end encryption, which was not offered'],
  [4020, 'Discord found a request of ours malformed'],
  [4021, 'Discord ended the voice connection because of too many requests'],
]);

/** The voice gateway's close code for too many requests: the next attempt to join waits. */
const RATE_LIMITED = 4021;

/**
 * Voice close codes with several possible causes: a kick, a move, a new voice server, an ended call, or a lost main
 * gateway session. After each of them, the bot waits for Discord's news before it decides whether to rejoin.
 */
const ASK_WHY_CODES: ReadonlySet<number> = new Set([4014, 4022]);
/** The voice close code of an ended call: bots must not come back unless a voice server follows. */
const CALL_TERMINATED = 4022;
/** Steps of joining in which the bot is still in the channel, as far as it knows. */
const STEPS_INSIDE: ReadonlySet<JoinStep> = new Set(['resuming', 'asking-why', 'awaiting-server']);
/**
 * How long a restored voice connection must last to count as stable. Then the session forgets its earlier rejoins,
 * which count toward the maximum number of attempts.
 */
const PROVEN_AFTER_MS = 10_000;

export function stepTimeoutMs(state: VoiceSessionState, times: SessionTimes): number | undefined {
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
    case 'awaiting-server':
      return times.explanationTimeoutMs;
  }
}

function closed(end: SessionEnd, effect: SessionEffect): Transition {
  return { state: { status: 'closed', end }, effect };
}

type Trying = Extract<VoiceSessionState, { step: JoinStep }>;

function failed(kind: VoiceJoinError['kind'], message: string, closeCode: number | undefined): Transition {
  return closed({ reason: 'failed', closeCode, error: new VoiceJoinError(kind, message, { closeCode }) }, 'leave');
}

type Open = Exclude<VoiceSessionState, { status: 'closed' }>;

/** True if Discord has closed the voice connection or is about to, and an explanation or another server will follow. */
function isWaiting(state: VoiceSessionState): state is Trying {
  const { step: now } = { step: undefined, ...state };
  return now === 'asking-why' || now === 'awaiting-server';
}

/**
 * Changes the step of joining and keeps the number of attempts. Only a resumed connection keeps the note that its
 * encryption group continued without the bot (`isLeftBehind`). A new connection gets a new group, so the note is
 * cleared.
 */
function step(state: Open, next: JoinStep, closeCode?: number): Trying {
  const isLeftBehind = next === 'resuming' ? state.isLeftBehind : undefined;
  if (state.status === 'ready') {
    return { status: 'reconnecting', step: next, attempt: state.rejoins ?? 0, closeCode, isLeftBehind };
  }
  return { ...state, step: next, closeCode: closeCode ?? state.closeCode, isLeftBehind };
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

/**
 * Joins the voice channel again. The first rejoin of a running session is immediate and without leaving: listeners
 * hardly notice.
 */
function joinAgain(state: Open, maxAttempts: number, closeCode?: number): Transition {
  const trying = step(state, 'joining', closeCode);
  if (trying.attempt > 0) return afterFailedAttempt(trying, maxAttempts, closeCode);
  return { state: { ...trying, attempt: 1 }, effect: 'join' };
}

function onLost(state: Open, closeCode: number, maxAttempts: number): Transition {
  const denial = DENIALS.get(closeCode);
  const isFirst = state.status === 'ready' || state.closeCode !== closeCode;
  if (denial !== undefined && !isFirst) {
    return failed(
      closeCode === 4016 || closeCode === 4017 ? 'encryption' : 'refused',
      `${denial} (${closeCode})`,
      closeCode,
    );
  }
  // While the next voice server is awaited, the connection to the old voice server closes: the session keeps waiting.
  if (state.status !== 'ready' && state.step === 'awaiting-server') {
    return { state: step(state, 'awaiting-server', closeCode), effect: 'none' };
  }
  if (ASK_WHY_CODES.has(closeCode)) return { state: step(state, 'asking-why', closeCode), effect: 'none' };
  if (closeCode === RATE_LIMITED) return afterFailedAttempt(step(state, 'joining', closeCode), maxAttempts, closeCode);
  return joinAgain(state, maxAttempts, closeCode);
}

function onWithoutGroup(state: Open, event: 'no-group' | 'group-lost', maxAttempts: number): Transition {
  if (state.status !== 'ready') return { state, effect: 'none' };
  if (state.rejoins === undefined) return joinAgain(state, maxAttempts);
  // If the encryption group does not admit the bot even after a rejoin, the session ends: another rejoin would only
  // make the member who requested speech wait longer.
  if (event === 'no-group') return closed({ reason: 'failed', error: new NoEncryptionGroupError() }, 'leave');
  // Right after a rejoin, another rejoin is postponed: it would hardly help, and some listeners hear the bot.
  return { state: state.isLeftBehind ? state : { ...state, isLeftBehind: true }, effect: 'none' };
}

function onOwnState(state: Open, { channelId, wasLetIn, mayBeEcho }: OwnState): Transition {
  if (channelId !== null) {
    // Discord still has the bot in a channel, so the closed connection belonged to an old voice server.
    const isExplained = state.status !== 'ready' && state.step === 'asking-why';
    return { state: isExplained ? step(state, 'awaiting-server') : state, effect: 'none' };
  }
  const isIn = wasLetIn || state.status === 'ready' || STEPS_INSIDE.has(state.step);
  // Before Discord admits the bot, a null channel may only confirm that the bot left before this attempt to join.
  if (!isIn && mayBeEcho) return { state, effect: 'none' };
  const closeCode = state.status === 'ready' ? undefined : state.closeCode;
  // Discord would still grant a join request that is on its way: the bot must leave.
  const isAsking = !isIn && state.step === 'joining';
  return closed({ reason: 'kicked', closeCode }, isAsking ? 'leave' : 'drop');
}

function onStepTimeout(state: Open, maxAttempts: number): Transition {
  if (state.status === 'ready') {
    // The restored connection is stable: it lasted for PROVEN_AFTER_MS.
    const proven = { status: 'ready' } as const;
    return state.isLeftBehind ? joinAgain(proven, maxAttempts) : { state: proven, effect: 'none' };
  }
  switch (state.step) {
    case 'joining':
      return afterFailedAttempt(state, maxAttempts, undefined);
    case 'pausing':
      return { state: { ...step(state, 'joining'), attempt: state.attempt + 1 }, effect: 'join' };
    case 'no-gateway':
      return { state: step(state, 'joining'), effect: 'join' };
    case 'resuming':
      return joinAgain(state, maxAttempts);
    case 'awaiting-server':
      return joinAgain(state, maxAttempts, state.closeCode);
    case 'asking-why':
      // Without news of a kick or a move, Discord dropped the main gateway session, and voice with it.
      return state.closeCode === CALL_TERMINATED
        ? closed({ reason: 'call-ended', closeCode: CALL_TERMINATED }, 'leave')
        : joinAgain(state, maxAttempts, state.closeCode);
  }
}

function onDeadline(state: Open, heldUpBy: HeldUpBy | undefined): Transition {
  if (state.status === 'ready') return { state, effect: 'none' };
  if (heldUpBy === 'line')
    return failed('busy', 'Too many requests of other servers were before ours', state.closeCode);
  if (heldUpBy === 'gateway' || state.step === 'no-gateway')
    return failed('gateway-unavailable', 'The main gateway took no request to join', state.closeCode);
  return failed('timeout', 'Discord did not let us into the voice channel in time', state.closeCode);
}

function onReady(state: Open): VoiceSessionState {
  if (state.status === 'ready') return state;
  // Rejoins count toward the maximum number of attempts until the connection is stable. Otherwise, the bot would rejoin
  // forever if a voice server kept admitting and dropping it.
  const isProven = state.status === 'connecting' || state.attempt === 0;
  if (isProven) return { status: 'ready' };
  return { status: 'ready', rejoins: state.attempt, isLeftBehind: state.isLeftBehind };
}

/** A voice session's state after an event. A pure function. The state changes nowhere else. */
export function transition(state: VoiceSessionState, event: SessionEvent, maxAttempts: number): Transition {
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
    case 'server-gone':
      // During an attempt to join, an interruption or a change of voice server is normal progress. The session ignores
      // both events, and the attempt goes on.
      if (state.status !== 'ready' && state.step === 'joining') return { state, effect: 'none' };
      return { state: step(state, event.type === 'interrupted' ? 'resuming' : 'awaiting-server'), effect: 'none' };
    case 'lost':
      return onLost(state, event.closeCode, maxAttempts);
    case 'own-state':
      return onOwnState(state, event);
    case 'forgotten':
      return isWaiting(state) ? joinAgain(state, maxAttempts, state.closeCode) : { state, effect: 'none' };
    case 'unavailable':
      return { state: step(state, 'no-gateway'), effect: 'drop' };
    case 'no-group':
    case 'group-lost':
      return onWithoutGroup(state, event.type, maxAttempts);
    case 'group-followed':
      return { state: state.isLeftBehind ? { ...state, isLeftBehind: false } : state, effect: 'none' };
    case 'route-lost':
      // During an attempt to join, a lost route changes nothing: the attempt's timeout decides.
      return state.status === 'ready' ? joinAgain(state, maxAttempts) : { state, effect: 'none' };
    case 'step-timeout':
      return onStepTimeout(state, maxAttempts);
    case 'deadline':
      return onDeadline(state, event.heldUpBy);
  }
}

/** True if the bot was kicked or the call ended: the bot does not rejoin then. */
export function wasDisconnected({ reason }: SessionEnd): boolean {
  return reason === 'kicked' || reason === 'call-ended';
}

/** The deadline for joining, or for rejoining after a loss: three attempts of 6 s and the pauses between them. */
export const DEFAULT_DEADLINE_MS = 20_000;
/**
 * How long a voice request may wait for its turn, or a closed voice connection for the main gateway. The budget of
 * requests covers a minute; the margin is for requests whose turn comes as the minute ends.
 */
const HELD_UP_TIMEOUT_MS = 75_000;
/**
 * How often to look up the bot's voice channel in the main gateway's cache, while Discord has yet to explain why it
 * closed a voice connection. A new main gateway session ends the connection without an event: only the emptied cache
 * shows it.
 */
const LOOK_AGAIN_MS = 250;

/** All timers of one session. No timer runs after the session has closed. */
export function createSessionTimers(session: {
  readonly times: SessionTimes;
  readonly deadlineMs: number;
  readonly target: Pick<JoinTarget, 'isGatewayConnected' | 'knownChannel'>;
  readonly state: () => VoiceSessionState;
  /** True while the current request to join waits in line: its timeout has not started yet. */
  readonly isInLine: () => boolean;
  readonly dispatch: (event: SessionEvent) => void;
}) {
  const { times, deadlineMs, target, state, isInLine, dispatch } = session;
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
    // While the main gateway is away, Discord cannot explain why it closed the voice connection, so the step gets no
    // timeout.
    return isWaiting(state()) && !target.isGatewayConnected() ? 'gateway' : undefined;
  }

  function lookForExplanation(): void {
    if (whatHoldsUp() !== heldUpBy) startStep();
    const known = target.knownChannel();
    if (known === undefined) dispatch({ type: 'forgotten' });
    else if (known === null) dispatch({ type: 'own-state', channelId: null, wasLetIn: true, mayBeEcho: false });
  }

  return {
    /** Starts the session's timers. `firstStepMs`: the time left for the first step, if less than the usual timeout. */
    start(firstStepMs?: number): void {
      if (state().status === 'closed') return;
      startDeadline(deadlineMs);
      startStep(firstStepMs);
    },
    stateChanged(before: VoiceSessionState): void {
      const now = state();
      clearInterval(lookTimer);
      if (now.status === 'closed') {
        clearTimeout(stepTimer);
        clearTimeout(deadlineTimer);
        return;
      }
      if (before.status === 'ready' && now.status === 'reconnecting') startDeadline(DEFAULT_DEADLINE_MS);
      startStep();
      if (now.status === 'ready') clearTimeout(deadlineTimer);
      if (isWaiting(now)) lookTimer = setInterval(lookForExplanation, LOOK_AGAIN_MS);
    },
    /**
     * Must be called when a request to join that had to wait has been sent: restarts the timeout of the session's step.
     */
    requestSent: () => startStep(),
  };
}
