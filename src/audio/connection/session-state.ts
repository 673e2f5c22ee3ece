import {
  type JoinStep,
  type JoinTarget,
  NoEncryptionGroupError,
  type SessionEnd,
  type SessionTimes,
  VoiceJoinError,
  type VoiceSessionState,
} from './voice-session-types.ts';

/** The bot's own voice state as Discord last reported it. */
export interface OwnState {
  readonly channelId: string | null;
  /** True if Discord has answered the latest request to join, and admitted the bot. */
  readonly wasLetIn: boolean;
  /** True before the first connection and after leaving: 'no channel' may then merely confirm that the bot left. */
  readonly mayBeEcho: boolean;
}

export type SessionEvent =
  | { type: 'ready' }
  /** @discordjs/voice resumes its connection or changes the voice server. The event 'ready' follows if the library succeeds. */
  | { type: 'interrupted' }
  /** The voice server is gone, and Discord will announce another server. */
  | { type: 'server-gone' }
  /** The voice gateway closed permanently. @discordjs/voice was kept from rejoining by itself. */
  | { type: 'lost'; closeCode: number }
  | ({ type: 'own-state' } & OwnState)
  /** The bot has a new session on the main gateway. Discord ended the voice connection that belonged to the old session. */
  | { type: 'forgotten' }
  /** The request to join was not sent, because the main gateway was not connected. */
  | { type: 'unavailable' }
  /** No encryption group admitted the bot in time, so listeners hear nothing. */
  | { type: 'no-group' }
  /** The end-to-end encryption group continued without the bot: some listeners hear nothing. */
  | { type: 'group-lost' }
  /** The bot has switched to the new keys of its encryption group, so all listeners hear it. */
  | { type: 'group-followed' }
  /** Datagrams to the voice server cannot be sent, or keep-alives no longer come back. */
  | { type: 'route-lost' }
  | { type: 'step-timeout' }
  | { type: 'deadline'; heldUpBy: HeldUpBy | undefined }
  | { type: 'end'; end: SessionEnd };

/** Why a join is delayed: other servers' requests come first, or the bot is not connected to the main gateway. */
type HeldUpBy = 'line' | 'gateway';

type SessionEffect =
  | 'none'
  | 'join'
  /** Closes the bot's voice connection and tells Discord that the bot leaves the channel. */
  | 'leave'
  /** Closes the bot's voice connection without telling Discord that the bot leaves. */
  | 'drop';

interface Transition {
  state: VoiceSessionState;
  effect: SessionEffect;
}

/**
 * Voice close codes after which the bot tries once more; the same code a second time is final.
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

/** Voice close codes with several causes, such as a kick or a move: the bot waits for Discord's news. */
const ASK_WHY_CODES: ReadonlySet<number> = new Set([4014, 4022]);
/** The voice close code of an ended call: the bot must not rejoin unless Discord names another voice server. */
const CALL_TERMINATED = 4022;
/** Steps of a reconnection in which the bot is still in the voice channel, as far as it knows. */
const STEPS_INSIDE: ReadonlySet<JoinStep> = new Set(['resuming', 'asking-why', 'awaiting-server']);
/** A restored connection that lasts this long is stable: earlier rejoins no longer count as attempts. */
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

/** True if the bot waits for Discord to explain why the voice connection closed, or to name another voice server. */
function isWaiting(state: VoiceSessionState): state is Trying {
  return 'step' in state && (state.step === 'asking-why' || state.step === 'awaiting-server');
}

/** Only a resumed connection keeps `isLeftBehind`, because a new connection gets a new encryption group. */
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

/** The first rejoin comes at once and without leaving, which listeners hardly notice. */
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
  // While the bot waits for the next voice server, the connection to the old server closes: the bot keeps waiting.
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
  // The bot has rejoined recently, and nobody can hear it. Another rejoin would only make members wait longer, so the session ends.
  if (event === 'no-group') return closed({ reason: 'failed', error: new NoEncryptionGroupError() }, 'leave');
  // Soon after a rejoin, another rejoin would hardly help, and some listeners still hear the bot.
  return { state: state.isLeftBehind ? state : { ...state, isLeftBehind: true }, effect: 'none' };
}

function onOwnState(state: Open, { channelId, wasLetIn, mayBeEcho }: OwnState): Transition {
  if (channelId !== null) {
    // If the bot is still in a channel, the closed connection belonged to an old voice server.
    const isExplained = state.status !== 'ready' && state.step === 'asking-why';
    return { state: isExplained ? step(state, 'awaiting-server') : state, effect: 'none' };
  }
  const isIn = wasLetIn || state.status === 'ready' || STEPS_INSIDE.has(state.step);
  // Before Discord admits the bot, 'no channel' may only confirm that the bot left before this attempt to join.
  if (!isIn && mayBeEcho) return { state, effect: 'none' };
  const closeCode = state.status === 'ready' ? undefined : state.closeCode;
  // A request to join may still be on its way, and Discord would grant it: the bot must leave.
  const isAsking = !isIn && state.step === 'joining';
  return closed({ reason: 'kicked', closeCode }, isAsking ? 'leave' : 'drop');
}

function onStepTimeout(state: Open, maxAttempts: number): Transition {
  if (state.status === 'ready') {
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
      // Discord reported no kick and no move. Unless the call ended, the end of the main gateway session closed the voice connection.
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
  // A voice server that keeps admitting and dropping the bot must not make it rejoin forever.
  const isProven = state.status === 'connecting' || state.attempt === 0;
  if (isProven) return { status: 'ready' };
  return { status: 'ready', rejoins: state.attempt, isLeftBehind: state.isLeftBehind };
}

/** A voice session's state changes only here, as a pure function of the state and an event. */
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
      // While the bot is joining, interruptions and changes of the voice server are normal: the attempt goes on.
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
      // While the bot is joining, a lost network route changes nothing: the attempt has its own time limit.
      return state.status === 'ready' ? joinAgain(state, maxAttempts) : { state, effect: 'none' };
    case 'step-timeout':
      return onStepTimeout(state, maxAttempts);
    case 'deadline':
      return onDeadline(state, event.heldUpBy);
  }
}

export function wasDisconnected({ reason }: SessionEnd): boolean {
  return reason === 'kicked' || reason === 'call-ended';
}

/** The deadline for joining, or for rejoining after a loss: three attempts of 6 s and the pauses between them. */
const DEADLINE_MS = 20_000;
/** The deadline while joining is held up: a used-up REQUEST_BUDGET is free again after 65 s, and 10 s are a margin. */
const HELD_UP_TIMEOUT_MS = 75_000;
/** Interval for checking the cached voice state: in a new main gateway session, Discord sends no event about an ended voice connection. */
const LOOK_AGAIN_MS = 250;

export function createSessionTimers(session: {
  readonly times: SessionTimes;
  readonly target: Pick<JoinTarget, 'isGatewayConnected' | 'knownChannel'>;
  readonly state: () => VoiceSessionState;
  /** True while the request to join waits for the budget of requests: its time limit has not started yet. */
  readonly isInLine: () => boolean;
  readonly dispatch: (event: SessionEvent) => void;
}) {
  const { times, target, state, isInLine, dispatch } = session;
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
    else if (!heldUpBy && before) startDeadline(DEADLINE_MS);
    if (timeoutMs !== undefined && !heldUpBy) stepTimer = setTimeout(dispatch, timeoutMs, { type: 'step-timeout' });
  }

  function whatHoldsUp(): HeldUpBy | undefined {
    if (isInLine()) return 'line';
    // While the main gateway is away, Discord cannot explain a closed connection, so the time limit does not run.
    return isWaiting(state()) && !target.isGatewayConnected() ? 'gateway' : undefined;
  }

  function lookForExplanation(): void {
    if (whatHoldsUp() !== heldUpBy) startStep();
    const known = target.knownChannel();
    if (known === undefined) dispatch({ type: 'forgotten' });
    else if (known === null) dispatch({ type: 'own-state', channelId: null, wasLetIn: true, mayBeEcho: false });
  }

  return {
    /** `firstStepMs`: the remaining pause before the bot may join. If undefined, the attempt's time limit starts. */
    start(firstStepMs?: number): void {
      if (state().status === 'closed') return;
      startDeadline(DEADLINE_MS);
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
      if (before.status === 'ready' && now.status === 'reconnecting') startDeadline(DEADLINE_MS);
      startStep();
      if (now.status === 'ready') clearTimeout(deadlineTimer);
      if (isWaiting(now)) lookTimer = setInterval(lookForExplanation, LOOK_AGAIN_MS);
    },
    /** Must be called when a delayed request to join has been sent: the time limit of the attempt starts only now. */
    requestSent: () => startStep(),
  };
}
