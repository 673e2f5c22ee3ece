import type { EventEmitter } from 'node:events';
import type { Logger } from 'pino';
import type { Clip } from '../../audio/clips/clip.ts';
import { wasDisconnected } from '../../audio/connection/session-state.ts';
import { NoEncryptionGroupError } from '../../audio/connection/voice-session-types.ts';
import type { VoiceSession, VoiceSessions } from '../../audio/connection/voice-sessions.ts';
import { refusal, UserError } from '../../errors/user-errors.ts';
import type { Text } from '../../texts/catalog.ts';
import type { Metrics } from '../monitoring/metrics.ts';
import {
  createVoicePresence,
  type LeaveReason,
  type SpeakerLimits,
  type VoiceChannels,
  type VoicePlace,
} from '../presence/channel-presence.ts';
import { isOver, type LiveItem, StoppedByMember, Stopwatch } from '../queue/queue-item.ts';
import type { Synthesizer } from '../synthesis/synthesis.ts';
import { abortable, createAdjustableTimer, DeadlineError, withDeadline } from '../time/timers.ts';
import { createSpeakerQueue } from './speaker-queue.ts';
import { disconnectedError, type SpeakerEffect, type SpeakerState } from './speaker-state.ts';

export interface Leaving {
  readonly guildId: string;
  readonly voiceChannelId: string;
  readonly textChannelId: string | undefined;
  readonly reason: LeaveReason;
  readonly obstacle: Text | undefined;
}

/** 'deserted': nobody has listened in the bot's voice channel for a few seconds, so its texts were canceled. */
export type SpeakerEvents = EventEmitter<{ left: [Leaving]; deserted: [guildId: string] }>;

export interface GuildSpeakerOptions {
  readonly guildId: string;
  readonly sessions: Pick<VoiceSessions, 'join'>;
  readonly channels: VoiceChannels;
  readonly synthesizer: Synthesizer;
  /** Returns a server's limits. Is called whenever a limit matters, because admins may change limits at any time. */
  readonly limitsOf: (guildId: string) => SpeakerLimits;
  readonly events: SpeakerEvents;
  readonly metrics: Metrics;
  readonly log: Logger;
}

interface JoinOptions {
  /** The member who requested the join: the member's queued texts move to the joined channel. */
  readonly userId: string | undefined;
  readonly textChannelId?: string;
  /** Aborts the join, unless other callers need the bot in the channel. */
  readonly signal: AbortSignal;
}

interface Playing {
  readonly session: VoiceSession;
  readonly clip: Clip;
  readonly overdue: AbortController;
  hasBegun: boolean;
}

export type GuildSpeaker = ReturnType<typeof createGuildSpeaker>;

/** How long a text waits until Discord has confirmed the first reply: Discord accepts it for 3 s, and a slow network adds to that. */
const ACKNOWLEDGMENT_TIMEOUT_MS = 5_000;
/** How much longer than its audio a clip may take: a clip that never ends would block the queue. */
const PLAY_MARGIN_MS = 60_000;

/** Speaks the texts of one Discord server, one after the other. Owns its queue and its voice connection. */
export function createGuildSpeaker(options: GuildSpeakerOptions) {
  const { guildId, sessions, channels, synthesizer, events, metrics } = options;
  const log = options.log.child({ guildId });
  const limits = () => options.limitsOf(guildId);
  /** Aborts joins that were requested without a text to speak, as soon as the bot begins to stop. */
  const refusing = new AbortController();
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
  const playEnds = createAdjustableTimer(
    () => (playing?.clip.durationMs ?? 0) + PLAY_MARGIN_MS,
    () => playing?.overdue.abort(new DeadlineError('The clip was not played')),
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
      case 'go-on':
        if (queue.isPaused) pauseEnds.start();
        else pauseEnds.end();
        applyPause();
        break;
      case 'abort-joins':
        refusing.abort(refusal);
        break;
      case 'leave':
        presence.leaveSoon(effect.reason, effect.obstacle);
        break;
      case 'report-left': {
        const { channelId: voiceChannelId, reason, obstacle } = effect.left;
        try {
          events.emit('left', { guildId, voiceChannelId, textChannelId: effect.usedFrom, reason, obstacle });
        } catch (error) {
          // An error in a handler of the 'left' event must not stop the server's speaker.
          log.error({ err: error }, 'Could not tell members why the bot left voice');
        }
      }
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
      // item.fail() waits for the failed text's bill. It is not awaited, so that the next text starts at once.
      void item.fail(error);
    }
  }

  /** Speaks a text. If the text must move to another voice channel meanwhile, speaks it there from its beginning. */
  async function deliver(item: LiveItem, hadToWait: boolean): Promise<void> {
    for (;;) {
      startOver = new AbortController();
      const { signal } = startOver;
      try {
        return await speak(item, AbortSignal.any([item.signal, signal]), hadToWait);
      } catch (error) {
        if (item.signal.aborted || !signal.aborted) throw error;
        item.heard = new Stopwatch();
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
    const [, clip] = await Promise.all([enter(item, signal), item.prepare()]);
    await mustBeAcknowledged(item, signal);
    // The voice connection may be lost by now. The bot then joins again, because the audio is already paid for.
    mustBeAllowed(item);
    const session = await presence.enter(item.place, signal);
    signal.throwIfAborted();
    const result = await play(session, clip, signal);
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

  /** Waits until Discord has accepted the first reply: otherwise, the requester would not learn the outcome. */
  async function mustBeAcknowledged({ acknowledged }: LiveItem, signal: AbortSignal): Promise<void> {
    if (!acknowledged) return;
    const within = { timeoutMs: ACKNOWLEDGMENT_TIMEOUT_MS, what: 'The first answer', signal };
    await withDeadline(acknowledged, within).catch((error: unknown) => {
      if (!(error instanceof DeadlineError)) throw error;
      throw new UserError(refusal('unanswered'), { cause: error });
    });
  }

  async function enter(item: LiveItem, signal: AbortSignal): Promise<void> {
    await presence.enter(item.place, signal);
    if (item.state !== 'joining') return;
    item.state = 'synthesizing';
    queue.changed();
  }

  async function play(session: VoiceSession, clip: Clip, signal: AbortSignal) {
    const present: Playing = { session, clip, overdue: new AbortController(), hasBegun: false };
    playing = present;
    clip.done.then(measurePlaying, measurePlaying);
    applyPause();
    // Updates the reply now: if playback is already paused, the next update would come only after the pause.
    queue.changed();
    const onFlowing = () => {
      present.hasBegun = true;
      applyPause();
      // Replies and the next text's audio wait until this turn of the event loop has sent its packets.
      queueMicrotask(() => {
        queue.changed();
        makeNext();
      });
    };
    const { signal: overdue } = present.overdue;
    const result = await session.play(clip, { signal: AbortSignal.any([signal, overdue]), onFlowing });
    playing = undefined;
    measurePlaying();
    // If the session did not play the clip in time, the bot leaves, and joins again for the next text.
    if (overdue.aborted) await presence.leave('connection-lost');
    if (session.state.status === 'closed') await presence.settled();
    return result;
  }

  /** The deadline of a clip's playback stops during a pause, and while audio is still being made, which has its own deadlines. */
  function measurePlaying(): void {
    if (!playing || queue.isPaused || playing.clip.state === 'growing') playEnds.end();
    else playEnds.start();
  }

  /** Makes the next text's audio early, but not on a doubtful connection: if the connection fails, nobody may hear the paid audio. */
  function makeNext(): void {
    if (!playing?.hasBegun) return;
    const { session } = playing;
    if (session.state.status === 'reconnecting') void session.whenReady().then(makeNext);
    if (session.state.status !== 'ready' || session.encryption === 'pending') return;
    // If the next text's audio fails, the bot reports the failure at the text's turn, and ignores the rejection now.
    queue.next?.prepare().catch(() => undefined);
  }

  function applyPause(): void {
    if (!playing || !current || isOver(current.state)) return;
    const { isPaused } = queue;
    if (isPaused) current.state = 'paused';
    else current.state = playing.hasBegun ? 'speaking' : 'synthesizing';
    measurePlaying();
    if (isPaused) {
      playing.session.pause();
      current.heard.stop();
    } else {
      playing.session.resume();
      current.heard.start();
    }
  }

  function end(item: LiveItem, state: 'done' | 'failed' | 'skipped'): void {
    item.heard.stop();
    item.state = state;
    dispatch({ type: 'turn-ended' });
  }

  /** Returns the error for a text whose playback ended early although nobody stopped it. */
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

  const sendAway = (reason: Text): void => void dispatch({ type: 'sent-away', reason });

  return {
    ...queue.texts,
    get channelId() {
      return presence.channelId;
    },
    get isPaused() {
      return queue.isPaused;
    },
    /** Pauses speech. If the pause exceeds the server's limit, the bot leaves. Throws a UserError if the bot is stopping. */
    pause() {
      const wasPaused = queue.isPaused;
      const effects = dispatch({ type: 'pause' });
      return wasPaused ? 'already-paused' : effects.length > 0 ? 'paused' : 'nothing-to-pause';
    },
    resume: () => void dispatch({ type: 'resume' }),
    /** Joins a channel without speaking. Rejects with a VoiceJoinError, or with a UserError if it is refused. */
    async join(place: VoicePlace, options?: JoinOptions): Promise<void> {
      dispatch({ type: 'join', place, userId: options?.userId, textChannelId: options?.textChannelId });
      const { signal } = refusing;
      const release = presence.need();
      try {
        const session = await presence.enter(place, options ? AbortSignal.any([options.signal, signal]) : signal);
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
    /** Must be called when a member joins or leaves voice: without listeners, the bot leaves after a while. */
    audienceChanged: presence.audienceChanged,
    /** Must be called when the bot's permissions or voice state may have changed: ends texts nobody can hear. */
    accessChanged: () => void dispatch({ type: 'access-changed' }),
    /** Must be called when a moderator moved the bot to a stage's audience: ends all texts. */
    movedToAudience: () => void dispatch({ type: 'put-into-audience' }),
    /** Must be called when the bot is no longer allowed in its voice channel: ends all texts, and leaves. */
    sendAway,
    /** Must be called after a join without permission to speak: Discord keeps the bot muted until it joins again. */
    heldBack: (channelId: string) =>
      sendAway(channels.obstacle(guildId, channelId) ?? refusal('held-back', { channel: `<#${channelId}>` })),
    limitsChanged() {
      presence.limitsChanged();
      pauseEnds.measureAgain();
    },
    /**
     * New and waiting texts fail with `reason`, and only the current text is spoken. If it takes too long, `signal`
     * aborts: drain() then rejects, and close() must end the text.
     */
    async drain(reason: Text, signal: AbortSignal) {
      dispatch({ type: 'drain', reason });
      await abortable(idle, signal);
    },
    async close(reason: Text): Promise<void> {
      dispatch({ type: 'close', reason });
      queue.clear();
      await presence.leave('closing');
    },
  };
}
