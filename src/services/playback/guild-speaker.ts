import type { EventEmitter } from 'node:events';
import type { Logger } from 'pino';
import type { Clip } from '../../audio/clips/clip.ts';
import { wasDisconnected } from '../../audio/connection/session-state.ts';
import {
  NoEncryptionGroupError,
  type VoiceSession,
  type VoiceSessions,
} from '../../audio/connection/voice-session-types.ts';
import { refusal } from '../../errors/refusals.ts';
import { UserError } from '../../errors/user-errors.ts';
import type { Text } from '../../texts/catalog.ts';
import type { Metrics } from '../monitoring/metrics.ts';
import {
  createVoicePresence,
  type LeaveReason,
  type SpeakerLimits,
  type VoiceChannels,
  type VoicePlace,
} from '../presence/channel-presence.ts';
import type { LiveItem } from '../queue/live-item.ts';
import { isOver, StoppedByMember } from '../queue/queue-item.ts';
import type { Synthesizer } from '../synthesis/synthesis.ts';
import { createAdjustableTimer } from '../time/adjustable-timer.ts';
import { abortable, DeadlineError, withDeadline } from '../time/deadline.ts';
import { createSpeakerQueue } from './speaker-queue.ts';
import { disconnectedError, type SpeakerEffect, type SpeakerState } from './speaker-state.ts';

export interface Leaving {
  readonly guildId: string;
  readonly voiceChannelId: string;
  readonly textChannelId: string | undefined;
  readonly reason: LeaveReason;
  readonly obstacle: Text | undefined;
}

/**
 * 'left': the bot has left a voice channel. 'deserted': its listeners in a server have been gone for a moment, and what was
 * to be spoken to them has ended.
 */
export type SpeakerEvents = EventEmitter<{ left: [Leaving]; deserted: [guildId: string] }>;

export interface GuildSpeakerOptions {
  readonly guildId: string;
  readonly sessions: Pick<VoiceSessions, 'join'>;
  readonly channels: VoiceChannels;
  readonly synthesizer: Synthesizer;
  /** What the admins of a server have set; read at each decision. */
  readonly limitsOf: (guildId: string) => SpeakerLimits;
  readonly events: SpeakerEvents;
  readonly metrics: Metrics;
  readonly log: Logger;
}

interface JoinOptions {
  /** The requester, whose texts come along. */
  readonly userId?: string | undefined;
  readonly textChannelId?: string;
  /** Gives up the join, unless others need it. */
  readonly signal?: AbortSignal;
}

export interface DrainOptions {
  /** The answer to new requests, and the reason for the items that wait. */
  readonly reason: Text;
  /** Aborted when it has taken too long: drain() rejects with its reason, and close() ends the rest. */
  readonly signal: AbortSignal;
}

export type GuildSpeaker = ReturnType<typeof createGuildSpeaker>;

/** Discord takes none after 3 s; what it took may be known later, where the way back is slow. */
const ACKNOWLEDGMENT_TIMEOUT_MS = 5_000;
/**
 * How much longer than its sound a clip may take: for the end-to-end encryption and for getting the connection back. A
 * play that never ends must not block the queue.
 */
const PLAY_MARGIN_MS = 60_000;

/** The speaker of one server: owns its presence in a voice channel and its queue, and speaks one item after the other. */
export function createGuildSpeaker(options: GuildSpeakerOptions) {
  const { guildId, sessions, channels, synthesizer, events, metrics } = options;
  const log = options.log.child({ guildId });
  const limits = () => options.limitsOf(guildId);
  /** Aborted with the refusal: ends the joins that speak nothing. */
  const refusing = new AbortController();
  let closing: Promise<void> | undefined;
  /** The item at its turn, until its end. */
  let current: LiveItem | undefined;
  let playing: Playing | undefined;
  let startOver = new AbortController();
  let idle: Promise<void> = Promise.resolve();

  const queue = createSpeakerQueue({
    guildId,
    synthesizer,
    facts: () => ({
      channelId: presence.channelId,
      listeners: (channelId, withoutUserId) => channels.listeners(guildId, channelId, withoutUserId),
      obstacle: (channelId) => channels.obstacle(guildId, channelId),
      limits: limits(),
    }),
    carryOut,
    log,
  });
  const { dispatch } = queue;
  const presence = createVoicePresence({
    guildId,
    sessions,
    channels,
    log,
    limits,
    onEvent(event) {
      dispatch(event);
      if (event.type === 'alone') events.emit('deserted', guildId);
    },
  });
  const pauseEnds = createAdjustableTimer(
    () => limits().pauseMs,
    () => dispatch({ type: 'paused-too-long' }),
  );

  function carryOut(effect: SpeakerEffect, { refusal }: SpeakerState): void {
    switch (effect.type) {
      case 'wake':
        if (current) makeNext();
        else idle = work();
        break;
      case 'start-over':
        startOver.abort();
        break;
      case 'hold':
        pauseEnds.start();
        applyPause();
        break;
      case 'go-on':
        pauseEnds.end();
        applyPause();
        break;
      case 'abort-joins':
        refusing.abort(refusal);
        break;
      case 'leave':
        presence.leaveSoon(effect.reason, effect.obstacle);
        break;
      case 'report-left':
        reportLeft(effect);
        break;
    }
  }

  function reportLeft({ left, usedFrom: textChannelId }: Extract<SpeakerEffect, { type: 'report-left' }>): void {
    const { channelId: voiceChannelId, reason, obstacle } = left;
    try {
      events.emit('left', { guildId, voiceChannelId, textChannelId, reason, obstacle });
    } catch (error) {
      // An error of a subscriber must not stop the rest of leaving.
      log.error({ err: error }, 'A subscriber of the guild speaker threw');
    }
  }

  function take(): LiveItem | undefined {
    dispatch({ type: 'take-turn' });
    return queue.current;
  }

  async function work(): Promise<void> {
    const release = presence.need();
    let isFirst = true;
    for (current = take(); current; current = take()) {
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
    if (channels.joinsFirst(guildId) || presence.isReconnecting) {
      await enter(item, signal);
      mustBeAllowed(item);
    }
    // Side by side; whichever fails first ends it.
    const [, clip] = await Promise.all([enter(item, signal), item.prepare()]);
    await mustBeAcknowledged(item, signal);
    // Again, because the connection may have been lost while the speech was made: what is paid for is worth another join.
    mustBeAllowed(item);
    const session = await presence.enter(item.place, signal);
    signal.throwIfAborted();
    const result = await play(item, session, clip, signal);
    const { firstPacketAtMs = performance.now(), encrypted } = result;
    const firstAudioMs = firstPacketAtMs - item.askedAtMs;
    if (result.firstPacketAtMs !== undefined) {
      const kind = hadToWait ? 'queued' : hadToJoin ? 'cold' : item.isCached ? 'cached' : 'joined';
      metrics.firstAudio({ kind, ms: firstAudioMs });
    }
    const stopped = item.signal.reason instanceof StoppedByMember ? item.signal.reason : undefined;
    const isFinished = result.outcome === 'finished';
    if (!isFinished && !stopped) {
      signal.throwIfAborted();
      throw interruption(session, result);
    }
    end(item, isFinished ? 'done' : 'skipped');
    item.succeed({
      outcome: isFinished ? 'finished' : 'stopped',
      stoppedBy: stopped?.byUserId,
      channelId: session.channelId,
      firstAudioMs: Math.round(firstAudioMs),
      encrypted,
    });
    queue.wasSpoken(item);
  }

  function mustBeAllowed({ place }: LiveItem): void {
    const obstacle = channels.obstacle(guildId, place.channelId);
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
    const present = createPlaying(session, clip);
    playing = present;
    applyPause();
    queue.changed();
    const onFlowing = () => {
      present.hasBegun = true;
      // After the packets of this turn.
      queueMicrotask(makeNext);
    };
    const { overdue } = present;
    const result = await session.play(clip, { signal: AbortSignal.any([signal, overdue]), onFlowing });
    playing = undefined;
    present.end();
    item.heard.stop();
    // A session that sends nothing is given up: the next item joins again.
    if (overdue.aborted) await presence.leave('connection-lost');
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
    queue.next?.prepare().catch(() => undefined);
  }

  function applyPause(): void {
    if (!playing || !current || isOver(current.state)) return;
    const { isPaused } = queue;
    current.state = isPaused ? 'paused' : 'speaking';
    playing.hold(isPaused);
    if (isPaused) current.heard.stop();
    else current.heard.start();
  }

  function end(item: LiveItem, state: 'done' | 'failed' | 'skipped'): void {
    item.heard.stop();
    item.state = state;
    dispatch({ type: 'turn-ended', item });
  }

  /** The reason why a clip was not played to its end, unless a member or the speaker ended it. */
  function interruption(
    { state, channelId }: VoiceSession,
    { error, packetsSent }: { readonly error?: unknown; readonly packetsSent: number },
  ): unknown {
    if (error instanceof NoEncryptionGroupError) {
      const kind = packetsSent === 0 ? 'unheard' : 'encryption-lost';
      return new UserError(refusal(kind, { channel: `<#${channelId}>` }), { cause: error });
    }
    if (state.status === 'closed' && wasDisconnected(state.end)) {
      return disconnectedError(channelId, channels.exists(channelId) ? 'kicked' : 'channel-gone');
    }
    if (state.status === 'closed' || error === undefined) {
      return new UserError(refusal('connection-lost', { heard: 'nothing' }), { cause: error });
    }
    return error;
  }

  async function close(reason: Text): Promise<void> {
    dispatch({ type: 'close', reason });
    queue.clear();
    await presence.leave('closing');
  }

  return {
    ...queue.texts,
    /** The channel it is in or on its way to. */
    get channelId() {
      return presence.channelId;
    },
    get isPaused() {
      return queue.isPaused;
    },
    /**
     * Holds what is being made or spoken, for as long as the limits say; resume() goes on where it stopped. Throws a
     * UserError when the bot is stopping.
     */
    pause() {
      const wasPaused = queue.isPaused;
      const effects = dispatch({ type: 'pause' });
      return wasPaused ? 'already-paused' : effects.length > 0 ? 'paused' : 'nothing-to-pause';
    },
    resume: () => void dispatch({ type: 'resume' }),
    /**
     * Joins without speaking, or moves there if only the asker listens in its current channel; leaves when idle, as
     * always. The channel may be empty unless something is still to be spoken. Rejects with a UserError or a
     * VoiceJoinError.
     */
    async join(place: VoicePlace, options: JoinOptions = {}): Promise<void> {
      const { userId, textChannelId, signal = new AbortController().signal } = options;
      dispatch({ type: 'join', place, userId, textChannelId });
      const release = presence.need();
      try {
        const session = await presence.enter(place, AbortSignal.any([signal, refusing.signal]));
        if (session.state.status === 'closed') throw interruption(session, { packetsSent: 0 });
      } finally {
        release();
        queue.changed();
      }
    },
    async leave(byUserId?: string) {
      dispatch({ type: 'stop', byUserId });
      await presence.leave('asked');
    },
    /** A member came, left or moved: leaves after a while without listeners. */
    audienceChanged: presence.audienceChanged,
    /** The bot's permissions, its mute or its place on a stage may have changed: ends items that can no longer be heard. */
    accessChanged: () => void dispatch({ type: 'access-changed' }),
    /**
     * A moderator put the bot back into the audience of a stage: ends items that are not heard. At the next request, it
     * takes the floor again.
     */
    movedToAudience: () => void dispatch({ type: 'put-into-audience' }),
    /** The bot is no longer allowed in its voice channel, for this reason: ends everything and leaves. */
    sendAway: (reason: Text) => void dispatch({ type: 'sent-away', reason }),
    /** Discord mutes the bot in this voice channel until it joins again: ends everything and leaves. */
    heldBack: (channelId: string) => void dispatch({ type: 'held-back', channelId }),
    /** Waits that are under way are measured by the new limits. */
    limitsChanged() {
      presence.limitsChanged();
      pauseEnds.measureAgain();
    },
    /** Accepts nothing more, for this reason; resolves when nothing is being spoken. See GuildSpeakers.drain(). */
    async drain({ reason, signal }: DrainOptions) {
      dispatch({ type: 'drain', reason });
      await abortable(idle, signal);
    },
    /** Ends everything for this reason and leaves. Idempotent. */
    close(reason: Text): Promise<void> {
      closing ??= close(reason);
      return closing;
    },
  };
}

type Playing = ReturnType<typeof createPlaying>;

/** A clip being played. `overdue` aborts when it is complete and has not been played long after. */
function createPlaying(session: VoiceSession, clip: Clip) {
  const overdue = new AbortController();
  const deadline = createAdjustableTimer(
    () => clip.durationMs + PLAY_MARGIN_MS,
    () => overdue.abort(new DeadlineError('The clip was not played')),
  );
  let isHeld = false;
  let hasEnded = false;

  /** Until a clip is complete, its maker has deadlines of its own. A pause is no delay: the deadline restarts after it. */
  function measure(): void {
    if (isHeld || hasEnded || clip.state === 'growing') deadline.end();
    else deadline.start();
  }

  clip.done.then(measure, measure);
  return {
    session,
    overdue: overdue.signal,
    /** Its first packet has left. */
    hasBegun: false,
    hold(isPaused: boolean): void {
      isHeld = isPaused;
      if (isPaused) session.pause();
      else session.resume();
      measure();
    },
    end(): void {
      hasEnded = true;
      measure();
    },
  };
}
