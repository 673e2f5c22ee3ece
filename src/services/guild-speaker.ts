import type { Clip } from '../audio/clip.ts';
import type { PlayResult, VoiceSession } from '../audio/voice-session-types.ts';
import { UserError } from '../errors.ts';
import { type Text, text } from '../texts/catalogue.ts';
import { DeadlineError } from './deadline.ts';
import { dequeue, emptyQueue, enqueue, type Queue, withdraw } from './queue.ts';
import type { Renditions } from './rendition-types.ts';
import { createItem, type Delivery, type Item, StoppedByMember, type Utterance } from './utterance.ts';
import { createVoicePresence, isPutOut, type VoicePresenceOptions } from './voice-presence.ts';

/** The one who speaks in a server: owns its presence in a voice channel and its queue. */
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

export interface GuildSpeakerOptions extends Pick<VoicePresenceOptions, 'guildId' | 'sessions' | 'listeners' | 'log'> {
  readonly renditions: Pick<Renditions, 'render'>;
  readonly channelExists: (channelId: string) => boolean;
  readonly limits?: Partial<SpeakerLimits>;
}

/**
 * How much longer than its sound a clip may take: for the end-to-end encryption and for getting the connection back. A
 * play that never ends must not block the queue.
 */
const PLAY_MARGIN_MS = 60_000;

type Activity = { kind: 'resting' } | { kind: 'preparing'; item: Item } | { kind: 'speaking'; item: Item };

export function createGuildSpeaker(options: GuildSpeakerOptions): GuildSpeaker {
  const { guildId, listeners, channelExists } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const presence = createVoicePresence({
    ...limits,
    guildId,
    sessions: options.sessions,
    listeners,
    log: options.log.child({ guildId }),
    onMoved: moveItems,
    onPutOut: (channelId) => cancel(everyItem, putOut(channelId)),
    onAlone: (channelId) => {
      const here = (item: Item) => item.place.channelId === channelId;
      cancel(here, new UserError(text('play.nobody-listening', { channel: `<#${channelId}>` })));
    },
  });

  let queue: Queue<Item> = emptyQueue(limits.queueLimit);
  let activity: Activity = { kind: 'resting' };
  let closing: { readonly reason: UserError; readonly done: Promise<void> } | undefined;

  /** Speaks one item after the other until none is left. */
  async function work(): Promise<void> {
    presence.stir();
    for (let turn = dequeue(queue); turn; turn = dequeue(queue)) {
      queue = turn.queue;
      const { item } = turn;
      activity = { kind: 'preparing', item };
      try {
        await deliver(item);
      } catch (error) {
        await item.fail(error);
      }
    }
    activity = { kind: 'resting' };
    presence.rest();
  }

  async function deliver(item: Item): Promise<void> {
    // Side by side; whichever fails first ends it.
    const [, clip] = await Promise.all([presence.enter(item.place, item.signal), item.prepare()]);
    // Again, because the connection may have been lost while the speech was made: what is paid for is worth another join.
    const session = await presence.enter(item.place, item.signal);
    item.signal.throwIfAborted();
    activity = { kind: 'speaking', item };
    prepareNext();
    const overdue = whenOverdue(clip);
    const result = await session.play(clip, { signal: AbortSignal.any([item.signal, overdue.signal]) });
    overdue.clear();
    // A session that gets nothing out is given up: the next item joins anew.
    if (overdue.signal.aborted) await presence.leave();
    if (session.state.status === 'closed') await presence.settled();
    const stopped = item.signal.aborted && item.signal.reason instanceof StoppedByMember;
    if (result.outcome !== 'finished' && !stopped) throw interruption(session, result, putOut);
    const outcome = result.outcome === 'finished' ? 'finished' : 'stopped';
    item.succeed({ outcome, channelId: session.channelId, firstPacketAt: result.firstPacketAt });
  }

  function putOut(channelId: string): UserError {
    // Discord tells a deletion and a kick in the same way.
    if (!channelExists(channelId)) return new UserError(text('play.channel-gone'));
    return new UserError(text('play.kicked', { channel: `<#${channelId}>` }));
  }

  /** The next item is made while the present one is spoken, and not before: what is dropped until then costs nothing. */
  function prepareNext(): void {
    if (activity.kind === 'speaking') void queue.items[0]?.prepare();
  }

  /** A moderator moved the bot: what was to be spoken in the old channel is spoken in the new one. */
  function moveItems(from: string, channelId: string): void {
    const underWay = activity.kind === 'resting' ? [] : [activity.item];
    for (const item of [...underWay, ...queue.items]) {
      if (item.place.channelId === from) item.place = { ...item.place, channelId };
    }
  }

  /** Ends the matching items, the one being spoken included; how many of them were still waiting. */
  function cancel(matches: (item: Item) => boolean, reason: UserError): number {
    const { queue: left, withdrawn } = withdraw(queue, matches);
    queue = left;
    for (const item of withdrawn) void item.fail(reason);
    if (activity.kind !== 'resting' && matches(activity.item)) activity.item.cancel(reason);
    return withdrawn.length;
  }

  function stop() {
    const stopped = activity.kind !== 'resting';
    return { stopped, dropped: cancel(everyItem, new StoppedByMember()) };
  }

  async function end(reason: UserError): Promise<void> {
    cancel(everyItem, reason);
    await presence.leave();
  }

  return {
    get channelId() {
      return presence.channelId;
    },
    queueLimit: limits.queueLimit,
    get queueFull() {
      return queue.items.length >= queue.limit;
    },
    occupiedElsewhere(channelId) {
      const here = presence.channelId;
      return here !== undefined && here !== channelId && listeners(guildId, here) > 0;
    },
    say(utterance) {
      const { signal } = utterance;
      if (closing) return Promise.reject(closing.reason);
      if (signal?.aborted) return Promise.reject(new StoppedByMember());
      const item = createItem(utterance, { ...options, guildId });
      const longer = enqueue(queue, item);
      if (!longer) return Promise.reject(new UserError(text('refused.queue-full', { limit: queue.limit })));
      queue = longer;
      signal?.addEventListener('abort', () => cancel((one) => one === item, new StoppedByMember()), { once: true });
      if (activity.kind === 'resting') void work();
      else prepareNext();
      return item.delivery;
    },
    stop,
    async leave() {
      stop();
      await presence.leave();
    },
    audienceChanged: presence.audienceChanged,
    close(reason) {
      const closed = new UserError(reason);
      closing ??= { reason: closed, done: end(closed) };
      return closing.done;
    },
  };
}

/** Aborts when a clip has not been played long after it is complete; until then its maker has deadlines of its own. */
function whenOverdue(clip: Clip): { readonly signal: AbortSignal; clear(): void } {
  const overdue = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let cleared = false;
  const startTimer = () => {
    if (cleared) return;
    timer = setTimeout(
      () => overdue.abort(new DeadlineError('The clip was not played')),
      clip.durationMs + PLAY_MARGIN_MS,
    );
  };
  clip.done.then(startTimer, startTimer);
  return {
    signal: overdue.signal,
    clear() {
      cleared = true;
      clearTimeout(timer);
    },
  };
}

const everyItem = () => true;

/** Why a clip was not played to its end, when neither a member nor the speaker ended it. */
function interruption(
  { state, channelId }: VoiceSession,
  { error }: PlayResult,
  putOut: (channelId: string) => UserError,
): unknown {
  if (state.status === 'closed' && isPutOut(state.end)) return putOut(channelId);
  if (state.status === 'closed' || error === undefined) {
    return new UserError(text('play.connection-lost'), { cause: error });
  }
  return error;
}
