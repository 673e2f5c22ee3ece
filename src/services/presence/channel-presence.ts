import type { Logger } from 'pino';
import { wasDisconnected } from '../../audio/connection/session-state.ts';
import {
  type JoinTarget,
  NoEncryptionGroupError,
  type SessionEnd,
  VoiceJoinError,
} from '../../audio/connection/voice-session-types.ts';
import type { VoiceSession, VoiceSessions } from '../../audio/connection/voice-sessions.ts';
import type { Text } from '../../texts/catalog.ts';
import { abortable, createAdjustableTimer, withDeadline } from '../time/timers.ts';

/** Voice channels whose built-in text chat the bot reads aloud because a member brought the bot with /join. */
export function createJoinedChats() {
  const chats = new Map<string, string>();
  const isRead = (guildId: string, channelId: string): boolean => chats.get(guildId) === channelId;
  return {
    /** Lets the voice channel's built-in text chat be read aloud until the bot leaves or moves to another channel. */
    read: (guildId: string, channelId: string): void => void chats.set(guildId, channelId),
    stop: (guildId: string, channelId: string): boolean => isRead(guildId, channelId) && chats.delete(guildId),
    isRead,
    left: (guildId: string): void => void chats.delete(guildId),
  };
}

export type JoinedChats = ReturnType<typeof createJoinedChats>;

export interface VoicePlace extends Omit<JoinTarget, 'guildId'> {
  /** Makes the bot a speaker on a stage, if needed, before each text: moderators may have moved it back. */
  takeTheFloor(signal: AbortSignal): Promise<void> | undefined;
}

/**
 * The reason why the bot left a channel.
 * - 'asked': leave() was called.
 * - 'closing': the bot is being stopped or was removed from the server.
 * - 'not-allowed': the bot is not allowed to be heard there (any more); `obstacle` says why.
 * - 'connection-lost': the connection failed while nothing was to be spoken; otherwise the bot joins again.
 * - 'unheard': the call's end-to-end encryption group did not admit the bot.
 */
export type LeaveReason =
  | 'nobody-listening'
  | 'idle'
  | 'paused-too-long'
  | 'kicked'
  | 'channel-gone'
  | 'not-allowed'
  | 'connection-lost'
  | 'unheard'
  | 'asked'
  | 'closing';

export const DEFAULT_SPEAKER_LIMITS = {
  /** How many utterances may wait in one server, besides the one being spoken. */
  queueLimit: 20,
  memberQueueLimit: 8,
  /** How long the bot stays in a voice channel without listeners, in case they come back. */
  aloneMs: 60_000,
  /** How long the bot stays in a voice channel after the last utterance. */
  idleMs: 5 * 60_000,
  /** How long members may pause the speech before the bot gives up and leaves the voice channel. */
  pauseMs: 10 * 60_000,
};

/** Limits from the server's settings. Times may be Infinity, which means never. */
export type SpeakerLimits = Readonly<typeof DEFAULT_SPEAKER_LIMITS>;

export interface VoiceChannels {
  /** Number of members in a voice channel, without bots and without `withoutUserId`. */
  listeners(guildId: string, channelId: string, withoutUserId?: string): number;
  exists(channelId: string): boolean;
  /** Why the bot cannot be heard in a channel; checked before joining and before speaking. */
  obstacle(guildId: string, channelId: string): Text | undefined;
  /** True if the bot may be inaudible after joining. The bot then buys audio only after it has joined. */
  joinsFirst(guildId: string): boolean;
}

interface Leaving {
  readonly reason: LeaveReason;
  readonly obstacle: Text | undefined;
}

export type PresenceEvent =
  | { readonly type: 'moved'; readonly from: string; readonly channelId: string }
  /** The voice channel has had no listeners for some seconds. If nobody returns, the bot leaves later. */
  | { readonly type: 'alone'; readonly channelId: string }
  | ({ readonly type: 'left'; readonly channelId: string } & Leaving);

interface VoicePresenceOptions {
  readonly guildId: string;
  readonly sessions: Pick<VoiceSessions, 'join'>;
  readonly channels: VoiceChannels;
  readonly log: Logger;
  readonly limits: () => SpeakerLimits;
  readonly onEvent: (event: PresenceEvent) => void;
}

/** To become a speaker on a stage, the bot may have to raise its hand. A moderator has a minute to respond. */
const FLOOR_DEADLINE_MS = 65_000;

/** How long the bot speaks on without listeners: later, it would pay for audio that nobody hears. */
const HICCUP_MS = 5_000;

type State =
  | { readonly kind: 'absent' }
  | {
      readonly kind: 'joining';
      readonly channelId: string;
      readonly session: Promise<VoiceSession>;
      readonly giveUp: AbortController;
    }
  | { readonly kind: 'present'; readonly session: VoiceSession };

/** The reason for leaving if no other was given: the bot is being stopped, which closes its voice sessions. */
const CLOSING: Leaving = { reason: 'closing', obstacle: undefined };

/** Keeps the bot in a voice channel of one server: owns the voice session and decides when to leave. */
export function createVoicePresence({ guildId, sessions, channels, log, limits, onEvent }: VoicePresenceOptions) {
  let state: State = { kind: 'absent' };
  /** A voice session that has arrived in its channel, but in which members cannot hear the bot yet. */
  let arriving: VoiceSession | undefined;
  let leaving = CLOSING;
  let ending: Promise<void> = Promise.resolve();
  let needs = 0;
  const idle = createAdjustableTimer(
    () => limits().idleMs,
    () => leaveSoon('idle'),
  );
  const unheard = createAdjustableTimer(
    () => Math.min(limits().aloneMs, HICCUP_MS),
    () => {
      const here = deserted();
      if (here !== undefined) onEvent({ type: 'alone', channelId: here });
    },
  );
  const alone = createAdjustableTimer(
    () => limits().aloneMs,
    () => {
      if (deserted() !== undefined) leaveSoon('nobody-listening');
    },
  );

  const session = () => (state.kind === 'present' ? state.session : undefined);
  const deserted = () => {
    const here = session()?.channelId;
    return here === undefined || channels.listeners(guildId, here) > 0 ? undefined : here;
  };

  /** Resolves when the bot can send audio, or was moved or disconnected meanwhile. Rejects with a VoiceJoinError. */
  async function enter(place: VoicePlace, signal: AbortSignal): Promise<VoiceSession> {
    const present = session();
    if (present?.channelId === place.channelId && present.state.status !== 'closed') {
      await abortable(present.whenReady(), signal);
      if (!isLost(present)) {
        await takeTheFloor(place, present.stay, signal);
        return present;
      }
      await ending;
    }
    const isOnTheWay = state.kind === 'joining' && state.channelId === place.channelId && !state.giveUp.signal.aborted;
    const joining = state.kind === 'joining' && isOnTheWay ? state.session : startJoining(place);
    // A caller that gives up does not end the join while other callers need it.
    return abortable(joining, signal);
  }

  /** True if the voice session failed, instead of being ended on purpose: the bot may join again. */
  const isLost = ({ state }: VoiceSession) =>
    state.status === 'closed' && (state.end.reason === 'failed' || state.end.reason === 'gateway-lost');

  function floorOf(place: VoicePlace, signal: AbortSignal): Promise<void> | undefined {
    const floor = place.takeTheFloor(signal);
    return floor && withDeadline(floor, { timeoutMs: FLOOR_DEADLINE_MS, what: 'Getting on stage', signal });
  }

  function takeTheFloor(place: VoicePlace, stay: AbortSignal, signal: AbortSignal): Promise<void> | undefined {
    return floorOf(place, AbortSignal.any([stay, signal]))?.catch((error: unknown) => {
      // If a moderator moved the bot meanwhile, a failure to become a stage speaker is ignored: the bot tries again in the new channel.
      if (signal.aborted || !stay.aborted) throw error;
    });
  }

  /** If the bot is moved while speaking, holds back its audio until the new channel's members can hear it. */
  function holdForTheFloor(arrived: VoiceSession, place: VoicePlace): void {
    const { stay } = arrived;
    const floor = floorOf(place, stay);
    if (!floor) return;
    arrived.holdUntil(floor);
    floor.catch((error: unknown) => {
      if (!stay.aborted) log.warn({ err: error }, 'Could not become a stage speaker: cutting off the text');
    });
  }

  function startJoining(place: VoicePlace): Promise<VoiceSession> {
    const before = state;
    const giveUp = new AbortController();
    const joining = join(place, giveUp.signal);
    joining.then(
      (joined) => {
        if (state.kind !== 'joining' || state.session !== joining) return;
        // If the voice session ended before the bot became audible, ended() has already reported it.
        state = joined.state.status === 'closed' ? { kind: 'absent' } : { kind: 'present', session: joined };
        if (giveUp.signal.aborted) leaveSoon('idle');
        audienceChanged();
      },
      (error: unknown) => {
        if (state.kind !== 'joining' || state.session !== joining) return;
        state = { kind: 'absent' };
        leaving = CLOSING;
        if (error instanceof VoiceJoinError && error.kind === 'disconnected') {
          onEvent({ type: 'left', channelId: place.channelId, ...disconnectionOf(place.channelId) });
        }
      },
    );
    state = { kind: 'joining', channelId: place.channelId, session: joining, giveUp };
    // The earlier join is aborted only now, after the new join began: Discord ignores a join right after a leave.
    if (before.kind === 'joining') before.giveUp.abort();
    return joining;
  }

  async function join(place: VoicePlace, signal: AbortSignal): Promise<VoiceSession> {
    let floor: Promise<void> | undefined;
    const joined = await sessions.join(
      { guildId, ...place },
      {
        signal,
        audible(stay) {
          floor = takeTheFloor(place, stay, signal);
          return floor;
        },
      },
    );
    log.info({ channelId: joined.channelId }, 'Joined a voice channel');
    let before = place.channelId;
    const follow = (channelId: string) => {
      onEvent({ type: 'moved', from: before, channelId });
      before = channelId;
      audienceChanged();
    };
    // The bot may arrive in another channel than requested, if a moderator moved it before the join was complete.
    if (joined.channelId !== before) follow(joined.channelId);
    joined.onArrived((channelId) => {
      if (channelId !== before) follow(channelId);
      if (joined.state.status !== 'closed') holdForTheFloor(joined, place);
    });
    ending = joined.closed.then((end) => ended(joined, end));
    arriving = joined;
    try {
      await floor;
      return joined;
    } catch (error) {
      await joined.leave();
      throw signal.aborted ? new VoiceJoinError('aborted', 'Given up without the floor', { cause: error }) : error;
    } finally {
      if (arriving === joined) arriving = undefined;
    }
  }

  function ended(over: VoiceSession, end: SessionEnd): void {
    const wasPresent = session() === over;
    const { channelId } = over;
    const { reason, obstacle } = leftBecause(channelId, end);
    leaving = CLOSING;
    const ending = { end: end.reason, closeCode: end.closeCode };
    log.info({ channelId, reason, whyNotAllowed: obstacle?.key, ...ending }, 'Left a voice channel');
    if (wasPresent) {
      state = { kind: 'absent' };
      idle.end();
      audienceChanged();
    } else if (arriving !== over || !wasDisconnected(end)) {
      return;
    }
    onEvent({ type: 'left', channelId, reason, obstacle });
  }

  function leftBecause(channelId: string, end: SessionEnd): Leaving {
    if (end.reason === 'left') return leaving;
    if (end.error instanceof NoEncryptionGroupError) return { reason: 'unheard', obstacle: undefined };
    return wasDisconnected(end) ? disconnectionOf(channelId) : { reason: 'connection-lost', obstacle: undefined };
  }

  /** Discord reports a deleted channel and a kick in the same way: if the channel still exists, the bot was kicked. */
  function disconnectionOf(channelId: string): Leaving {
    return { reason: channels.exists(channelId) ? 'kicked' : 'channel-gone', obstacle: undefined };
  }

  /** Keeps the bot in the channel until the returned function is called. A join that nobody needs is aborted. */
  function need(): () => void {
    needs += 1;
    idle.end();
    return () => {
      needs -= 1;
      if (needs > 0) return;
      idle.restart();
      if (state.kind === 'joining') state.giveUp.abort();
    };
  }

  function audienceChanged(): void {
    for (const timer of [unheard, alone]) {
      if (deserted() === undefined) timer.end();
      else timer.start();
    }
  }

  function leaveSoon(reason: LeaveReason, obstacle?: Text): void {
    leave(reason, obstacle).catch((error: unknown) =>
      log.warn({ err: error }, 'Could not leave the voice channel: the bot may remain'),
    );
  }

  async function leave(reason: LeaveReason, obstacle?: Text): Promise<void> {
    leaving = { reason, obstacle };
    for (const timer of [idle, unheard, alone]) timer.end();
    if (state.kind === 'joining') state.giveUp.abort();
    await session()?.leave();
  }

  return {
    get channelId(): string | undefined {
      return state.kind === 'joining' ? state.channelId : session()?.channelId;
    },
    /** True while the voice session reconnects. Audio is bought later, because the bot may have been disconnected. */
    get isReconnecting(): boolean {
      return session()?.state.status === 'reconnecting';
    },
    enter,
    need,
    audienceChanged,
    /** Must be called when the server's limits have changed, so that running timers obey them. */
    limitsChanged() {
      for (const timer of [idle, unheard, alone]) timer.measureAgain();
    },
    settled: () => ending,
    leave,
    leaveSoon,
  };
}
