import type { Logger } from 'pino';
import type { JoinTarget, SessionEnd, VoiceSession, VoiceSessions } from '../audio/voice-session-types.ts';
import { withDeadline } from './deadline.ts';

/** Where to speak. */
export interface VoicePlace extends Omit<JoinTarget, 'guildId'> {
  /**
   * Makes the bot audible where it is: on a stage it joins as part of the audience. Called before each utterance, because
   * moderators may have put it back there or dragged it to a stage; does nothing where nothing is needed.
   */
  readonly takeTheFloor?: () => Promise<void>;
}

/** The bot's being in a voice channel of one server: owns the voice session and decides when to leave. */
export interface VoicePresence {
  /** The channel it is in or on its way to. */
  readonly channelId: string | undefined;
  /** Joins, moves or simply stays, and resolves when sound can be sent. Rejects with a VoiceJoinError. */
  enter(place: VoicePlace, signal: AbortSignal): Promise<VoiceSession>;
  /** Somebody needs it: no leaving for idleness. */
  stir(): void;
  /** Nobody needs it at the moment: gives up a join under way, and leaves after a while. */
  rest(): void;
  /** Somebody came, left or moved. */
  audienceChanged(): void;
  /** Resolves when everything that follows from the end of a closed session has been done. */
  settled(): Promise<void>;
  leave(): Promise<void>;
}

export interface VoicePresenceOptions {
  readonly guildId: string;
  readonly sessions: Pick<VoiceSessions, 'join'>;
  /** Members other than bots in a voice channel. */
  readonly listeners: (guildId: string, channelId: string) => number;
  readonly log: Logger;
  /** How long it stays where nobody listens. */
  readonly aloneMs: number;
  /** How long it stays after it was needed last. */
  readonly idleMs: number;
  /** A moderator moved the bot. */
  readonly onMoved: (from: string, to: string) => void;
  /** Somebody put the bot out, or Discord ended the call: it is not wanted back. */
  readonly onPutOut: (channelId: string) => void;
  /** Nobody is left to listen: the bot is about to leave. */
  readonly onAlone: (channelId: string) => void;
}

/** Getting on stage is one request to Discord. */
const FLOOR_DEADLINE_MS = 5_000;

type State =
  | { readonly kind: 'absent' }
  | {
      readonly kind: 'joining';
      readonly channelId: string;
      readonly session: Promise<VoiceSession>;
      readonly giveUp: AbortController;
    }
  | { readonly kind: 'present'; readonly session: VoiceSession };

export function isPutOut({ reason }: SessionEnd): boolean {
  return reason === 'kicked' || reason === 'call-ended';
}

export function createVoicePresence(options: VoicePresenceOptions): VoicePresence {
  const { guildId, sessions, listeners, log, aloneMs, idleMs } = options;
  let state: State = { kind: 'absent' };
  /** In the channel already, but not yet audible there. */
  let arriving: VoiceSession | undefined;
  let ending: Promise<void> = Promise.resolve();
  let aloneTimer: NodeJS.Timeout | undefined;
  let idleTimer: NodeJS.Timeout | undefined;

  const session = () => (state.kind === 'present' ? state.session : undefined);

  async function enter(place: VoicePlace, signal: AbortSignal): Promise<VoiceSession> {
    const present = session();
    if (present?.channelId === place.channelId && present.state.status !== 'closed') {
      await takeTheFloor(place, signal);
      return present;
    }
    const isOnTheWay = state.kind === 'joining' && state.channelId === place.channelId && !state.giveUp.signal.aborted;
    if (state.kind !== 'joining' || !isOnTheWay) state = startJoining(place);
    // One who gives up does not end the join for those who come after: rest() does, when there are none.
    return abortable(state.session, signal);
  }

  async function takeTheFloor(place: VoicePlace, signal: AbortSignal): Promise<void> {
    if (!place.takeTheFloor) return;
    await withDeadline(place.takeTheFloor(), { timeoutMs: FLOOR_DEADLINE_MS, what: 'Getting on stage', signal });
  }

  function startJoining(place: VoicePlace): Extract<State, { kind: 'joining' }> {
    if (state.kind === 'joining') state.giveUp.abort();
    const giveUp = new AbortController();
    const joining = join(place, giveUp.signal);
    joining.then(
      (joined) => {
        if (state.kind !== 'joining' || state.session !== joining) return;
        // It may have ended while the floor was being taken: its end is not told again.
        state = joined.state.status === 'closed' ? { kind: 'absent' } : { kind: 'present', session: joined };
        if (giveUp.signal.aborted) leaveSoon();
        audienceChanged();
      },
      () => {
        if (state.kind === 'joining' && state.session === joining) state = { kind: 'absent' };
      },
    );
    return { kind: 'joining', channelId: place.channelId, session: joining, giveUp };
  }

  async function join(place: VoicePlace, signal: AbortSignal): Promise<VoiceSession> {
    const { takeTheFloor: _, ...target } = place;
    const joined = await sessions.join({ guildId, ...target }, { signal });
    log.info({ channelId: joined.channelId }, 'Joined a voice channel');
    let before = place.channelId;
    const follow = (channelId: string) => {
      options.onMoved(before, channelId);
      before = channelId;
      audienceChanged();
    };
    // Dragged away before it was quite there.
    if (joined.channelId !== before) follow(joined.channelId);
    const stopListening = joined.onMoved((channelId) => {
      follow(channelId);
      takeTheFloor(place, signal).catch((error: unknown) => log.warn({ err: error }, 'Moved to where nobody hears it'));
    });
    ending = joined.closed.then((end) => {
      stopListening();
      ended(joined, end);
    });
    arriving = joined;
    try {
      await takeTheFloor(place, signal);
      return joined;
    } catch (error) {
      await joined.leave();
      throw error;
    } finally {
      if (arriving === joined) arriving = undefined;
    }
  }

  function ended(over: VoiceSession, end: SessionEnd): void {
    log.info({ channelId: over.channelId, reason: end.reason, closeCode: end.closeCode }, 'Left a voice channel');
    if (session() === over) {
      state = { kind: 'absent' };
      stir();
      audienceChanged();
    } else if (arriving !== over) {
      return;
    }
    // Whoever put the bot out does not want it back; after a lost connection it joins again when it is needed.
    if (isPutOut(end)) options.onPutOut(over.channelId);
  }

  function stir(): void {
    clearTimeout(idleTimer);
  }

  function rest(): void {
    clearTimeout(idleTimer);
    idleTimer = setTimeout(() => {
      if (state.kind === 'present') log.info('Leaving: nothing was said for a while');
      leaveSoon();
    }, idleMs);
    idleTimer.unref();
    if (state.kind === 'joining') state.giveUp.abort();
  }

  function audienceChanged(): void {
    const channelId = session()?.channelId;
    if (channelId === undefined || listeners(guildId, channelId) > 0) {
      clearTimeout(aloneTimer);
      aloneTimer = undefined;
      return;
    }
    if (aloneTimer) return;
    aloneTimer = setTimeout(() => {
      aloneTimer = undefined;
      const here = session()?.channelId;
      if (here === undefined || listeners(guildId, here) > 0) return;
      log.info({ channelId: here }, 'Leaving: nobody is listening');
      options.onAlone(here);
      leaveSoon();
    }, aloneMs);
    aloneTimer.unref();
  }

  function leaveSoon(): void {
    leave().catch((error: unknown) => log.warn({ err: error }, 'Leaving the voice channel failed'));
  }

  async function leave(): Promise<void> {
    stir();
    clearTimeout(aloneTimer);
    aloneTimer = undefined;
    if (state.kind === 'joining') state.giveUp.abort();
    await session()?.leave();
  }

  return {
    get channelId() {
      return state.kind === 'joining' ? state.channelId : session()?.channelId;
    },
    enter,
    stir,
    rest,
    audienceChanged,
    settled: () => ending,
    leave,
  };
}

/** Lets one waiter give up; the work goes on for the others. */
function abortable<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
