import { type Clip, PACKET_MS } from '../../audio/clips/clip.ts';
import { wasDisconnected } from '../../audio/connection/session-state.ts';
import { NoEncryptionGroupError, type VoiceSession } from '../../audio/connection/voice-session-types.ts';
import { refusal } from '../../errors/refusals.ts';
import { UserError } from '../../errors/user-errors.ts';
import type { SpeakerLimits, VoicePresence } from '../presence/channel-presence.ts';
import type { LiveItem } from '../queue/live-item.ts';
import { isOver, StoppedByMember } from '../queue/queue-item.ts';
import { createAdjustableTimer } from '../time/adjustable-timer.ts';
import { DeadlineError, withDeadline } from '../time/deadline.ts';
import type { GuildSpeakerOptions } from './guild-speaker-types.ts';
import type { SpeakerQueue } from './speaker-queue.ts';
import { disconnectedError } from './speaker-state.ts';

/** Discord takes none after 3 s; what it took may be known later, where the way back is slow. */
const ACKNOWLEDGMENT_TIMEOUT_MS = 5_000;

interface PlaybackLoopOptions extends GuildSpeakerOptions {
  readonly presence: VoicePresence;
  readonly queue: SpeakerQueue;
  readonly limits: () => SpeakerLimits;
}

/** Speaks one item of the queue after the other. */
export function createPlaybackLoop({ presence, queue, limits, ...options }: PlaybackLoopOptions) {
  const { guildId } = options;
  let current: LiveItem | undefined;
  let playing: { readonly session: VoiceSession; readonly deadline: PlayDeadline; hasBegun: boolean } | undefined;
  let startOver = new AbortController();
  let idle: Promise<void> = Promise.resolve();
  const pauseEnds = createAdjustableTimer(
    () => limits().pauseMs,
    () => queue.dispatch({ type: 'paused-too-long' }),
  );

  async function work(): Promise<void> {
    const release = presence.need();
    let isFirst = true;
    for (current = queue.take(); current; current = queue.take()) {
      await serve(current, !isFirst);
      isFirst = false;
    }
    release();
    queue.changed();
  }

  async function serve(item: LiveItem, hadToWait: boolean): Promise<void> {
    try {
      await deliver(item, hadToWait);
    } catch (error) {
      end(item, item.signal.reason instanceof StoppedByMember ? 'skipped' : 'failed');
      // The next one does not wait for its bill.
      void item.fail(error);
    }
  }

  /** Again from the beginning when it shall be heard elsewhere. */
  async function deliver(item: LiveItem, hadToWait: boolean): Promise<void> {
    for (;;) {
      startOver = new AbortController();
      const { signal } = startOver;
      try {
        return await speak(item, AbortSignal.any([item.signal, signal]), hadToWait);
      } catch (error) {
        if (item.signal.aborted || !signal.aborted) throw error;
        item.heard.reset();
      }
    }
  }

  async function speak(item: LiveItem, signal: AbortSignal, hadToWait: boolean): Promise<void> {
    const hadToJoin = presence.channelId !== item.place.channelId;
    item.state = 'joining';
    queue.changed();
    mustBeAllowed(item);
    if (options.joinsFirst?.(guildId) || presence.isReconnecting) {
      await enter(item, signal);
      mustBeAllowed(item);
    }
    // Side by side; whichever fails first ends it.
    const [, clip] = await Promise.all([enter(item, signal), item.audio.prepare()]);
    await mustBeAcknowledged(item, signal);
    // Again, because the connection may have been lost while the speech was made: what is paid for is worth another join.
    mustBeAllowed(item);
    const session = await presence.enter(item.place, signal);
    signal.throwIfAborted();
    const result = await play(item, session, clip, signal);
    const { firstPacketAtMs } = result;
    if (firstPacketAtMs !== undefined) {
      const kind = hadToWait ? 'queued' : hadToJoin ? 'cold' : item.audio.isCached ? 'cached' : 'joined';
      options.onFirstAudio?.({ kind, ms: firstPacketAtMs - item.askedAtMs });
    }
    const stopped = item.signal.reason instanceof StoppedByMember ? item.signal.reason : undefined;
    if (result.outcome !== 'finished' && !stopped) {
      signal.throwIfAborted();
      throw interruption(session, result, options.channelExists);
    }
    end(item, result.outcome === 'finished' ? 'done' : 'skipped');
    const { encrypted } = result;
    const outcome = result.outcome === 'finished' ? 'finished' : 'stopped';
    item.succeed({ outcome, stoppedBy: stopped?.byUserId, channelId: session.channelId, firstPacketAtMs, encrypted });
    queue.wasSpoken(item);
  }

  function mustBeAllowed({ place }: LiveItem): void {
    const obstacle = options.obstacle?.(guildId, place.channelId);
    if (obstacle) throw new UserError(obstacle);
  }

  /** The others who wait are not held up for longer than Discord takes an answer. */
  async function mustBeAcknowledged({ acknowledged }: LiveItem, signal: AbortSignal): Promise<void> {
    if (!acknowledged) return;
    const within = { timeoutMs: ACKNOWLEDGMENT_TIMEOUT_MS, what: 'The first answer', signal };
    await withDeadline(acknowledged, within).catch((error: unknown) => {
      if (!(error instanceof DeadlineError)) throw error;
      throw new UserError(refusal('unacknowledged'), { cause: error });
    });
  }

  async function enter(item: LiveItem, signal: AbortSignal): Promise<void> {
    await presence.enter(item.place, signal);
    if (item.state !== 'joining') return;
    item.state = 'synthesizing';
    queue.changed();
  }

  async function play(item: LiveItem, session: VoiceSession, clip: Clip, signal: AbortSignal) {
    const fromPacket = Math.floor(item.heard.ms / PACKET_MS);
    const deadline = createPlayDeadline(clip);
    const present = { session, deadline, hasBegun: false };
    playing = present;
    applyPause(item);
    queue.changed();
    const onFlowing = () => {
      present.hasBegun = true;
      // After the packets of this turn.
      queueMicrotask(makeNext);
    };
    const ended = AbortSignal.any([signal, deadline.signal]);
    const result = await session.play(clip, { signal: ended, onFlowing, fromPacket });
    playing = undefined;
    deadline.clear();
    item.heard.stop();
    // A session that sends nothing is given up: the next item joins again.
    if (deadline.signal.aborted) await presence.leave('connection-lost');
    if (session.state.status === 'closed') await presence.settled();
    return result;
  }

  /**
   * The next item is made while the current one is heard, but not while the connection or its encryption group is in
   * doubt: items dropped until then cost nothing.
   */
  function makeNext(): void {
    if (!playing?.hasBegun) return;
    const { session } = playing;
    if (session.state.status === 'reconnecting') void session.whenReady().then(makeNext);
    if (session.state.status !== 'ready' || session.encryption === 'pending') return;
    // Its failure is reported at its turn.
    queue.next?.audio.prepare().catch(() => undefined);
  }

  function applyPause(item: LiveItem): void {
    if (!playing) return;
    item.state = queue.isPaused ? 'paused' : 'speaking';
    if (queue.isPaused) {
      playing.session.pause();
      playing.deadline.hold();
      item.heard.stop();
    } else {
      playing.session.resume();
      playing.deadline.go();
      item.heard.start();
    }
  }

  function end(item: LiveItem, state: 'done' | 'failed' | 'skipped'): void {
    item.heard.stop();
    item.state = state;
    queue.turnEnded(item);
  }

  function applyPauseToCurrent(): void {
    if (current && !isOver(current.state)) applyPause(current);
  }

  return {
    /** Resolves when nothing is left to speak. */
    get idle() {
      return idle;
    },
    /** Something waits, or something else is next. */
    wake(): void {
      if (current) makeNext();
      else idle = work();
    },
    /** The place has changed: the current item starts again from its beginning, in the new channel. */
    startOver: () => startOver.abort(),
    /** Holds the playing item, and starts the time limit of the pause. */
    hold(): void {
      pauseEnds.start();
      applyPauseToCurrent();
    },
    goOn(): void {
      pauseEnds.end();
      applyPauseToCurrent();
    },
    limitsChanged: pauseEnds.measureAgain,
  };
}

/**
 * How much longer than its sound a clip may take: for the end-to-end encryption and for getting the connection back. A
 * play that never ends must not block the queue.
 */
const PLAY_MARGIN_MS = 60_000;

/** Aborts when a clip has not been played long after it is complete; until then its maker has deadlines of its own. */
function createPlayDeadline(clip: Clip) {
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
    /** A pause is no delay: the deadline restarts after it. */
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

type PlayDeadline = ReturnType<typeof createPlayDeadline>;

/** The reason why a clip was not played to its end, unless a member or the speaker ended it. */
export function interruption(
  { state, channelId }: VoiceSession,
  { error, packetsSent }: { readonly error?: unknown; readonly packetsSent: number },
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
