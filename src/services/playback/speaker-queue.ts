import type { Logger } from 'pino';
import type { Clip } from '../../audio/clips/clip.ts';
import { UserError } from '../../errors/user-errors.ts';
import { text } from '../../texts/catalog.ts';
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
import { createReplayHistory } from '../queue/replay-history.ts';
import type { Synthesizer } from '../synthesis/synthesis.ts';
import {
  currentOf,
  INITIAL_STATE,
  isPausedIn,
  itemsOf,
  occupiedElsewhere,
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

export interface ReplayRequest extends Omit<NewItem, 'order' | 'requested'> {
  readonly itemId: string;
  readonly userId: string;
  readonly textChannelId: string | undefined;
}

export interface Stop {
  readonly askedAtMs: number;
  readonly byUserId: string;
  readonly isOfAll: boolean;
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
  const watching = new Set<() => void>();
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
      for (const look of [...watching]) look();
    });
  }

  function onItemChanged(item: LiveItem, listener: (item: QueueItem) => void): () => void {
    let seen = face(present(item));
    const look = () => {
      const now = present(item);
      if (isOver(now.state)) watching.delete(look);
      if (face(now) === seen) return;
      seen = face(now);
      try {
        listener(now);
      } catch (error) {
        log.error({ err: error }, 'A queued text’s reply was not updated: it may mislead');
      }
    };
    if (!isOver(item.state)) watching.add(look);
    return () => watching.delete(look);
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

  function accept(asked: NewItem, render: Synthesizer['render'], sameness: unknown, clip?: Clip): Submission {
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
      delivery,
      item: () => present(item),
      isRequested: () => item.isRequested,
      onChanged: (listener) => onItemChanged(item, listener),
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
      const known = { ...speech, requestId: undefined, inputCharacters: undefined, creditsUsed: 0, cached: true };
      // A replay costs nothing, because its audio already exists.
      const end = async () => ({ kind: 'none' }) as const;
      const render = () => ({ clip: Promise.resolve(clip), facts: () => known, end });
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
    /** Ends all texts. Returns the number of those that waited. */
    stop(byUserId?: string): number {
      const { length: waiting } = waitingOf(state);
      dispatch({ type: 'stop', byUserId });
      return waiting;
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
      memory.forget((order) => order.userId === userId, itemsOf(state));
      const theirs = itemsOf(state).filter(({ order }) => order.userId === userId);
      cancel(theirs, why);
    },
    /** Ends texts by or about an author, except the author's requests. Others who requested such texts get `why`. */
    forgetAuthor(authorId: string, why: UserError) {
      memory.forget((order) => order.authorId === authorId, itemsOf(state));
      const theirs = itemsOf(state).filter(({ order }) => order.authorId === authorId);
      const others = theirs.filter(({ order }) => order.userId !== authorId);
      cancel(others, why);
      cancel(theirs.filter((item) => !others.includes(item) && isUnasked(item.order)));
    },
    queue: view,
    find: (itemId: string): QueueItem | undefined =>
      underWay(view()).find(({ id }) => id === itemId) ?? memory.find(itemId)?.item,
    spoken: memory.find,
    occupiedElsewhere: (channelId: string, userId?: string) => occupiedElsewhere(state, facts(), channelId, userId),
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
