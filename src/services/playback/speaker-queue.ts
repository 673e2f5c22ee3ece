import type { Logger } from 'pino';
import type { Clip } from '../../audio/clips/clip.ts';
import { UserError } from '../../errors/user-errors.ts';
import { text } from '../../texts/catalog.ts';
import type { VoicePlace } from '../presence/channel-presence.ts';
import { LiveItem, type NewItem, type Renderer, snapshot } from '../queue/live-item.ts';
import {
  type Delivery,
  type Heard,
  isOver,
  type QueueItem,
  type QueueView,
  type SpeechOrder,
  StoppedByMember,
  underWay,
} from '../queue/queue-item.ts';
import { createReplayHistory, madeBefore } from '../queue/replay-history.ts';
import type { Synthesizer } from '../synthesis/synthesis.ts';
import {
  currentOf,
  INITIAL_STATE,
  isOccupiedElsewhere,
  isPausedIn,
  itemsOf,
  reduce,
  type SpeakerEffect,
  type SpeakerEvent,
  type SpeakerFacts,
  type SpeakerState,
  waitingOf,
} from './speaker-state.ts';

export interface Submission {
  /** Short, and not to be guessed: fit for the custom id of a button. */
  readonly id: string;
  /** Resolves when it was heard, rejects with a DeliveryError. */
  readonly delivery: Promise<Delivery>;
  item(): QueueItem;
  /** Its audio is being made, or is there: it may have been billed. */
  isRequested(): boolean;
  /** Calls back whenever its state or position has changed, the last time at its end. Returns the unsubscriber. */
  onChanged(listener: (item: QueueItem) => void): () => void;
}

export interface ReplayRequest {
  readonly itemId: string;
  readonly place: VoicePlace;
  readonly userId: string;
  readonly textChannelId?: string | undefined;
  readonly askedAtMs?: NewItem['askedAtMs'];
  readonly acknowledged?: NewItem['acknowledged'];
  readonly signal?: NewItem['signal'];
}

export interface Stop {
  /** performance.now() when it was requested. */
  readonly askedAtMs: number;
  readonly byUserId: string;
  readonly isOfAll: boolean;
}

/** A watcher of an item, with the state it got last. */
interface Watching {
  readonly subject: LiveItem;
  readonly listener: (item: QueueItem) => void;
  seen: string;
}

/** What watchers see of an item: passing time changes none of it. */
const face = ({ id, state, position, channelId }: QueueItem) => [id, state, position, channelId].join(' ');

interface SpeakerQueueOptions {
  readonly guildId: string;
  readonly synthesizer: Synthesizer;
  readonly facts: () => SpeakerFacts;
  /** Carries out what concerns the voice channel, and what is spoken now. */
  readonly carryOut: (effect: SpeakerEffect, state: SpeakerState) => void;
  readonly log: Logger;
}

/** Spoken for a member who did not ask for it. */
const isUnasked = ({ from }: SpeechOrder) => from === 'reading' || from === 'announcement';

/** A text is looked up, its voice and its words, for no longer before it is in the queue. */
const STOP_KEPT_MS = 60_000;

const reasonFor = ({ order, requested, state }: LiveItem, reason: UserError): UserError =>
  reason instanceof StoppedByMember
    ? reason.toldTo(order.userId, requested.request.input, state === 'waiting')
    : reason;

/** The items of one server's speaker, its state, and what was spoken a short while ago. */
export function createSpeakerQueue(options: SpeakerQueueOptions) {
  const { guildId, synthesizer, facts, carryOut, log } = options;
  const memory = createReplayHistory();
  /** Recent stops: each also ends texts that were requested before it and have not reached the queue. */
  let stops: readonly Stop[] = [];
  let state = INITIAL_STATE;
  const watching = new Set<Watching>();
  let isTellingDue = false;

  function durationOf({ clip, requested: { request } }: LiveItem): number {
    if (clip?.state === 'complete') return clip.durationMs;
    return Math.max(synthesizer.spokenMs(request), clip?.durationMs ?? 0);
  }

  /** With positions and estimated waits, from the remaining time of the items before. */
  function view(): QueueView {
    const isPaused = isPausedIn(state);
    const speaking = currentOf(state);
    let waitMs = speaking ? Math.max(0, durationOf(speaking) - speaking.heard.ms) : 0;
    const waiting = waitingOf(state).map((item, index) => {
      const seen = snapshot(item, index + 1, isPaused ? undefined : Math.round(waitMs));
      waitMs += durationOf(item);
      return seen;
    });
    const current = speaking && snapshot(speaking, 0, isPaused ? undefined : 0);
    return { isPaused, current, waiting, recent: memory.items, latestNotKept: memory.latestNotKept };
  }

  function present(item: LiveItem): QueueItem {
    return underWay(view()).find(({ id }) => id === item.id) ?? snapshot(item);
  }

  /** Something may have changed: tells those who want to know, once for what changes together, and never for nothing. */
  function changed(): void {
    if (isTellingDue || watching.size === 0) return;
    isTellingDue = true;
    queueMicrotask(() => {
      isTellingDue = false;
      for (const watcher of [...watching]) tell(watcher, present(watcher.subject));
    });
  }

  function tell(watcher: Watching, item: QueueItem): void {
    if (isOver(item.state)) watching.delete(watcher);
    if (face(item) === watcher.seen) return;
    watcher.seen = face(item);
    try {
      watcher.listener(item);
    } catch (error) {
      log.error({ err: error }, 'A listener of the queue failed');
    }
  }

  function onItemChanged(subject: LiveItem, listener: Watching['listener']): () => void {
    const watcher: Watching = { subject, listener, seen: face(present(subject)) };
    if (!isOver(subject.state)) watching.add(watcher);
    return () => watching.delete(watcher);
  }

  /** The only way to change the state. Throws when the event is refused. */
  function dispatch(event: SpeakerEvent): readonly SpeakerEffect[] {
    const { state: next, effects } = reduce(state, event, facts());
    state = next;
    for (const effect of effects) apply(effect);
    changed();
    return effects;
  }

  function apply(effect: SpeakerEffect): void {
    switch (effect.type) {
      case 'refuse':
        throw effect.error;
      case 'fail-waiting':
        for (const item of effect.items) {
          const told = reasonFor(item, effect.reason);
          item.state = told instanceof StoppedByMember ? 'skipped' : 'failed';
          void item.fail(told);
        }
        break;
      case 'cancel-current':
        effect.item.cancel(reasonFor(effect.item, effect.reason));
        break;
      case 'relocate':
        effect.item.place = effect.place;
        break;
      default:
        carryOut(effect, state);
    }
  }

  const cancel = (items: readonly LiveItem[], reason: UserError = new StoppedByMember()) =>
    dispatch({ type: 'cancel', items, reason });

  const stopAfter = (atMs: number, userId: string): Stop | undefined =>
    stops.find(({ askedAtMs, byUserId, isOfAll }) => askedAtMs > atMs && (isOfAll || byUserId === userId));

  /** Equal `sameness`: the same would be heard. */
  function accept(asked: NewItem, source: Renderer, sameness: unknown, clip?: Clip): Submission {
    const { order, requested, askedAtMs, signal } = asked;
    const { userId } = order;
    const stop = askedAtMs === undefined ? undefined : stopAfter(askedAtMs, userId);
    if (stop) throw new StoppedByMember(stop.byUserId, 'stop').toldTo(userId, requested.request.input, false);
    const takenBack = () => (signal?.reason instanceof UserError ? signal.reason : new StoppedByMember());
    if (signal?.aborted) throw takenBack();
    const item = new LiveItem(asked, { synthesizer: source, guildId, clip, sameness });
    const { id, delivery } = item;
    dispatch({ type: 'submit', item });
    log.debug({ itemId: id, waiting: waitingOf(state).length }, 'Queued');
    signal?.addEventListener('abort', () => cancel([item], takenBack()), { once: true });
    return {
      id,
      delivery,
      item: () => present(item),
      isRequested: () => item.isRequested,
      onChanged: (listener) => onItemChanged(item, listener),
    };
  }

  const texts = {
    /**
     * Puts an utterance into the queue. Throws a UserError if it is refused: the queue or the member's share of it is
     * full, it repeats the member's last text, others listen elsewhere, the channel is empty, or the bot is stopping.
     */
    submit: (asked: NewItem) => accept(asked, synthesizer, asked.requested.request),
    /** Speaks again what was spoken a short while ago, from its audio: costs nothing. Throws a UserError like submit(). */
    replay({ itemId, userId, textChannelId, ...asked }: ReplayRequest) {
      const again = memory.find(itemId);
      if (!again) throw new UserError(text('replay.gone'));
      const { clip, speech, item } = again;
      // A text of its own: not in the lane of the first time.
      const order: SpeechOrder = { ...item.order, userId, textChannelId, from: 'own', lane: undefined };
      const source: Renderer = { render: () => madeBefore(clip, speech) };
      return accept({ ...asked, order, requested: item.requested }, source, item.id, clip);
    },
    /**
     * Ends the current item, or takes the given one out of the queue, and returns it; undefined if there is none (any
     * more). The caller decides by its order who is allowed to do that; its requester learns who did.
     */
    skip(itemId?: string, byUserId?: string, command?: StoppedByMember['command']) {
      const item = itemId === undefined ? currentOf(state) : itemsOf(state).find(({ id }) => id === itemId);
      if (!item) return undefined;
      const skipped = present(item);
      cancel([item], new StoppedByMember(byUserId, command));
      return skipped;
    },
    /** Ends the current item and drops the queue. Never leaves a pause behind. */
    stop(byUserId?: string) {
      const stopped = currentOf(state) !== undefined;
      const dropped = waitingOf(state).length;
      dispatch({ type: 'stop', byUserId });
      return { stopped, dropped };
    },
    /** A stop that also ends, at their submit() or replay(), texts that were requested before it. */
    stopWhatComes(stop: Stop) {
      stops = [...stops.filter(({ askedAtMs }) => askedAtMs > stop.askedAtMs - STOP_KEPT_MS), stop];
    },
    /** Ends an item of the queue and gives its requester the reason. Does nothing if it is over. */
    refuse(itemId: string, why: UserError) {
      const refused = itemsOf(state).filter(({ id }) => id === itemId);
      cancel(refused, why);
    },
    /** Ends a member's texts, at their own wish or for that reason, and drops what was spoken for them: how many of each. */
    forgetMember(userId: string, why?: UserError) {
      const isTheirs = (order: Heard['order']) => order.userId === userId;
      const theirs = itemsOf(state).filter(({ order }) => isTheirs(order));
      // What others are just having spoken again of theirs is not kept as those others' own.
      const clips = memory.items.filter(({ order }) => isTheirs(order)).map(({ id }) => memory.find(id)?.clip);
      const again = itemsOf(state).filter(({ clip }) => clip && clips.includes(clip));
      const spoken = memory.forget(isTheirs, [...theirs, ...again]);
      cancel(theirs, why);
      return { ended: theirs.length, spoken };
    },
    /**
     * Ends the items that speak a member's messages or announce the member, except for those the member asked for; other
     * requesters get the reason. Drops those spoken before.
     */
    forgetAuthor(authorId: string, why: UserError) {
      const theirs = itemsOf(state).filter(({ order }) => order.authorId === authorId);
      memory.forget((order) => order.authorId === authorId, theirs);
      const others = theirs.filter(({ order }) => order.userId !== authorId);
      cancel(others, why);
      // What they have asked for themselves stays.
      cancel(theirs.filter((item) => !others.includes(item) && isUnasked(item.order)));
    },
    /** A snapshot of the current item, the queue in the order of speaking, and the items that can be spoken again. */
    queue: view,
    /** An item of the queue or of those that can be spoken again. */
    find: (itemId: string): QueueItem | undefined =>
      underWay(view()).find(({ id }) => id === itemId) ?? memory.find(itemId)?.item,
    spoken: memory.find,
    /**
     * True if members in another channel are listening to the bot, or wait there for their texts. The asker does not
     * count: alone in the channel, they are allowed to send the bot away.
     */
    occupiedElsewhere: (channelId: string, userId?: string) =>
      isOccupiedElsewhere(state, facts(), { channelId, userId }),
  };

  return {
    texts,
    get isPaused() {
      return isPausedIn(state);
    },
    get current() {
      return currentOf(state);
    },
    /** The item that will be next if nothing else comes. */
    get next() {
      return waitingOf(state)[0];
    },
    dispatch,
    /** The item was heard: it can be spoken again. */
    wasSpoken: memory.keep,
    changed,
    clear: memory.clear,
  };
}
