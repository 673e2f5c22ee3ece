import type { Logger } from 'pino';
import type { AudioPipeline } from '../audio/audio-pipeline.ts';
import type { Clip } from '../audio/clip.ts';
import type { JoinTarget, PlayResult, SessionEnd, VoiceSession, VoiceSessions } from '../audio/voice-session-types.ts';
import { DeliveryError, type Spending, UserError } from '../errors.ts';
import { type Text, text } from '../texts/catalogue.ts';
import { withDeadline } from './deadline.ts';
import { dequeue, emptyQueue, enqueue, type Queue, withdraw } from './queue.ts';
import type { SpeechClient, SpeechResult } from './speech/client.ts';
import { SpeechError } from './speech/errors.ts';
import type { SpeechRequest } from './speech/request.ts';

/** Where to speak. */
export interface VoicePlace extends Omit<JoinTarget, 'guildId'> {
  /** Makes the bot audible once it is in the channel: on a stage it joins as part of the audience. */
  readonly takeTheFloor?: (signal: AbortSignal) => Promise<void>;
}

export interface Utterance {
  readonly place: VoicePlace;
  readonly request: SpeechRequest;
  /** Takes the utterance back, whether it waits or is being spoken. */
  readonly signal?: AbortSignal;
}

/** An utterance that was heard: all of it, or up to a /stop. */
export interface Delivery {
  readonly outcome: 'finished' | 'stopped';
  readonly channelId: string;
  readonly speech: SpeechResult;
  /** From `say` to the first packet of sound. */
  readonly firstAudioMs: number;
}

/** The one who speaks in a server: owns its voice session and its queue. */
export interface GuildSpeaker {
  /** The channel it is in or on its way to. */
  readonly channelId: string | undefined;
  readonly queueFull: boolean;
  readonly queueLimit: number;
  /** Whether members in another channel than this one are listening to it. */
  occupiedElsewhere(channelId: string): boolean;
  /** Speaks after what is already waiting. Rejects with a UserError when refused, later with a DeliveryError. */
  say(utterance: Utterance): Promise<Delivery>;
  /** Ends what is being spoken and drops what waits. */
  stop(): { readonly stopped: boolean; readonly dropped: number };
  /** Stops and leaves the channel. */
  leave(): Promise<void>;
  /** Somebody came, left or moved: leaves after a while when nobody is left to listen. */
  audienceChanged(): void;
  /** Ends everything for this reason and leaves. Idempotent. */
  close(reason: Text): Promise<void>;
}

export interface SpeakerLimits {
  /** Utterances waiting in one server, besides the one being spoken. */
  readonly queueLimit: number;
  /** How long the bot stays where nobody listens: long enough for a listener to come back from a hiccup. */
  readonly aloneMs: number;
  /** How long it stays after the last word. */
  readonly idleMs: number;
}

export const DEFAULT_LIMITS: SpeakerLimits = { queueLimit: 20, aloneMs: 5_000, idleMs: 5 * 60_000 };

export interface GuildSpeakerOptions {
  readonly guildId: string;
  readonly sessions: Pick<VoiceSessions, 'join'>;
  readonly pipeline: Pick<AudioPipeline, 'fetchClip'>;
  readonly speech: Pick<SpeechClient, 'speak'>;
  /** Members other than bots in a voice channel. */
  readonly listeners: (guildId: string, channelId: string) => number;
  readonly log: Logger;
  readonly limits?: Partial<SpeakerLimits>;
}

/** Getting on stage is one request to Discord. */
const FLOOR_DEADLINE_MS = 5_000;
/** Longer than any clip the audio pipeline lets through; a play that never ends must not block the queue. */
const PLAY_DEADLINE_MS = 20 * 60_000;

interface Item {
  readonly request: SpeechRequest;
  /** Follows the bot when a moderator moves it. */
  place: VoicePlace;
  readonly acceptedAtMs: number;
  /** Aborted with a UserError that tells the person why. */
  readonly cancellation: AbortController;
  readonly outcome: PromiseWithResolvers<Delivery>;
  /** The clip being made; absent until the item is next in line. */
  clip?: Promise<Clip>;
  speech?: SpeechResult;
}

interface Presence {
  readonly session: VoiceSession;
  /** Resolves when the end of the session has been dealt with. */
  readonly ended: Promise<void>;
}

type Activity = { kind: 'resting' } | { kind: 'preparing'; item: Item } | { kind: 'speaking'; item: Item };

/** Being stopped by a member is an outcome, not a failure: what was heard until then was asked for. */
class StoppedByMember extends UserError {
  constructor() {
    super(text('play.stopped'));
  }
}

export function createGuildSpeaker(options: GuildSpeakerOptions): GuildSpeaker {
  const { guildId, sessions, pipeline, speech, listeners } = options;
  const log = options.log.child({ guildId });
  const limits = { ...DEFAULT_LIMITS, ...options.limits };

  let queue: Queue<Item> = emptyQueue(limits.queueLimit);
  let activity: Activity = { kind: 'resting' };
  let presence: Presence | undefined;
  let closing: { readonly reason: UserError; readonly done: Promise<void> } | undefined;
  let aloneTimer: NodeJS.Timeout | undefined;
  let idleTimer: NodeJS.Timeout | undefined;

  /** Starts making an item's clip, once. */
  function prepare(item: Item): Promise<Clip> {
    item.clip ??= (async () => {
      const { signal } = item.cancellation;
      item.speech = await speech.speak(item.request, { signal, fairnessKey: guildId });
      return pipeline.fetchClip(item.speech.audioUrl, { signal });
    })();
    // Its failure is told when the item's turn comes.
    item.clip.catch(() => undefined);
    return item.clip;
  }

  async function enter(place: VoicePlace, signal: AbortSignal): Promise<VoiceSession> {
    if (presence?.session.channelId === place.channelId && presence.session.state.status !== 'closed') {
      return presence.session;
    }
    const { takeTheFloor, ...target } = place;
    const session = await sessions.join({ guildId, ...target }, { signal });
    if (presence?.session !== session) {
      let before = session.channelId;
      const stopListening = session.onMoved((channelId) => {
        moved(before, channelId);
        before = channelId;
      });
      const ended = session.closed.then((end) => {
        stopListening();
        sessionEnded(session, end);
      });
      presence = { session, ended };
      log.info({ channelId: session.channelId }, 'Joined a voice channel');
    }
    if (takeTheFloor) {
      await withDeadline(takeTheFloor(signal), { timeoutMs: FLOOR_DEADLINE_MS, what: 'Getting on stage', signal });
    }
    audienceChanged();
    return session;
  }

  /** A moderator moved the bot: what was to be spoken in the old channel is spoken in the new one. */
  function moved(from: string, channelId: string): void {
    for (const item of queue.items) {
      if (item.place.channelId === from) item.place = { ...item.place, channelId };
    }
    audienceChanged();
  }

  function sessionEnded(session: VoiceSession, end: SessionEnd): void {
    if (presence?.session !== session) return;
    presence = undefined;
    clearTimeout(aloneTimer);
    clearTimeout(idleTimer);
    aloneTimer = undefined;
    log.info({ channelId: session.channelId, reason: end.reason, closeCode: end.closeCode }, 'Left a voice channel');
    // Whoever put the bot out does not want it back with the next item; after a lost connection the queue goes on.
    if (end.reason === 'kicked' || end.reason === 'call-ended') {
      cancelAll(new UserError(text('play.kicked', { channel: `<#${session.channelId}>` })));
    }
  }

  /** Why a clip was not played to its end, when neither a member nor the speaker ended it. */
  function interruption(session: VoiceSession, result: PlayResult): unknown {
    const { state } = session;
    if (state.status === 'closed' && (state.end.reason === 'kicked' || state.end.reason === 'call-ended')) {
      return new UserError(text('play.kicked', { channel: `<#${session.channelId}>` }));
    }
    if (state.status === 'closed' || result.error === undefined) {
      return new UserError(text('play.connection-lost'), { cause: result.error });
    }
    return result.error;
  }

  async function deliver(item: Item): Promise<Delivery> {
    const { signal } = item.cancellation;
    const { place } = item;
    const preparing = prepare(item);
    try {
      const [session, clip] = await Promise.all([enter(place, signal), preparing]);
      signal.throwIfAborted();
      activity = { kind: 'speaking', item };
      prepareNext();
      const deadline = AbortSignal.timeout(PLAY_DEADLINE_MS);
      const result = await session.play(clip, { signal: AbortSignal.any([signal, deadline]) });
      if (session.state.status === 'closed') await presence?.ended;
      const stopped = signal.aborted && signal.reason instanceof StoppedByMember;
      if (result.outcome === 'finished' || stopped) {
        return {
          outcome: result.outcome === 'finished' ? 'finished' : 'stopped',
          channelId: session.channelId,
          speech: item.speech as SpeechResult,
          firstAudioMs: Math.round((result.firstPacketAt ?? performance.now()) - item.acceptedAtMs),
        };
      }
      signal.throwIfAborted();
      throw interruption(session, result);
    } catch (error) {
      const cause = signal.aborted ? signal.reason : error;
      // Ends whichever half is still at work; the speech interface then says whether the text may have been billed.
      item.cancellation.abort(cause);
      const spending = await spendingOf(item, preparing);
      throw new DeliveryError(place.channelId, spending, cause);
    }
  }

  function prepareNext(): void {
    const next = queue.items[0];
    if (next && activity.kind === 'speaking') void prepare(next);
  }

  async function work(): Promise<void> {
    for (;;) {
      const turn = dequeue(queue);
      if (!turn) break;
      queue = turn.queue;
      activity = { kind: 'preparing', item: turn.item };
      try {
        turn.item.outcome.resolve(await deliver(turn.item));
      } catch (error) {
        turn.item.outcome.reject(error);
      }
    }
    activity = { kind: 'resting' };
    rest();
  }

  function rest(): void {
    clearTimeout(idleTimer);
    if (!presence || closing) return;
    idleTimer = setTimeout(() => {
      if (activity.kind !== 'resting') return;
      log.info('Leaving: nothing was said for a while');
      leaveChannel();
    }, limits.idleMs);
    idleTimer.unref();
  }

  function audienceChanged(): void {
    const channelId = presence?.session.channelId;
    if (channelId === undefined || listeners(guildId, channelId) > 0) {
      clearTimeout(aloneTimer);
      aloneTimer = undefined;
      return;
    }
    if (aloneTimer) return;
    aloneTimer = setTimeout(() => {
      aloneTimer = undefined;
      const there = presence?.session.channelId;
      if (there === undefined || listeners(guildId, there) > 0) return;
      log.info({ channelId: there }, 'Leaving: nobody is listening');
      const here = (item: Item) => item.place.channelId === there;
      cancel(here, new UserError(text('play.nobody-listening', { channel: `<#${there}>` })));
      leaveChannel();
    }, limits.aloneMs);
    aloneTimer.unref();
  }

  function leaveChannel(): void {
    presence?.session.leave().catch((error: unknown) => log.warn({ err: error }, 'Leaving the voice channel failed'));
  }

  /** Ends the matching items, the one being spoken included; how many of them were still waiting. */
  function cancel(matches: (item: Item) => boolean, reason: UserError): number {
    const { queue: left, withdrawn } = withdraw(queue, matches);
    queue = left;
    for (const item of withdrawn) void dropWaiting(item, reason);
    if (activity.kind !== 'resting' && matches(activity.item)) activity.item.cancellation.abort(reason);
    return withdrawn.length;
  }

  const cancelAll = (reason: UserError) => cancel(() => true, reason);

  async function dropWaiting(item: Item, reason: UserError): Promise<void> {
    item.cancellation.abort(reason);
    const spending = await spendingOf(item, item.clip);
    item.outcome.reject(new DeliveryError(item.place.channelId, spending, reason));
  }

  return {
    get channelId() {
      if (activity.kind === 'preparing') return activity.item.place.channelId;
      return presence?.session.channelId;
    },
    queueLimit: limits.queueLimit,
    get queueFull() {
      return queue.items.length >= queue.limit;
    },
    occupiedElsewhere(channelId) {
      const here = this.channelId;
      return here !== undefined && here !== channelId && listeners(guildId, here) > 0;
    },
    say(utterance) {
      const { request, place, signal } = utterance;
      const item: Item = {
        request,
        place,
        acceptedAtMs: performance.now(),
        cancellation: new AbortController(),
        outcome: Promise.withResolvers<Delivery>(),
      };
      if (closing) return Promise.reject(closing.reason);
      if (signal?.aborted) return Promise.reject(new StoppedByMember());
      const longer = enqueue(queue, item);
      if (!longer) return Promise.reject(new UserError(text('refused.queue-full', { limit: queue.limit })));
      queue = longer;
      const takeBack = () => cancel((one) => one === item, new StoppedByMember());
      signal?.addEventListener('abort', takeBack, { once: true });
      clearTimeout(idleTimer);
      if (activity.kind === 'resting') void work();
      else prepareNext();
      return item.outcome.promise;
    },
    stop() {
      const stopped = activity.kind !== 'resting';
      return { stopped, dropped: cancelAll(new StoppedByMember()) };
    },
    async leave() {
      this.stop();
      await presence?.session.leave();
    },
    audienceChanged,
    close(reason) {
      closing ??= { reason: new UserError(reason), done: end(new UserError(reason)) };
      return closing.done;
    },
  };

  async function end(reason: UserError): Promise<void> {
    clearTimeout(aloneTimer);
    clearTimeout(idleTimer);
    cancelAll(reason);
    await presence?.session.leave();
  }
}

/** What an item that will not be heard has cost, known once nothing works on it any more. Gives its clip up. */
async function spendingOf(item: Item, preparing: Promise<Clip> | undefined): Promise<Spending> {
  try {
    (await preparing)?.cancel('It is no longer wanted');
  } catch (error) {
    if (!item.speech && error instanceof SpeechError && error.creditsMayBeSpent) return { kind: 'unknown' };
  }
  if (!item.speech) return { kind: 'none' };
  const { creditsUsed, requestId } = item.speech;
  return { kind: 'used', credits: creditsUsed, ...(requestId !== undefined && { requestId }) };
}
