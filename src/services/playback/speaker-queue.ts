import type { Logger } from 'pino';
import type { Clip } from '../../audio/clips/clip.ts';
import { UserError } from '../../errors/user-errors.ts';
import { text } from '../../texts/catalog.ts';
import type { VoicePlace } from '../presence/channel-presence.ts';
import {
  createLiveItem,
  type Delivery,
  isOver,
  type LiveItem,
  type NewItem,
  type QueueItem,
  type QueueView,
  type SpeechOrder,
  StoppedByMember,
  snapshot,
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
  readonly id: string;
  /** Rejects with a DeliveryError if the text failed, or was stopped before its playback. */
  readonly delivery: Promise<Delivery>;
  item(): QueueItem;
  /** True if the text's audio was requested: the text may have been billed. */
  isRequested(): boolean;
  /** Calls `listener` when the text's state, position or channel changes. Returns a function that ends the calls. */
  onChanged(listener: (item: QueueItem) => void): () => void;
}

export interface ReplayRequest {
  readonly itemId: string;
  readonly place: VoicePlace;
  readonly userId: string;
  readonly textChannelId: string | undefined;
  readonly askedAtMs: number;
  readonly acknowledged: Promise<void>;
  readonly signal: AbortSignal;
}

export interface Stop {
  readonly askedAtMs: number;
  readonly byUserId: string;
  readonly isOfAll: boolean;
}

interface Watching {
  readonly subject: LiveItem;
  readonly listener: (item: QueueItem) => void;
  seen: string;
}

/** onChanged() reports a text's new state, position or channel, but not its estimated wait, which always changes. */
const face = ({ id, state, position, channelId }: QueueItem) => [id, state, position, channelId].join(' ');

interface SpeakerQueueOptions {
  readonly guildId: string;
  readonly synthesizer: Synthesizer;
  readonly facts: () => SpeakerFacts;
  readonly carryOut: (effect: SpeakerEffect, state: SpeakerState) => void;
  readonly log: Logger;
}

const isUnasked = ({ from }: SpeechOrder) => from === 'reading' || from === 'announcement';

/** How long a member's /stop is remembered: longer than a text takes from its request to the queue. */
const STOP_KEPT_MS = 60_000;

const reasonFor = ({ order, requested, state }: LiveItem, reason: UserError): UserError =>
  reason instanceof StoppedByMember
    ? reason.toldTo(order.userId, requested.request.input, state === 'waiting')
    : reason;

export function createSpeakerQueue(options: SpeakerQueueOptions) {
  const { guildId, synthesizer, facts, carryOut, log } = options;
  const memory = createReplayHistory();
  /** Recent uses of /stop: each also ends texts that were requested before the /stop but are queued after it. */
  let stops: readonly Stop[] = [];
  let state = INITIAL_STATE;
  const watching = new Set<Watching>();
  let isTellingDue = false;

  function durationOf({ clip, requested: { request } }: LiveItem): number {
    if (clip?.state === 'complete') return clip.durationMs;
    return Math.max(synthesizer.spokenMs(request), clip?.durationMs ?? 0);
  }

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
    return { isPaused, current, waiting, recent: memory.items };
  }

  function present(item: LiveItem): QueueItem {
    return underWay(view()).find(({ id }) => id === item.id) ?? snapshot(item);
  }

  /** Several changes in one turn of the event loop are reported together. */
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
      log.error({ err: error }, 'A queued text’s reply was not updated: it may mislead');
    }
  }

  function onItemChanged(subject: LiveItem, listener: Watching['listener']): () => void {
    const watcher: Watching = { subject, listener, seen: face(present(subject)) };
    if (!isOver(subject.state)) watching.add(watcher);
    return () => watching.delete(watcher);
  }

  /** Every change of the state goes through this function. Throws the UserError of a refused event. */
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

  function accept(asked: NewItem, render: Synthesizer['render'], sameness: unknown, clip?: Clip) {
    const { order, requested, askedAtMs = performance.now(), signal } = asked;
    const { userId } = order;
    const stop = stops.find((one) => one.askedAtMs > askedAtMs && (one.isOfAll || one.byUserId === userId));
    if (stop) throw new StoppedByMember(stop.byUserId, 'stop').toldTo(userId, requested.request.input, false);
    const takenBack = () => (signal?.reason instanceof UserError ? signal.reason : new StoppedByMember());
    if (signal?.aborted) throw takenBack();
    const item = createLiveItem(asked, { render, guildId, clip, sameness });
    const { id, delivery } = item;
    dispatch({ type: 'submit', item });
    log.debug({ itemId: id, waiting: waitingOf(state).length }, 'Queued a text');
    signal?.addEventListener('abort', () => cancel([item], takenBack()), { once: true });
    return {
      id,
      /** Rejects with a DeliveryError if the text failed, or was stopped before its playback. */
      delivery,
      item: () => present(item),
      /** True if the text's audio was requested: the text may have been billed. */
      isRequested: () => item.isRequested,
      /** Calls `listener` when the text's state, position or channel changes. Returns a function that ends the calls. */
      onChanged: (listener: Watching['listener']) => onItemChanged(item, listener),
    };
  }

  const texts = {
    /** Throws a UserError if the text is refused, for example because the queue is full or the bot is stopping. */
    submit: (asked: NewItem) => accept(asked, synthesizer.render, asked.requested.request),
    /** Speaks a recent text again at no cost. Throws a UserError if its audio is gone, or like submit(). */
    replay({ itemId, userId, textChannelId, ...asked }: ReplayRequest) {
      const again = memory.find(itemId);
      if (!again) throw new UserError(text('replay.gone'));
      const { clip, speech, item } = again;
      // A replay of a chat message goes into the requester's lane: it must not use up the turn that all chat messages share.
      const order: SpeechOrder = { ...item.order, userId, textChannelId, from: 'own', lane: undefined };
      const render = () => madeBefore(clip, speech);
      return accept({ ...asked, order, requested: item.requested }, render, item.id, clip);
    },
    /** Skips a text, by default the current text. Returns undefined if the text is over. The caller must check the permission. */
    skip(itemId?: string, byUserId?: string, command?: StoppedByMember['command']) {
      const item = itemId === undefined ? currentOf(state) : itemsOf(state).find(({ id }) => id === itemId);
      if (!item) return undefined;
      const skipped = present(item);
      cancel([item], new StoppedByMember(byUserId, command));
      return skipped;
    },
    stop(byUserId?: string) {
      const stopped = currentOf(state) !== undefined;
      const dropped = waitingOf(state).length;
      dispatch({ type: 'stop', byUserId });
      return { stopped, dropped };
    },
    stopWhatComes(stop: Stop) {
      stops = [...stops.filter(({ askedAtMs }) => askedAtMs > stop.askedAtMs - STOP_KEPT_MS), stop];
    },
    refuse(itemId: string, why: UserError) {
      const refused = itemsOf(state).filter(({ id }) => id === itemId);
      cancel(refused, why);
    },
    /** `why` tells the member why the bot drops the texts; undefined if the member asked for the deletion. */
    forgetMember(userId: string, why?: UserError) {
      const isTheirs = (order: SpeechOrder) => order.userId === userId;
      const theirs = itemsOf(state).filter(({ order }) => isTheirs(order));
      // Other members' replays of the member's texts are not kept: a kept replay would make a deleted text replayable.
      const clips = memory.items.filter(({ order }) => isTheirs(order)).map(({ id }) => memory.find(id)?.clip);
      const again = itemsOf(state).filter(({ clip }) => clip && clips.includes(clip));
      memory.forget(isTheirs, [...theirs, ...again]);
      cancel(theirs, why);
    },
    /** Ends texts by or about an author, except the author's requests. Others who requested such texts get `why`. */
    forgetAuthor(authorId: string, why: UserError) {
      const theirs = itemsOf(state).filter(({ order }) => order.authorId === authorId);
      memory.forget((order) => order.authorId === authorId, theirs);
      const others = theirs.filter(({ order }) => order.userId !== authorId);
      cancel(others, why);
      cancel(theirs.filter((item) => !others.includes(item) && isUnasked(item.order)));
    },
    queue: view,
    find: (itemId: string): QueueItem | undefined =>
      underWay(view()).find(({ id }) => id === itemId) ?? memory.find(itemId)?.item,
    spoken: memory.find,
    /** True if the bot has listeners besides `userId` in a channel other than `channelId`. A lone listener may move the bot. */
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
    get next() {
      return waitingOf(state)[0];
    },
    dispatch,
    wasSpoken: memory.keep,
    changed,
    clear: memory.clear,
  };
}
