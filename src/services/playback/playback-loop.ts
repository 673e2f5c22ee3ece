import { type Clip, PACKET_MS } from '../../audio/clips/clip.ts';
import type { VoiceSession } from '../../audio/connection/voice-session-types.ts';
import { refusal } from '../../errors/refusals.ts';
import { UserError } from '../../errors/user-errors.ts';
import type { Text } from '../../texts/catalogue.ts';
import type { VoicePresence } from '../presence/channel-presence.ts';
import type { DurationEstimate } from '../queue/duration-estimate.ts';
import { isOver, type QueueEntry } from '../queue/entry.ts';
import { StoppedByMember } from '../queue/utterance.ts';
import { createAdjustableTimer } from '../time/adjustable-timer.ts';
import { DeadlineError, withDeadline } from '../time/deadline.ts';
import { createPlayDeadline, interruption, type PlayDeadline } from './play-deadline.ts';

/** Discord takes none after 3 s; what it took may be known later, where the way back is slow. */
const ACKNOWLEDGEMENT_TIMEOUT_MS = 5_000;

interface PlaybackLoopOptions {
  readonly presence: Pick<VoicePresence, 'channelId' | 'enter' | 'isReconnecting' | 'leave' | 'need' | 'settled'>;
  /** Takes the next item out of the queue. */
  readonly take: () => QueueEntry | undefined;
  /** The item that will be next if nothing else comes. */
  readonly next: () => QueueEntry | undefined;
  readonly estimate: DurationEstimate;
  /** Why the bot would not be heard in this channel. */
  readonly obstacle: (channelId: string) => Text | undefined;
  /** An obstacle may show once it is there: nothing is bought before. */
  readonly joinsFirst: () => boolean;
  readonly channelExists: (channelId: string) => boolean;
  readonly isPaused: () => boolean;
  readonly onEnded: (entry: QueueEntry) => void;
  readonly pauseMs: () => number;
  readonly onPausedTooLong: () => void;
  readonly onChanged: () => void;
  readonly onSpoken: (entry: QueueEntry) => void;
  /** Told when it has been played, as far as it was, with when its first packet left. */
  readonly onHeard: (
    entry: QueueEntry,
    heard: { readonly firstPacketAtMs: number; readonly hadToJoin: boolean },
  ) => void;
}

/** Speaks one item of the queue after the other. */
export function createPlaybackLoop(options: PlaybackLoopOptions) {
  const { presence, estimate, onChanged } = options;
  let current: QueueEntry | undefined;
  let playing: { readonly session: VoiceSession; readonly deadline: PlayDeadline; hasBegun: boolean } | undefined;
  let startOver = new AbortController();
  let idle: Promise<void> = Promise.resolve();
  const pauseEnds = createAdjustableTimer(options.pauseMs, options.onPausedTooLong);

  async function work(): Promise<void> {
    const release = presence.need();
    let isFirst = true;
    for (current = options.take(); current; current = options.take()) {
      current.hadToWait = !isFirst;
      isFirst = false;
      await serve(current);
    }
    release();
    onChanged();
  }

  async function serve(entry: QueueEntry): Promise<void> {
    try {
      await deliver(entry);
    } catch (error) {
      end(entry, entry.signal.reason instanceof StoppedByMember ? 'skipped' : 'failed');
      // The next one does not wait for its bill.
      void entry.fail(error);
    }
  }

  /** Again from the beginning when it shall be heard elsewhere. */
  async function deliver(entry: QueueEntry): Promise<void> {
    for (;;) {
      startOver = new AbortController();
      const { signal } = startOver;
      try {
        return await speak(entry, AbortSignal.any([entry.signal, signal]));
      } catch (error) {
        if (entry.signal.aborted || !signal.aborted) throw error;
        entry.heard.reset();
      }
    }
  }

  async function speak(entry: QueueEntry, signal: AbortSignal): Promise<void> {
    const hadToJoin = presence.channelId !== entry.place.channelId;
    entry.state = 'preparing';
    entry.stage = 'joining';
    onChanged();
    mustBeAllowed(entry);
    if (options.joinsFirst() || presence.isReconnecting) {
      await enter(entry, signal);
      mustBeAllowed(entry);
    }
    // Side by side; whichever fails first ends it.
    const [, clip] = await Promise.all([enter(entry, signal), make(entry)]);
    await mustBeAcknowledged(entry, signal);
    // Again, because the connection may have been lost while the speech was made: what is paid for is worth another join.
    mustBeAllowed(entry);
    const session = await presence.enter(entry.place, signal);
    signal.throwIfAborted();
    const result = await play(entry, session, clip, signal);
    const { firstPacketAtMs } = result;
    if (firstPacketAtMs !== undefined) options.onHeard(entry, { firstPacketAtMs, hadToJoin });
    const stopped = entry.signal.reason instanceof StoppedByMember ? entry.signal.reason : undefined;
    if (result.outcome !== 'finished' && !stopped) {
      signal.throwIfAborted();
      throw interruption(session, result, options.channelExists);
    }
    end(entry, result.outcome === 'finished' ? 'done' : 'skipped');
    const { encrypted } = result;
    const outcome = result.outcome === 'finished' ? 'finished' : 'stopped';
    entry.succeed({ outcome, stoppedBy: stopped?.byUserId, channelId: session.channelId, firstPacketAtMs, encrypted });
    options.onSpoken(entry);
  }

  function mustBeAllowed({ place }: QueueEntry): void {
    const obstacle = options.obstacle(place.channelId);
    if (obstacle) throw new UserError(obstacle);
  }

  /** The others who wait are not held up for longer than Discord takes an answer. */
  async function mustBeAcknowledged({ acknowledged }: QueueEntry, signal: AbortSignal): Promise<void> {
    if (!acknowledged) return;
    const options = { timeoutMs: ACKNOWLEDGEMENT_TIMEOUT_MS, what: 'The first answer', signal };
    await withDeadline(acknowledged, options).catch((error: unknown) => {
      if (!(error instanceof DeadlineError)) throw error;
      throw new UserError(refusal('unacknowledged'), { cause: error });
    });
  }

  async function enter(entry: QueueEntry, signal: AbortSignal): Promise<void> {
    await presence.enter(entry.place, signal);
    if (entry.stage !== 'joining') return;
    entry.stage = 'synthesising';
    onChanged();
  }

  async function make(entry: QueueEntry): Promise<Clip> {
    const clip = await entry.prepare();
    if (!entry.clip) {
      entry.clip = clip;
      clip.done.then(
        () => estimate.learn(entry.request, clip.durationMs),
        () => undefined,
      );
    }
    return clip;
  }

  async function play(entry: QueueEntry, session: VoiceSession, clip: Clip, signal: AbortSignal) {
    const fromPacket = Math.floor(entry.heard.ms / PACKET_MS);
    const deadline = createPlayDeadline(clip);
    const present = { session, deadline, hasBegun: false };
    playing = present;
    entry.stage = undefined;
    applyPause(entry);
    onChanged();
    const onFlowing = () => {
      present.hasBegun = true;
      // After the packets of this turn.
      queueMicrotask(makeNext);
    };
    const isOver = AbortSignal.any([signal, deadline.signal]);
    const result = await session.play(clip, { signal: isOver, onFlowing, fromPacket });
    playing = undefined;
    deadline.clear();
    entry.heard.stop();
    // A session that gets nothing out is given up: the next item joins anew.
    if (deadline.signal.aborted) await presence.leave('connection-lost');
    if (session.state.status === 'closed') await presence.settled();
    return result;
  }

  /**
   * The next item is made while the present one is heard, and not before nor while the connection or its encryption group is
   * in doubt: what is dropped until then costs nothing.
   */
  function makeNext(): void {
    if (!playing?.hasBegun) return;
    const { session } = playing;
    if (session.state.status === 'reconnecting') void session.whenReady().then(makeNext);
    if (session.state.status !== 'ready' || session.encryption === 'pending') return;
    const next = options.next();
    // Its failure is told when its turn comes.
    if (next) make(next).catch(() => undefined);
  }

  function applyPause(entry: QueueEntry): void {
    if (!playing) return;
    entry.state = options.isPaused() ? 'paused' : 'speaking';
    if (options.isPaused()) {
      playing.session.pause();
      playing.deadline.hold();
      entry.heard.stop();
    } else {
      playing.session.resume();
      playing.deadline.go();
      entry.heard.start();
    }
  }

  function end(entry: QueueEntry, state: 'done' | 'failed' | 'skipped'): void {
    entry.heard.stop();
    entry.state = state;
    entry.stage = undefined;
    options.onEnded(entry);
  }

  function applyPauseToCurrent(): void {
    if (current && !isOver(current)) applyPause(current);
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
    /** The place has changed: the current item is spoken anew, from its beginning, where it is now. */
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
