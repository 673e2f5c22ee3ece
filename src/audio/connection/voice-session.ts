import type { Clip } from '../clips/clip.ts';
import { type ClipPlayer, createClipPlayer, type PlayOptions } from '../playing/clip-player.ts';
import type { PacketClock } from '../playing/clock.ts';
import { createDaveGate, type DaveGate, NO_COMMON_MODE } from './dave.ts';
import { RouteLostError } from './packets/datagram-route.ts';
import { PacketSender } from './packets/packet-sender.ts';
import { createSessionTimers, type OwnState, type SessionEvent, transition } from './session-state.ts';
import { openVoiceLink, type VoiceLink } from './voice-link.ts';
import {
  type JoinTarget,
  type JoinWait,
  joinError,
  type SessionEnd,
  type SessionJoinOptions,
  type SessionTimes,
  VoiceJoinError,
  type VoiceJoinErrorKind,
  type VoiceSessionState,
  type VoiceSessionsOptions,
} from './voice-session-types.ts';
import { openVoiceSignaling, type RequestLine, type VoiceSignaling } from './voice-signaling.ts';

/** 200 ms of silence before speech: authors of other bots found that listeners otherwise miss the first syllable. */
const LEAD_IN_PACKETS = 10;
/** The bot rejoins because of unanswered keep-alives only once in this time: the server may be fine, and a rejoin delays speech. */
const ECHOES_PAUSE_MS = 10 * 60_000;
/** How long a join waits for a missing network route: routes disappear briefly when a network interface restarts. */
const NO_ROUTE_MS = 1_900;

export type OpenSession = ReturnType<typeof openSession>;
export type VoiceSession = Omit<OpenSession, 'joined' | 'end'>;

/** Only the pure function `transition` decides whether the bot joins, leaves, or closes its connection. */
export function openSession(
  target: JoinTarget,
  context: VoiceSessionsOptions & {
    clock: PacketClock;
    line: RequestLine;
    times: SessionTimes;
    /** The delay before joining a voice channel: 0 unless the bot has just left a channel of this server. */
    pauseMs: number;
    audible: SessionJoinOptions['audible'];
    onLeaving: () => void;
  },
) {
  const { times, pauseMs } = context;
  const log = context.log.child({ guildId: target.guildId });
  const joined = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<SessionEnd>();
  let connected = Promise.withResolvers<void>();
  // A caller may ignore `joined` and learn from `closed` that joining failed, so a rejection must not end the process.
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
    log.warn({ packets }, 'Voice server stopped answering: repeating lost audio when it answers');
    context.onUnheard(packets);
    player.goBack(packets);
  }, onEchoesStopped);
  let lastError: Error | undefined;
  let noRouteSinceMs: number | undefined;
  let waitedFor: JoinWait | undefined;
  let echoesStoppedAtMs = Number.NEGATIVE_INFINITY;
  let playing = 0;

  const player = createClipPlayer(context.clock, outlet, (error) =>
    dispatch({ type: 'end', end: { reason: 'failed', error } }),
  );
  const hold = createSessionHold(player, () => gate?.stopWaiting());

  const timers = createSessionTimers({
    times,
    target,
    dispatch,
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
      // If an earlier event has already dropped the link, only signaling.leave() tells Discord that the bot leaves.
      if (effect === 'leave') signaling?.leave();
      link = undefined;
      gate = undefined;
      outlet.close();
      hold.endStay();
    }
    if (effect === 'join') openLink();
    // Joining or leaving may have caused another event, which was handled first: this event's state `next` is outdated then.
    if (state === next && next !== before) onStateChange(before);
  }

  function onStateChange(before: VoiceSessionState): void {
    log.debug(
      { from: before, to: state.status === 'closed' ? { status: 'closed', reason: state.end.reason } : state },
      'Voice session changed state',
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
    player.close(isOurDoing ? undefined : (end.error ?? new Error(`Voice session ended: ${end.reason}`)));
    joined.reject(joinError(end, lastError, waitedFor));
    closed.resolve(end);
  }

  function onError(thrown: unknown): void {
    const error = thrown instanceof Error ? thrown : new Error('The voice connection failed', { cause: thrown });
    lastError = error;
    log.warn({ err: error }, 'Voice connection error: rejoining if the connection is lost');
    if (error instanceof RouteLostError) dispatch({ type: 'route-lost' });
    // Without a common encryption mode, another attempt to join cannot succeed.
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
    if (state.status !== 'ready' || nowMs - echoesStoppedAtMs < ECHOES_PAUSE_MS) return;
    echoesStoppedAtMs = nowMs;
    log.warn('Voice server stopped answering: rejoining the channel, then continuing speech');
    dispatch({ type: 'route-lost' });
  }

  /** Ends the session if `open` throws, for example because the bot was removed from the server. */
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
    const events = { ownState: onOwnState, dispatch, sent: timers.requestSent, left: context.onLeaving };
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
          if (isNew) gate?.reset();
          dispatch({ type: 'ready' });
          if (isBack) tellArrival();
          const audible = isFirst ? context.audible(hold.stay) : undefined;
          if (audible) void hold.until(audible);
          // The audio stream is new to the listeners' decoders, so silence is sent before speech.
          if (isNew) player.leadIn(LEAD_IN_PACKETS);
          else player.wake();
        },
        dispatch,
        heard() {
          gate?.look();
          outlet.heard();
        },
        transitioned() {
          gate?.transitioned();
          dispatch({ type: 'group-followed' });
          player.wake();
        },
        groupLost() {
          log.warn('Bot missed encryption keys: some listeners may not hear it');
          dispatch({ type: 'group-lost' });
        },
        error: onError,
      },
    );
    const itsGate = createDaveGate(opened.connection, times.encryptionTimeoutMs, () => {
      if (gate !== itsGate) return;
      log.warn({ timeoutMs: times.encryptionTimeoutMs }, 'Bot got no voice encryption keys: nobody hears it');
      dispatch({ type: 'no-group' });
    });
    gate = itsGate;
    outlet.open(opened.connection, itsGate);
    return opened;
  }

  attempt(openSignaling);
  // After leaving another channel of the server, the bot must wait before it joins.
  timers.start(pauseMs > 0 ? pauseMs : undefined);

  return {
    /** The bot's current channel, which changes when a moderator moves the bot. */
    get channelId() {
      return channelId;
    },
    get state() {
      return state;
    },
    /** 'pending': listeners cannot hear the bot yet, for example while its encryption group is being formed. */
    get encryption() {
      const now = gate?.look() ?? 'hold';
      return now === 'encrypted' ? 'end-to-end' : now === 'clear' ? 'transport-only' : 'pending';
    },
    /** Plays the clip after all waiting clips, without a gap. Never rejects. */
    async play(clip: Clip, options?: PlayOptions) {
      playing += 1;
      const result = await player.play(clip, options);
      playing -= 1;
      if (playing === 0) gate?.stopWaiting();
      const { outcome, packetsSent } = result;
      const lostCount = outcome === 'truncated' ? clip.packets.length - packetsSent : 0;
      context.onPlayed({ ...result, lostCount, guildId: target.guildId });
      return result;
    },
    /** Holds all clips until resume(), even if the connection is restored meanwhile. Idempotent. */
    pause: () => hold.setPaused(true),
    resume: () => hold.setPaused(false),
    /** Resolves when the session can send voice packets, or when it has closed. */
    whenReady: () => connected.promise,
    /** Resolves when the voice session is first ready. Rejects with a VoiceJoinError if the session ends before. */
    joined: joined.promise,
    closed: closed.promise,
    /** A moderator moved the bot, or it came back over a new connection. On a stage, it is then in the audience. */
    onArrived(listener: (channelId: string) => void): void {
      arrivalListeners.push(listener);
    },
    /** Aborts when the bot is moved, when its connection is restored, or when the session closes. */
    get stay() {
      return hold.stay;
    },
    holdUntil: (audible: Promise<unknown>) => void hold.until(audible),
    end: (end: SessionEnd) => dispatch({ type: 'end', end }),
    async leave() {
      dispatch({ type: 'end', end: { reason: 'left' } });
      await closed.promise;
    },
  };
}

/** Pauses the player on a member's request, or while nobody can hear the bot. `onHeld` is called at each pause. */
function createSessionHold(player: ClipPlayer, onHeld: () => void) {
  let stay = new AbortController();
  /** While this promise is set, all clips wait. It settles when the bot is audible, or cannot become audible. */
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

  function endStay(): void {
    stay.abort();
    release();
  }

  return {
    get stay(): AbortSignal {
      return stay.signal;
    },
    beginStay(): void {
      endStay();
      stay = new AbortController();
    },
    endStay,
    /**
     * Holds all clips until `audible` resolves; if it rejects, the clips end as truncated. A later call replaces an
     * earlier call. A move or a restored connection ends the hold.
     */
    async until(audible: Promise<unknown>): Promise<void> {
      pending = audible;
      apply();
      try {
        await audible;
      } catch (error) {
        // The bot was moved meanwhile: whether it was audible in the old channel does not matter in the current channel.
        if (pending !== audible) return;
        player.cutOff(error instanceof Error ? error : new Error('It would be inaudible', { cause: error }));
      }
      if (pending === audible) release();
    },
    setPaused(paused: boolean): void {
      isPaused = paused;
      apply();
    },
  };
}
