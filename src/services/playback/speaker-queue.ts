import type { Logger } from 'pino';
import type { Clip } from '../../audio/clips/clip.ts';
import { UserError } from '../../errors/user-errors.ts';
import { text } from '../../texts/catalog.ts';
import {
  createDurationEstimate,
  createLiveItem,
  durationOf,
  type LiveItem,
  type NewItem,
  type Renderer,
  remainingOf,
  snapshot,
} from '../queue/live-item.ts';
import {
  type Heard,
  isOver,
  type QueueItem,
  type QueueView,
  type SpeechOrder,
  StoppedByMember,
  underWay,
} from '../queue/queue-item.ts';
import { createReplayHistory, madeBefore } from '../queue/replay-history.ts';
import type { SpeakerTexts, Stop, Submission } from './guild-speaker-types.ts';
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

/** A watcher of an item, with the state it got last. */
interface Watching {
  readonly subject: LiveItem;
  readonly listener: (item: QueueItem) => void;
  seen: string;
}

/** The part of an item that watchers see: passing time changes none of it. */
const face = ({ id, state, position, channelId }: QueueItem) => [id, state, position, channelId].join(' ');

interface SpeakerQueueOptions {
  readonly guildId: string;
  readonly synthesizer: Renderer;
  /** The surroundings; read at each decision. */
  readonly facts: () => SpeakerFacts;
  /** Carries out what concerns the voice channel, and what is spoken now. */
  readonly carryOut: (effect: SpeakerEffect, state: SpeakerState) => void;
  readonly log: Logger;
}

/** The items of one server's speaker, its state, and what was spoken a short while ago. */
export interface SpeakerQueue extends SpeakerTexts {
  readonly current: LiveItem | undefined;
  /** The item that will be next if nothing else comes. */
  readonly next: LiveItem | undefined;
  readonly isPaused: boolean;
  isOccupiedElsewhere(at: { readonly channelId: string; readonly userId?: string }): boolean;
  /** The only way to change the state. Throws when the event is refused. */
  dispatch(event: SpeakerEvent): readonly SpeakerEffect[];
  /** Takes the next item out of the queue: it is the current one until its turn has ended. */
  take(): LiveItem | undefined;
  turnEnded(item: LiveItem): void;
  /** The item was heard: it can be spoken again. */
  wasSpoken(item: LiveItem): void;
  /** Something about an item, or its place, has changed. */
  changed(): void;
  /** Forgets what was spoken. */
  clear(): void;
}

/** The source of an utterance's audio. */
interface Source {
  readonly synthesizer: Renderer;
  readonly clip?: Clip;
  /** Equal where the same would be heard. */
  readonly sameness: unknown;
}

/** Spoken for a member who did not ask for it. */
const isUnasked = ({ from }: SpeechOrder) => from === 'reading' || from === 'announcement';

/** A text is looked up, its voice and its words, for no longer before it is in the queue. */
const STOP_KEPT_MS = 60_000;

const reasonFor = ({ order, requested, state }: LiveItem, reason: UserError): UserError =>
  reason instanceof StoppedByMember
    ? reason.toldTo(order.userId, requested.request.input, state === 'waiting')
    : reason;

export function createSpeakerQueue({ guildId, synthesizer, facts, carryOut, log }: SpeakerQueueOptions): SpeakerQueue {
  const estimate = createDurationEstimate();
  const memory = createReplayHistory();
  /** Recent stops: each also ends texts that were requested before it and have not reached the queue. */
  let stops: readonly Stop[] = [];
  let state = INITIAL_STATE;
  /** The items of the state, by their ids. */
  const items = new Map<string, LiveItem>();

  const itemOf = (one: { readonly id: string } | undefined) => one && items.get(one.id);
  const itemsWith = (ids: readonly string[]) => ids.map((id) => items.get(id)).filter((item) => item !== undefined);

  const watching = new Set<Watching>();
  let isTellingDue = false;

  /** With positions and estimated waits, from the remaining time of the items before. */
  function view(): QueueView {
    const isPaused = isPausedIn(state);
    const speaking = itemOf(currentOf(state));
    let waitMs = speaking ? remainingOf(speaking, estimate) : 0;
    const waiting = itemsWith(waitingOf(state).map(({ id }) => id)).map((item, index) => {
      const seen = snapshot(item, { position: index + 1, waitMs: isPaused ? undefined : Math.round(waitMs) });
      waitMs += durationOf(item, estimate);
      return seen;
    });
    const current = speaking && snapshot(speaking, { position: 0, waitMs: isPaused ? undefined : 0 });
    return { isPaused, current, waiting, recent: memory.items, latestNotKept: memory.latestNotKept };
  }

  function find(itemId: string): QueueItem | undefined {
    const seen = view();
    return [...underWay(seen), ...seen.recent].find(({ id }) => id === itemId);
  }

  /** An item as it is now, in the queue or over. */
  const present = (item: LiveItem): QueueItem => find(item.id) ?? snapshot(item);

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
        failWaiting(effect);
        break;
      case 'cancel-current': {
        const item = items.get(effect.id);
        item?.cancel(reasonFor(item, effect.reason));
        break;
      }
      case 'relocate':
        for (const item of itemsWith(effect.ids)) item.place = effect.place;
        break;
      case 'change-channel':
        for (const item of itemsWith(effect.ids)) item.place = { ...item.place, channelId: effect.channelId };
        break;
      default:
        carryOut(effect, state);
    }
  }

  function failWaiting({ ids, reason }: Extract<SpeakerEffect, { type: 'fail-waiting' }>): void {
    for (const item of itemsWith(ids)) {
      items.delete(item.id);
      const told = reasonFor(item, reason);
      item.state = reason instanceof StoppedByMember ? 'skipped' : 'failed';
      void item.fail(told);
    }
  }

  const cancel = (ids: readonly string[], reason: UserError = new StoppedByMember()) =>
    dispatch({ type: 'cancel', ids, reason });

  /** The stop that ends what this member asked for at that time. */
  const stopAfter = (atMs: number, userId: string): Stop | undefined =>
    stops.find(({ askedAtMs, byUserId, isOfAll }) => askedAtMs > atMs && (isOfAll || byUserId === userId));

  function accept(asked: NewItem, { sameness, ...source }: Source): Submission {
    const { place, order, requested, askedAtMs, signal } = asked;
    const { userId, from, lane, textChannelId } = order;
    const stop = askedAtMs === undefined ? undefined : stopAfter(askedAtMs, userId);
    if (stop) throw new StoppedByMember(stop.byUserId, 'stop').toldTo(userId, requested.request.input, false);
    const takenBack = () => (signal?.reason instanceof UserError ? signal.reason : new StoppedByMember());
    if (signal?.aborted) throw takenBack();
    const item = createLiveItem(asked, { ...source, estimate, guildId });
    const { id, delivery } = item;
    const { channelId } = place;
    const duplicateKey = JSON.stringify([userId, channelId, sameness]);
    items.set(id, item);
    try {
      dispatch({ type: 'submit', item: { id, userId, from, lane, channelId, duplicateKey }, place, textChannelId });
    } catch (error) {
      items.delete(id);
      throw error;
    }
    log.debug({ itemId: id, waiting: waitingOf(state).length }, 'Queued');
    // Callers that need the outcome await it themselves.
    delivery.catch(() => undefined);
    signal?.addEventListener('abort', () => cancel([id], takenBack()), { once: true });
    return {
      id,
      delivery,
      item: () => present(item),
      isRequested: () => item.audio.isRequested,
      onChanged: (listener) => onItemChanged(item, listener),
    };
  }

  return {
    get current() {
      return itemOf(currentOf(state));
    },
    get next() {
      return itemOf(waitingOf(state)[0]);
    },
    get isPaused() {
      return isPausedIn(state);
    },
    isOccupiedElsewhere: (at) => isOccupiedElsewhere(state, facts(), at),
    dispatch,
    submit: (asked) => accept(asked, { synthesizer, sameness: asked.requested.request }),
    replay({ itemId, userId, textChannelId, ...asked }) {
      const again = memory.find(itemId);
      if (!again) throw new UserError(text('replay.gone'));
      const { clip, speech, item } = again;
      // A text of its own: not in the lane of the first time.
      const order: SpeechOrder = { ...item.order, userId, textChannelId, from: 'own', lane: undefined };
      const render = () => madeBefore(clip, speech);
      return accept(
        { ...asked, order, requested: item.requested },
        { synthesizer: { render }, clip, sameness: item.id },
      );
    },
    take() {
      dispatch({ type: 'take-turn' });
      return itemOf(currentOf(state));
    },
    turnEnded({ id }) {
      dispatch({ type: 'turn-ended', id });
      items.delete(id);
    },
    wasSpoken: memory.keep,
    changed,
    skip(itemId, byUserId, command) {
      const item = itemOf(itemId === undefined ? currentOf(state) : itemsOf(state).find(({ id }) => id === itemId));
      if (!item) return undefined;
      const skipped = present(item);
      cancel([item.id], new StoppedByMember(byUserId, command));
      return skipped;
    },
    stop(byUserId) {
      const stopped = currentOf(state) !== undefined;
      const dropped = waitingOf(state).length;
      dispatch({ type: 'stop', byUserId });
      return { stopped, dropped };
    },
    stopWhatComes(stop) {
      stops = [...stops.filter(({ askedAtMs }) => askedAtMs > stop.askedAtMs - STOP_KEPT_MS), stop];
    },
    refuse: (itemId, why) => void cancel([itemId], why),
    forgetMember(userId, why) {
      const all = [...items.values()];
      const theirs = all.filter(({ order }) => order.userId === userId);
      // What others are just having spoken again of theirs is not kept as those others' own.
      const isTheirs = (order: Heard['order']) => order.userId === userId;
      const clips = memory.items.filter(({ order }) => isTheirs(order)).map(({ id }) => memory.find(id)?.clip);
      const again = all.filter(({ audio: { clip } }) => clip && clips.includes(clip));
      const spoken = memory.forget(isTheirs, [...theirs, ...again]);
      cancel(
        theirs.map(({ id }) => id),
        why,
      );
      return { ended: theirs.length, spoken };
    },
    forgetAuthor(authorId, why) {
      const theirs = [...items.values()].filter(({ order }) => order.authorId === authorId);
      memory.forget((one) => one.authorId === authorId, theirs);
      const idsOf = (matches: (order: SpeechOrder) => boolean) =>
        theirs.filter(({ order }) => matches(order)).map(({ id }) => id);
      cancel(
        idsOf(({ userId }) => userId !== authorId),
        why,
      );
      // What they have asked for themselves stays.
      cancel(idsOf((order) => order.userId === authorId && isUnasked(order)));
    },
    queue: view,
    // The queue shows a text that was spoken again only with its latest time.
    find: (itemId) => find(itemId) ?? memory.find(itemId)?.item,
    spoken: memory.find,
    clear: memory.clear,
  };
}
