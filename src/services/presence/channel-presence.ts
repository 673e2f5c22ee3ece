import type { Logger } from 'pino';
import { wasDisconnected } from '../../audio/connection/session-state.ts';
import {
  type JoinTarget,
  NoEncryptionGroupError,
  type SessionEnd,
  VoiceJoinError,
  type VoiceSession,
  type VoiceSessions,
} from '../../audio/connection/voice-session-types.ts';
import type { Text } from '../../texts/catalog.ts';
import { createAdjustableTimer } from '../time/adjustable-timer.ts';
import { abortable, withDeadline } from '../time/deadline.ts';

export interface VoicePlace extends Omit<JoinTarget, 'guildId'> {
  /**
   * Makes the bot audible: on a stage it joins as part of the audience. Called before each utterance, because
   * moderators may have put it back there; undefined if nothing is needed.
   */
  readonly takeTheFloor?: (signal: AbortSignal) => Promise<void> | undefined;
}

/**
 * The reason why the bot left a channel. 'asked': leave(); 'closing': it is being stopped or was removed from the
 * server; 'not-allowed': it is not allowed to be heard there (any more), `obstacle` says why; 'connection-lost' only if
 * nothing was to be spoken, otherwise it joins again; 'unheard': the call's end-to-end encryption group did not admit
 * it.
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

/** What the admins of a server may set; read at each decision. Times may be Infinity: never. */
export interface SpeakerLimits {
  /** How long the bot stays without listeners, for those who come back. */
  readonly aloneMs: number;
  /** How long it stays after the last word. */
  readonly idleMs: number;
  /** Utterances waiting in one server, besides the one being spoken. */
  readonly queueLimit: number;
  /** Maximum number of one member's items among these. */
  readonly memberQueueLimit: number;
  /** How long a pause lasts before the bot gives up and leaves. */
  readonly pauseMs: number;
}

export const DEFAULT_SPEAKER_LIMITS: SpeakerLimits = {
  queueLimit: 20,
  memberQueueLimit: 8,
  aloneMs: 60_000,
  idleMs: 5 * 60_000,
  pauseMs: 10 * 60_000,
};

/** What Discord knows of the voice channels of servers. */
export interface VoiceChannels {
  /** Members other than bots in a voice channel, without that one. */
  listeners(guildId: string, channelId: string, withoutUserId?: string): number;
  exists(channelId: string): boolean;
  /** Why the bot could not be heard in a channel; asked before joining and before speaking. */
  obstacle(guildId: string, channelId: string): Text | undefined;
  /** An obstacle may show once the bot is in voice: speech is made only then. */
  joinsFirst(guildId: string): boolean;
}

export type PresenceEvent =
  | { readonly type: 'moved'; readonly from: string; readonly channelId: string }
  /** No listeners are left, for longer than a hiccup takes; the bot leaves some time later. */
  | { readonly type: 'alone'; readonly channelId: string }
  /** It is in this channel no more, and not because it went to another one. */
  | {
      readonly type: 'left';
      readonly channelId: string;
      readonly reason: LeaveReason;
      readonly obstacle: Text | undefined;
    };

interface VoicePresenceOptions {
  readonly guildId: string;
  readonly sessions: Pick<VoiceSessions, 'join'>;
  readonly channels: VoiceChannels;
  readonly log: Logger;
  readonly limits: () => SpeakerLimits;
  readonly onEvent: (event: PresenceEvent) => void;
}

/** Getting on stage is one request to Discord, or a raised hand that a moderator has a minute to see. */
const FLOOR_DEADLINE_MS = 65_000;

/** A listener who is back within this time has missed some words; audio without a listener is paid for nothing. */
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

/** When it is not leaving on its own account, its sessions are closed only because the bot is being stopped. */
const CLOSING: Leaving = { reason: 'closing', obstacle: undefined };

interface Leaving {
  readonly reason: LeaveReason;
  readonly obstacle: Text | undefined;
}

/** The bot's being in a voice channel of one server: owns the voice session and decides when to leave. */
export function createVoicePresence({ guildId, sessions, channels, log, limits, onEvent }: VoicePresenceOptions) {
  let state: State = { kind: 'absent' };
  /** In the channel already, but not yet audible there. */
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
  /** The bot's channel, without listeners. */
  const deserted = () => {
    const here = session()?.channelId;
    return here === undefined || channels.listeners(guildId, here) > 0 ? undefined : here;
  };

  /**
   * Joins, moves or simply stays, and resolves when sound can be sent, also when the bot has been taken somewhere else
   * meanwhile or out again: see the session. Rejects with a VoiceJoinError.
   */
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
    // A caller who gives up does not end the join for later ones: it ends when no caller needs it.
    return abortable(joining, signal);
  }

  /** Over, and by no one's wish: what is to be spoken is worth another join. */
  const isLost = ({ state }: VoiceSession) =>
    state.status === 'closed' && (state.end.reason === 'failed' || state.end.reason === 'gateway-lost');

  function floorOf(place: VoicePlace, signal: AbortSignal): Promise<void> | undefined {
    const floor = place.takeTheFloor?.(signal);
    return floor && withDeadline(floor, { timeoutMs: FLOOR_DEADLINE_MS, what: 'Getting on stage', signal });
  }

  function takeTheFloor(place: VoicePlace, stay: AbortSignal, signal: AbortSignal): Promise<void> | undefined {
    return floorOf(place, AbortSignal.any([stay, signal]))?.catch((error: unknown) => {
      // It is there no more: where it arrives next, what it speaks is held for the floor it takes then.
      if (signal.aborted || !stay.aborted) throw error;
    });
  }

  /** It has arrived in the midst of speaking: what is left is for those who can hear it. */
  function holdForTheFloor(arrived: VoiceSession, place: VoicePlace): void {
    const { stay } = arrived;
    const floor = floorOf(place, stay);
    if (!floor) return;
    arrived.holdUntil(floor);
    floor.catch((error: unknown) => {
      if (!stay.aborted) log.warn({ err: error }, 'Joined a channel where the bot cannot be heard');
    });
  }

  function startJoining(place: VoicePlace): Promise<VoiceSession> {
    const before = state;
    const giveUp = new AbortController();
    const joining = join(place, giveUp.signal);
    joining.then(
      (joined) => {
        if (state.kind !== 'joining' || state.session !== joining) return;
        // It may have ended while the floor was being taken: its end is not told again.
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
    // The earlier join ends only now: a replaced session goes over without leaving, and Discord ignores a join right after
    // leaving.
    if (before.kind === 'joining') before.giveUp.abort();
    return joining;
  }

  async function join(place: VoicePlace, signal: AbortSignal): Promise<VoiceSession> {
    const { takeTheFloor: _, ...target } = place;
    let floor: Promise<void> | undefined;
    const joined = await sessions.join(
      { guildId, ...target },
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
    // Dragged away before it was quite there.
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
    log.info({ channelId, reason, obstacle: obstacle?.key, ...ending }, 'Left a voice channel');
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

  /** Discord tells a deletion and a kick in the same way. */
  function disconnectionOf(channelId: string): Leaving {
    return { reason: channels.exists(channelId) ? 'kicked' : 'channel-gone', obstacle: undefined };
  }

  /**
   * No leaving for idleness until the returned function is called. After the last need has ended, a join under way is
   * given up, and after a while the bot leaves.
   */
  function need(): () => void {
    needs += 1;
    idle.end();
    let isNeeded = true;
    return () => {
      if (!isNeeded) return;
      isNeeded = false;
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

  /** The same as leave() in the background: a failure is logged. */
  function leaveSoon(reason: LeaveReason, obstacle?: Text): void {
    leave(reason, obstacle).catch((error: unknown) => log.warn({ err: error }, 'Leaving the voice channel failed'));
  }

  async function leave(reason: LeaveReason, obstacle?: Text): Promise<void> {
    leaving = { reason, obstacle };
    for (const timer of [idle, unheard, alone]) timer.end();
    if (state.kind === 'joining') state.giveUp.abort();
    await session()?.leave();
  }

  return {
    /** The channel it is in or on its way to. */
    get channelId(): string | undefined {
      return state.kind === 'joining' ? state.channelId : session()?.channelId;
    },
    /** The session is not connected for the moment: Discord may be about to say that the bot was put out. */
    get isReconnecting(): boolean {
      return session()?.state.status === 'reconnecting';
    },
    enter,
    need,
    audienceChanged,
    /** `limits` says something else now. */
    limitsChanged() {
      for (const timer of [idle, unheard, alone]) timer.measureAgain();
    },
    /** Resolves when everything that follows from the end of a closed session has been done. */
    settled: () => ending,
    leave,
    leaveSoon,
  };
}
