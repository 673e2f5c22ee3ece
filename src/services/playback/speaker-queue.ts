import type { Logger } from 'pino';
import type { Clip } from '../../audio/clips/clip.ts';
import { UserError } from '../../errors/user-errors.ts';
import { text } from '../../texts/catalog.ts';
import { LiveItem, type NewItem, type Renderer, snapshot } from '../queue/live-item.ts';
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
import type { Synthesizer } from '../synthesis/synthesis-types.ts';
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
  readonly synthesizer: Synthesizer;
  /** The surroundings; read at each decision. */
  readonly facts: () => SpeakerFacts;
  /** Carries out what concerns the voice channel, and what is spoken now. */
  readonly carryOut: (effect: SpeakerEffect, state: SpeakerState) => void;
  readonly log: Logger;
}

/** The items of one server's speaker, its state, and what was spoken a short while ago. */
interface SpeakerQueue {
  readonly texts: SpeakerTexts;
  readonly isPaused: boolean;
  readonly current: LiveItem | undefined;
  /** The item that will be next if nothing else comes. */
  readonly next: LiveItem | undefined;
  /** The only way to change the state. Throws when the event is refused. */
  dispatch(event: SpeakerEvent): readonly SpeakerEffect[];
  /** The item was heard: it can be spoken again. */
  wasSpoken(item: LiveItem): void;
  /** Something about an item, or its place, has changed. */
  changed(): void;
  /** Forgets what was spoken. */
  clear(): void;
}

/** Spoken for a member who did not ask for it. */
const isUnasked = ({ from }: SpeechOrder) => from === 'reading' || from === 'announcement';

/** A text is looked up, its voice and its words, for no longer before it is in the queue. */
const STOP_KEPT_MS = 60_000;

const reasonFor = ({ order, requested, state }: LiveItem, reason: UserError): UserError =>
  reason instanceof StoppedByMember
    ? reason.toldTo(order.userId, requested.request.input, state === 'waiting')
    : reason;

export function createSpeakerQueue(options: SpeakerQueueOptions): SpeakerQueue {
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

  /** An item as it is now, in the queue or over. */
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

  /** The stop that ends what this member asked for at that time. */
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

  const texts: SpeakerTexts = {
    submit: (asked) => accept(asked, synthesizer, asked.requested.request),
    replay({ itemId, userId, textChannelId, ...asked }) {
      const again = memory.find(itemId);
      if (!again) throw new UserError(text('replay.gone'));
      const { clip, speech, item } = again;
      // A text of its own: not in the lane of the first time.
      const order: SpeechOrder = { ...item.order, userId, textChannelId, from: 'own', lane: undefined };
      const source: Renderer = { render: () => madeBefore(clip, speech) };
      return accept({ ...asked, order, requested: item.requested }, source, item.id, clip);
    },
    skip(itemId, byUserId, command) {
      const item = itemId === undefined ? currentOf(state) : itemsOf(state).find(({ id }) => id === itemId);
      if (!item) return undefined;
      const skipped = present(item);
      cancel([item], new StoppedByMember(byUserId, command));
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
    refuse(itemId, why) {
      const refused = itemsOf(state).filter(({ id }) => id === itemId);
      cancel(refused, why);
    },
    forgetMember(userId, why) {
      const isTheirs = (order: Heard['order']) => order.userId === userId;
      const theirs = itemsOf(state).filter(({ order }) => isTheirs(order));
      // What others are just having spoken again of theirs is not kept as those others' own.
      const clips = memory.items.filter(({ order }) => isTheirs(order)).map(({ id }) => memory.find(id)?.clip);
      const again = itemsOf(state).filter(({ clip }) => clip && clips.includes(clip));
      const spoken = memory.forget(isTheirs, [...theirs, ...again]);
      cancel(theirs, why);
      return { ended: theirs.length, spoken };
    },
    forgetAuthor(authorId, why) {
      const theirs = itemsOf(state).filter(({ order }) => order.authorId === authorId);
      memory.forget((order) => order.authorId === authorId, theirs);
      const others = theirs.filter(({ order }) => order.userId !== authorId);
      cancel(others, why);
      // What they have asked for themselves stays.
      cancel(theirs.filter((item) => !others.includes(item) && isUnasked(item.order)));
    },
    queue: view,
    find: (itemId) => underWay(view()).find(({ id }) => id === itemId) ?? memory.find(itemId)?.item,
    spoken: memory.find,
    occupiedElsewhere: (channelId, userId) => isOccupiedElsewhere(state, facts(), { channelId, userId }),
  };

  return {
    texts,
    get isPaused() {
      return isPausedIn(state);
    },
    get current() {
      return currentOf(state);
    },
    get next() {
      return waitingOf(state)[0];
    },
    dispatch,
    wasSpoken: memory.keep,
    changed,
    clear: memory.clear,
  };
}
