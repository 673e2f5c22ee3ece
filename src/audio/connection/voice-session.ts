import type { Logger } from 'pino';
import { createClipPlayer } from '../playing/clip-player.ts';
import type { PacketClock } from '../playing/clock.ts';
import { createDaveGate, type DaveGate } from './dave-gate.ts';
import { PacketSender } from './packet-sender.ts';
import { readyTransport } from './ready-transport.ts';
import { isWaiting, joinError, type SessionEvent, type StepTimes, stepTimeoutMs, transition } from './session-state.ts';
import { openVoiceLink, type VoiceLink } from './voice-link.ts';
import {
  type JoinTarget,
  type SessionEncryption,
  type SessionEnd,
  VoiceJoinError,
  type VoiceSession,
  type VoiceSessionState,
  type VoiceSessionsOptions,
} from './voice-session-types.ts';
import { type OwnState, openVoiceSignalling, type VoiceSignalling } from './voice-signalling.ts';

/** How often the cached voice state is read while Discord's explanation is awaited: no event tells of a new main session. */
const LOOK_AGAIN_MS = 250;
/** 200 ms: the delay after which other bots found that no listener's client clipped the first syllable. */
const LEAD_IN_PACKETS = 10;
/** For joining, or rejoining after a loss: three attempts of 6 s and the pauses between them. */
export const DEFAULT_DEADLINE_MS = 20_000;

export interface SessionSettings extends StepTimes {
  maxAttempts: number;
  encryptionTimeoutMs: number;
}

export interface OpenSession extends VoiceSession {
  /** Resolves when ready for the first time, rejects with a VoiceJoinError when that never happens. */
  readonly joined: Promise<void>;
  end(end: SessionEnd): void;
}

/** Opens a session and keeps it up until it ends. All events go through `dispatch` and the transition. */
export function openSession(
  target: JoinTarget,
  context: {
    log: Logger;
    clock: PacketClock;
    settings: SessionSettings;
    deadlineMs: number;
    /** The delay before joining: 0 unless the bot has just left a channel of this server. */
    pauseMs: number;
    onPlayed: VoiceSessionsOptions['onPlayed'];
    /** The library's insides are not as expected; called at each Ready. */
    onMisfits: (misfits: readonly string[]) => void;
    /** Discord has been told that the bot leaves. */
    onLeaving: () => void;
  },
): OpenSession {
  const { settings, pauseMs } = context;
  const log = context.log.child({ guildId: target.guildId });
  const joined = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<SessionEnd>();
  // A caller that did not wait for the join learns of its failure by `closed`.
  joined.promise.catch(() => undefined);
  const arrivalListeners: ((channelId: string) => void)[] = [];
  let state: VoiceSessionState =
    pauseMs > 0
      ? { status: 'connecting', step: 'pausing', attempt: 0 }
      : { status: 'connecting', step: 'joining', attempt: 1 };
  let channelId = target.channelId;
  let signalling: VoiceSignalling | undefined;
  let link: VoiceLink | undefined;
  let gate: DaveGate | undefined;
  const outlet = new PacketSender();
  let stepTimer: NodeJS.Timeout | undefined;
  let deadlineTimer: NodeJS.Timeout | undefined;
  let lookTimer: NodeJS.Timeout | undefined;
  let lastError: Error | undefined;
  let hasWarned = false;
  let isPaused = false;
  let stay = new AbortController();
  /** The pending change to being audible, while clips wait for it. */
  let hold: Promise<unknown> | undefined;

  const player = createClipPlayer({
    clock: context.clock,
    sink: outlet,
    onFailure: (error) => dispatch({ type: 'end', end: { reason: 'failed', error } }),
  });

  function dispatch(event: SessionEvent): void {
    const before = state;
    const { state: next, effect } = transition(state, event, settings);
    state = next;
    if (effect !== 'none') {
      if (link && effect === 'leave') context.onLeaving();
      link?.destroy({ leave: effect === 'leave' });
      link = undefined;
      gate = undefined;
      outlet.close();
      endStay();
    }
    if (effect === 'join') openLink();
    // Unless the effect has brought about a later state.
    if (state === next && next !== before) onStateChange(before);
  }

  function onStateChange(before: VoiceSessionState): void {
    log.debug(
      { from: before, to: state.status === 'closed' ? { status: 'closed', reason: state.end.reason } : state },
      'Voice',
    );
    clearTimeout(stepTimer);
    const timeoutMs = stepTimeoutMs(state, settings);
    if (timeoutMs !== undefined) stepTimer = setTimeout(() => dispatch({ type: 'step-timeout' }), timeoutMs);
    clearInterval(lookTimer);
    if (isWaiting(state) && target.knownChannel) lookTimer = setInterval(lookForExplanation, LOOK_AGAIN_MS);
    if (before.status === 'ready' && state.status === 'reconnecting') startDeadline(DEFAULT_DEADLINE_MS);
    if (state.status === 'ready') {
      clearTimeout(deadlineTimer);
      joined.resolve();
    } else if (state.status === 'closed') {
      close(state.end);
    }
  }

  function startDeadline(ms: number): void {
    clearTimeout(deadlineTimer);
    deadlineTimer = setTimeout(() => dispatch({ type: 'deadline' }), ms);
  }

  function close(end: SessionEnd): void {
    clearTimeout(stepTimer);
    clearTimeout(deadlineTimer);
    signalling?.close();
    const isOurDoing = end.reason === 'left' || end.reason === 'moved-away';
    player.close(
      isOurDoing ? 'stopped' : 'truncated',
      isOurDoing ? undefined : (end.error ?? new Error(`Voice session ended: ${end.reason}`)),
    );
    joined.reject(joinError(end, lastError));
    closed.resolve(end);
  }

  function onError(error: Error): void {
    lastError = error;
    log.warn({ err: error }, 'Voice connection error');
    // Thrown by the library when the server offers no mode it supports; waiting would not help.
    if (error.message.startsWith('No compatible encryption modes')) {
      const end = new VoiceJoinError('encryption', error.message, { cause: error });
      dispatch({ type: 'end', end: { reason: 'failed', error: end } });
    }
  }

  function lookForExplanation(): void {
    const known = signalling?.knownChannel();
    if (known === undefined) dispatch({ type: 'forgotten' });
    else if (known === null) dispatch({ type: 'own-state', channelId: null, wasLetIn: true, mayBeEcho: false });
  }

  function onOwnState(own: OwnState): void {
    dispatch({ type: 'own-state', ...own });
    if (own.channelId === null || own.channelId === channelId || state.status === 'closed') return;
    channelId = own.channelId;
    tellArrival();
  }

  function tellArrival(): void {
    beginStay();
    for (const listener of arrivalListeners) listener(channelId);
  }

  function beginStay(): void {
    endStay();
    stay = new AbortController();
  }

  function endStay(): void {
    stay.abort();
    releaseHold();
  }

  async function holdUntil(audible: Promise<unknown>): Promise<void> {
    hold = audible;
    applyPause();
    try {
      await audible;
    } catch (error) {
      // A failure for an earlier channel does not concern the present one.
      if (hold !== audible) return;
      player.cutOff(error instanceof Error ? error : new Error('It would be inaudible', { cause: error }));
    }
    if (hold === audible) releaseHold();
  }

  function releaseHold(): void {
    hold = undefined;
    applyPause();
  }

  function applyPause(): void {
    if (isPaused || hold) player.pause();
    else player.resume();
  }

  function openLink(): void {
    beginStay();
    try {
      signalling ??= openSignalling();
      if (signalling.wasPutOut()) onOwnState({ channelId: null, wasLetIn: true, mayBeEcho: false });
      else link = connect(signalling);
    } catch (error) {
      failToJoin(error);
    }
  }

  function openSignalling(): VoiceSignalling {
    return openVoiceSignalling(
      target,
      { hasJustLeft: pauseMs > 0 },
      { ownState: onOwnState, gatewayLost: () => dispatch({ type: 'end', end: { reason: 'gateway-lost' } }) },
    );
  }

  /** The adapter belongs to the bot and may have been removed with its server. */
  function failToJoin(error: unknown): void {
    const cause = new VoiceJoinError('failed', 'The voice channel could not be joined', { cause: error });
    dispatch({ type: 'end', end: { reason: 'failed', error: cause } });
  }

  function connect({ adapterCreator, connected }: VoiceSignalling): VoiceLink {
    const opened = openVoiceLink(
      { guildId: target.guildId, channelId, adapterCreator },
      {
        ready(isNew) {
          const isBack = isNew && state.status === 'reconnecting';
          connected();
          if (isNew) {
            gate?.reset();
            const misfits = link && readyTransport(link.connection).ready?.misfits.sending;
            if (misfits && misfits.length > 0) context.onMisfits(misfits);
          }
          dispatch({ type: 'ready' });
          if (isBack) tellArrival();
          // For a new voice server our stream is new, and so are its listeners' decoders.
          if (isNew) player.leadIn(LEAD_IN_PACKETS);
          else player.wake();
        },
        interrupted: () => dispatch({ type: 'interrupted' }),
        serverGone: () => dispatch({ type: 'server-gone' }),
        lost: (closeCode) => dispatch({ type: 'lost', closeCode }),
        unavailable: () => dispatch({ type: 'unavailable' }),
        heard() {
          gate?.heard();
          outlet.heard();
        },
        transitioned() {
          gate?.transitioned();
          player.wake();
        },
        error: onError,
      },
    );
    gate = createDaveGate({
      connection: opened.connection,
      timeoutMs: settings.encryptionTimeoutMs,
    });
    outlet.open(opened.connection, gate);
    return opened;
  }

  startDeadline(context.deadlineMs);
  stepTimer = setTimeout(() => dispatch({ type: 'step-timeout' }), pauseMs > 0 ? pauseMs : settings.attemptTimeoutMs);
  if (pauseMs === 0) {
    openLink();
  } else {
    try {
      signalling = openSignalling();
    } catch (error) {
      failToJoin(error);
    }
  }

  return {
    guildId: target.guildId,
    get channelId() {
      return channelId;
    },
    get state() {
      return state;
    },
    get encryption(): SessionEncryption {
      const now = gate?.state() ?? 'hold';
      return now === 'encrypted' ? 'end-to-end' : now === 'clear' ? 'transport-only' : 'pending';
    },
    async play(clip, { signal } = {}) {
      const result = await player.play(clip, signal);
      const { outcome, packetsSent, skippedCount = 0 } = result;
      const lostCount = outcome === 'truncated' ? clip.packets.length - packetsSent : 0;
      context.onPlayed?.({ ...result, skippedCount, lostCount });
      if (gate?.gaveUp && !hasWarned) {
        hasWarned = true;
        log.warn(
          { timeoutMs: settings.encryptionTimeoutMs },
          'The end-to-end encryption group was never ready: played without it',
        );
      }
      return result;
    },
    pause() {
      isPaused = true;
      applyPause();
    },
    resume() {
      isPaused = false;
      applyPause();
    },
    joined: joined.promise,
    closed: closed.promise,
    onArrived: (listener) => void arrivalListeners.push(listener),
    get stay() {
      return stay.signal;
    },
    holdUntil: (audible) => void holdUntil(audible),
    end: (end) => dispatch({ type: 'end', end }),
    async leave() {
      dispatch({ type: 'end', end: { reason: 'left' } });
      await closed.promise;
    },
  };
}
