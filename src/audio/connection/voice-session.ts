import type { Logger } from 'pino';
import { type ClipPlayer, createClipPlayer } from '../playing/clip-player.ts';
import type { PacketClock } from '../playing/clock.ts';
import { createDaveGate, type DaveGate } from './dave.ts';
import { NO_COMMON_MODE, readyTransport } from './library/borrowed.ts';
import { RouteLostError } from './packets/datagram-route.ts';
import { PacketSender } from './packets/packet-sender.ts';
import type { RequestLine } from './request-line.ts';
import { createSessionTimers, type SessionEvent, transition } from './session-state.ts';
import { openVoiceLink, type VoiceLink } from './voice-link.ts';
import {
  type JoinTarget,
  type JoinWait,
  joinError,
  type SessionEncryption,
  type SessionEnd,
  type SessionJoinOptions,
  type SessionTimes,
  VoiceJoinError,
  type VoiceJoinErrorKind,
  type VoiceSession,
  type VoiceSessionState,
  type VoiceSessionsOptions,
} from './voice-session-types.ts';
import { type OwnState, openVoiceSignaling, type VoiceSignaling } from './voice-signaling.ts';

/** 200 ms: the delay after which other bots found that no listener's client clipped the first syllable. */
const LEAD_IN_PACKETS = 10;
/** A voice server may stop to send keep-alives back for reasons of its own, and each rejoin is a gap for the listeners. */
const ECHOES_PAUSE_MS = 10 * 60_000;
/** Routes come back after a moment when an interface is set up again. */
const NO_ROUTE_MS = 1_900;

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
    line: RequestLine;
    times: SessionTimes;
    deadlineMs: number;
    /** The delay before joining: 0 unless the bot has just left a channel of this server. */
    pauseMs: number;
    audible: SessionJoinOptions['audible'];
    onPlayed: VoiceSessionsOptions['onPlayed'];
    onUnheard: VoiceSessionsOptions['onUnheard'];
    /** The library's insides are not as expected; called at each Ready. */
    onMisfits: (misfits: readonly string[]) => void;
    onLeaving: () => void;
  },
): OpenSession {
  const { times, pauseMs } = context;
  const log = context.log.child({ guildId: target.guildId });
  const joined = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<SessionEnd>();
  let connected = Promise.withResolvers<void>();
  // A caller that did not wait for the join learns of its failure by `closed`.
  joined.promise.catch(() => undefined);
  const arrivalListeners: ((channelId: string) => void)[] = [];
  let state: VoiceSessionState =
    pauseMs > 0
      ? { status: 'connecting', step: 'pausing', attempt: 0 }
      : { status: 'connecting', step: 'joining', attempt: 1 };
  let channelId = target.channelId;
  let signaling: VoiceSignaling | undefined;
  let link: VoiceLink | undefined;
  let gate: DaveGate | undefined;
  const outlet = new PacketSender((packets) => {
    log.warn({ packets }, 'Voice packets not acknowledged: rewinding and pausing');
    context.onUnheard?.(packets);
    player.goBack(packets);
  }, onEchoesStopped);
  let lastError: Error | undefined;
  /** performance.now() of the join's first datagram without a route. */
  let noRouteSinceMs: number | undefined;
  /** By the last attempt to join. */
  let waitedFor: JoinWait | undefined;
  /** performance.now() of the last rejoin for want of echoes. */
  let echoesStoppedAtMs = Number.NEGATIVE_INFINITY;
  /** Clips that wait or play. */
  let playing = 0;

  const player = createClipPlayer(context.clock, outlet, (error) =>
    dispatch({ type: 'end', end: { reason: 'failed', error } }),
  );
  const hold = createSessionHold(player, () => gate?.stopWaiting());

  const timers = createSessionTimers({
    ...{ times, deadlineMs: context.deadlineMs, target, dispatch },
    state: () => state,
    isInLine: () => signaling?.isInLine() === true,
  });

  function dispatch(event: SessionEvent): void {
    const before = state;
    const { state: next, effect } = transition(state, event, times.maxAttempts);
    state = next;
    if (effect !== 'none') {
      if (link) waitedFor = link.waitsFor === 'admission' ? signaling?.waitsFor() : link.waitsFor;
      link?.destroy({ leave: effect === 'leave' });
      // Without a link, as while the main gateway was away, the leave is ours to send.
      if (effect === 'leave') signaling?.leave();
      link = undefined;
      gate = undefined;
      outlet.close();
      hold.endStay();
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
    timers.stateChanged(before);
    if (before.status === 'ready') connected = Promise.withResolvers();
    if (state.status === 'ready' || state.status === 'closed') connected.resolve();
    if (state.status === 'ready') joined.resolve();
    else if (state.status === 'closed') close(state.end);
  }

  function close(end: SessionEnd): void {
    signaling?.close();
    const isOurDoing = end.reason === 'left' || end.reason === 'moved-away';
    player.close(
      isOurDoing ? 'stopped' : 'truncated',
      isOurDoing ? undefined : (end.error ?? new Error(`Voice session ended: ${end.reason}`)),
    );
    joined.reject(joinError(end, lastError, waitedFor));
    closed.resolve(end);
  }

  function onError(error: Error): void {
    lastError = error;
    log.warn({ err: error }, 'Voice connection error');
    if (error instanceof RouteLostError) dispatch({ type: 'route-lost' });
    // Waiting would not help.
    if (error.message.startsWith(NO_COMMON_MODE)) failToJoin('encryption', error.message, error);
    if (state.status !== 'connecting' || (error as NodeJS.ErrnoException).code !== 'ENETUNREACH') return;
    noRouteSinceMs ??= performance.now();
    if (performance.now() - noRouteSinceMs < NO_ROUTE_MS) return;
    failToJoin('no-route', 'This machine has no IPv4 route to the voice server', error);
  }

  function failToJoin(kind: VoiceJoinErrorKind, message: string, cause: unknown): void {
    dispatch({ type: 'end', end: { reason: 'failed', error: new VoiceJoinError(kind, message, { cause }) } });
  }

  function onOwnState(own: OwnState): void {
    dispatch({ type: 'own-state', ...own });
    if (own.channelId === null || own.channelId === channelId || state.status === 'closed') return;
    channelId = own.channelId;
    tellArrival();
  }

  function tellArrival(): void {
    hold.beginStay();
    for (const listener of arrivalListeners) listener(channelId);
  }

  function onEchoesStopped(): void {
    const nowMs = performance.now();
    // Any other step makes a new link or leads to 'ready', which runs this check again.
    if (state.status !== 'ready' || nowMs - echoesStoppedAtMs < ECHOES_PAUSE_MS) return;
    echoesStoppedAtMs = nowMs;
    log.warn('The voice server no longer sends keep-alive datagrams back');
    dispatch({ type: 'route-lost' });
  }

  /** `open` uses the adapter, which belongs to the bot and may have been removed with its server. */
  function attempt(open: () => void): void {
    try {
      open();
    } catch (error) {
      failToJoin('failed', 'The voice channel could not be joined', error);
    }
  }

  function openLink(): void {
    hold.beginStay();
    attempt(() => {
      if (!signaling) return;
      if (signaling.wasPutOut()) onOwnState({ channelId: null, wasLetIn: true, mayBeEcho: false });
      else link = connect(signaling);
    });
  }

  function openSignaling(): void {
    const events = {
      ownState: onOwnState,
      gatewayLost: () => dispatch({ type: 'end', end: { reason: 'gateway-lost' } }),
      sent: timers.requestSent,
      unavailable: () => dispatch({ type: 'unavailable' }),
      left: context.onLeaving,
    };
    signaling = openVoiceSignaling(target, context.line, pauseMs > 0, events);
    if (pauseMs === 0) openLink();
  }

  function connect({ adapterCreator, connected: noteConnected }: VoiceSignaling): VoiceLink {
    const opened = openVoiceLink(
      { guildId: target.guildId, channelId, adapterCreator },
      {
        ready(isNew) {
          const isBack = isNew && state.status === 'reconnecting';
          const isFirst = state.status === 'connecting';
          noteConnected();
          if (isNew) {
            gate?.reset();
            const misfits = link && readyTransport(link.connection).ready?.misfits;
            if (misfits && misfits.length > 0) context.onMisfits(misfits);
          }
          dispatch({ type: 'ready' });
          if (isBack) tellArrival();
          const audible = isFirst ? context.audible?.(hold.stay) : undefined;
          if (audible) hold.until(audible);
          // For a new voice server our stream is new, and so are its listeners' decoders.
          if (isNew) player.leadIn(LEAD_IN_PACKETS);
          else player.wake();
        },
        interrupted: () => dispatch({ type: 'interrupted' }),
        serverGone: () => dispatch({ type: 'server-gone' }),
        lost: (closeCode) => dispatch({ type: 'lost', closeCode }),
        unavailable: () => dispatch({ type: 'unavailable' }),
        heard() {
          gate?.look();
          outlet.heard();
        },
        echoesStopped: onEchoesStopped,
        transitioned() {
          gate?.transitioned();
          dispatch({ type: 'group-followed' });
          player.wake();
        },
        groupLost() {
          log.warn('The end-to-end encryption group continued without the bot');
          dispatch({ type: 'group-lost' });
        },
        error: onError,
      },
    );
    const itsGate = createDaveGate(opened.connection, times.encryptionTimeoutMs, () => {
      if (gate !== itsGate) return;
      log.warn({ timeoutMs: times.encryptionTimeoutMs }, 'The end-to-end encryption group does not admit the bot');
      dispatch({ type: 'no-group' });
    });
    gate = itsGate;
    outlet.open(opened.connection, itsGate);
    return opened;
  }

  attempt(openSignaling);
  // For the rest of the pause after leaving, events alone are followed.
  timers.start(pauseMs > 0 ? pauseMs : undefined);

  return {
    guildId: target.guildId,
    get channelId() {
      return channelId;
    },
    get state() {
      return state;
    },
    get encryption(): SessionEncryption {
      const now = gate?.look() ?? 'hold';
      return now === 'encrypted' ? 'end-to-end' : now === 'clear' ? 'transport-only' : 'pending';
    },
    async play(clip, options) {
      playing += 1;
      const result = await player.play(clip, options);
      playing -= 1;
      if (playing === 0) gate?.stopWaiting();
      const { outcome, packetsSent } = result;
      const lostCount = outcome === 'truncated' ? clip.packets.length - packetsSent : 0;
      context.onPlayed?.({ ...result, lostCount, guildId: target.guildId });
      return result;
    },
    pause: () => hold.setPaused(true),
    resume: () => hold.setPaused(false),
    whenReady: () => connected.promise,
    joined: joined.promise,
    closed: closed.promise,
    onArrived: (listener) => void arrivalListeners.push(listener),
    get stay() {
      return hold.stay;
    },
    holdUntil: hold.until,
    end: (end) => dispatch({ type: 'end', end }),
    async leave() {
      dispatch({ type: 'end', end: { reason: 'left' } });
      await closed.promise;
    },
  };
}

/**
 * Holds a session's player: for a member's pause, or while the bot is not yet audible where it is. `onHeld`: no packet waits
 * any more to be sent.
 */
function createSessionHold(player: ClipPlayer, onHeld: () => void) {
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

  /** See VoiceSession.holdUntil. */
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
    /** See VoiceSession.stay. */
    get stay(): AbortSignal {
      return stay.signal;
    },
    beginStay(): void {
      endStay();
      stay = new AbortController();
    },
    endStay,
    until: (audible: Promise<unknown>) => void until(audible),
    setPaused(paused: boolean): void {
      isPaused = paused;
      apply();
    },
  };
}
