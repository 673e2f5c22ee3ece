import { UserError } from '../../errors/user-errors.ts';
import { type Text, text } from '../../texts/catalogue.ts';
import { createVoicePresence } from '../presence/channel-presence.ts';
import { createDurationEstimate } from '../queue/duration-estimate.ts';
import { createQueueEntry, type EntryOptions, type QueueEntry } from '../queue/entry.ts';
import { createQueueReader, type QueueReader } from '../queue/queue-view.ts';
import type { QueuedItem } from '../queue/queued-item.ts';
import { createReplayHistory, madeBefore } from '../queue/replay-history.ts';
import { DEFAULT_SPEAKER_LIMITS, type SpeakerLimits } from '../queue/speaker-limits.ts';
import { createSubscriptions, type Subscriptions } from '../queue/subscriptions.ts';
import { StoppedByMember, type Utterance } from '../queue/utterance.ts';
import type { SpentBy } from '../spending/spending-types.ts';
import { abortable } from '../time/deadline.ts';
import type { GuildSpeaker, GuildSpeakerOptions, ReplayRequest, Submission } from './guild-speaker-types.ts';
import { interruption } from './play-deadline.ts';
import { createPlaybackLoop } from './playback-loop.ts';
import { createRecentStops } from './recent-stops.ts';
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
  waitingOf,
} from './speaker-state.ts';

/** Where the sound of an utterance comes from. */
interface Sound extends Pick<EntryOptions, 'synthesiser' | 'clip'> {
  /** Equal where the same would be heard. */
  readonly sameness: unknown;
}

const toldTo = ({ userId, request, state }: QueueEntry, reason: UserError): UserError =>
  reason instanceof StoppedByMember ? reason.toldTo(userId, request.input, state === 'waiting') : reason;

/** Spoken for a member who did not ask for it. */
const UNASKED: ReadonlySet<SpentBy | undefined> = new Set(['reading', 'announcement']);

export function createGuildSpeaker(options: GuildSpeakerOptions): GuildSpeaker {
  const { guildId, listeners, channelExists } = options;
  const log = options.log.child({ guildId });
  const limits = (): SpeakerLimits => ({ ...DEFAULT_SPEAKER_LIMITS, ...options.limitsOf?.(guildId) });
  const obstacle = (channelId: string) => options.obstacle?.(guildId, channelId);
  const estimate = createDurationEstimate();
  const memory = createReplayHistory();
  const stops = createRecentStops();

  let state = INITIAL_STATE;
  /** The resources of the items in the state, by their ids. */
  const entries = new Map<string, QueueEntry>();
  /** Aborted with the refusal: ends the joins that speak nothing. */
  const refusing = new AbortController();
  let closing: Promise<void> | undefined;

  const entryOf = (item: { readonly id: string } | undefined) => item && entries.get(item.id);
  const entriesOf = (ids: readonly string[]) => ids.map((id) => entries.get(id)).filter((entry) => entry !== undefined);

  const presence = createVoicePresence({
    ...options,
    log,
    limits,
    onMoved: (from, channelId) => dispatch({ type: 'moved', from, channelId }),
    onAlone(channelId) {
      dispatch({ type: 'alone', channelId });
      options.onDeserted?.(guildId);
    },
    onLeft: (left) => dispatch({ type: 'left', ...left }),
  });
  const turns = createPlaybackLoop({
    presence,
    estimate,
    obstacle,
    joinsFirst: () => options.joinsFirst?.(guildId) ?? false,
    channelExists,
    take() {
      dispatch({ type: 'take-turn' });
      return entryOf(currentOf(state));
    },
    next: () => entryOf(waitingOf(state)[0]),
    isPaused: () => isPausedIn(state),
    onEnded(entry) {
      dispatch({ type: 'turn-ended', id: entry.id });
      entries.delete(entry.id);
    },
    pauseMs: () => limits().pauseMs,
    onPausedTooLong: () => dispatch({ type: 'paused-too-long' }),
    onChanged: () => subscriptions.changed(),
    onSpoken: memory.keep,
    onHeard({ hadToWait, isCached, askedAtMs }, { firstPacketAtMs, hadToJoin }) {
      const kind = hadToWait ? 'queued' : hadToJoin ? 'cold' : isCached ? 'cached' : 'joined';
      options.onFirstAudio?.({ kind, ms: firstPacketAtMs - askedAtMs });
    },
  });
  const view: QueueReader = createQueueReader({
    items: () => ({
      current: entryOf(currentOf(state)),
      waiting: entriesOf(waitingOf(state).map(({ id }) => id)),
    }),
    estimate,
    isPaused: () => isPausedIn(state),
    recent: () => ({ recent: memory.items, latestNotKept: memory.latestNotKept }),
  });
  const subscriptions: Subscriptions = createSubscriptions({ view, log });

  function facts(): SpeakerFacts {
    return {
      channelId: presence.channelId,
      listeners: (channelId, withoutUserId) => listeners(guildId, channelId, withoutUserId),
      obstacle,
      limits: limits(),
    };
  }

  /** The only way to change the state. Throws when the event is refused. */
  function dispatch(event: SpeakerEvent): readonly SpeakerEffect[] {
    const { state: next, effects } = reduce(state, event, facts());
    state = next;
    for (const effect of effects) carryOut(effect);
    subscriptions.changed();
    return effects;
  }

  function carryOut(effect: SpeakerEffect) {
    switch (effect.type) {
      case 'refuse':
        throw effect.error;
      case 'fail-waiting':
        return failWaiting(effect);
      case 'cancel-current':
        return cancelCurrent(effect);
      case 'relocate':
        for (const entry of entriesOf(effect.ids)) entry.place = effect.place;
        return;
      case 'change-channel':
        for (const entry of entriesOf(effect.ids)) entry.place = { ...entry.place, channelId: effect.channelId };
        return;
      case 'wake':
        return turns.wake();
      case 'start-over':
        return turns.startOver();
      case 'hold':
        return turns.hold();
      case 'go-on':
        return turns.goOn();
      case 'abort-joins':
        return refusing.abort(state.refusal);
      case 'leave':
        return presence.leaveSoon(effect.reason, effect.obstacle);
      case 'report-left':
        return reportLeft(effect);
    }
  }

  function failWaiting({ ids, reason }: Extract<SpeakerEffect, { type: 'fail-waiting' }>): void {
    for (const entry of entriesOf(ids)) {
      entries.delete(entry.id);
      const told = toldTo(entry, reason);
      entry.state = reason instanceof StoppedByMember ? 'skipped' : 'failed';
      void entry.fail(told);
    }
  }

  function cancelCurrent({ id, reason }: Extract<SpeakerEffect, { type: 'cancel-current' }>): void {
    const entry = entries.get(id);
    entry?.cancel(toldTo(entry, reason));
  }

  const cancel = (ids: readonly string[], reason: UserError = new StoppedByMember()) =>
    dispatch({ type: 'cancel', ids, reason });

  function accept(utterance: Utterance, { sameness, ...sound }: Sound): Submission {
    const { place, userId, request, spentBy, lane, textChannelId, askedAtMs, signal } = utterance;
    const stop = askedAtMs === undefined ? undefined : stops.after(askedAtMs, userId);
    if (stop) throw new StoppedByMember(stop.byUserId, 'stop').toldTo(userId, request.input, false);
    const takenBack = () => (signal?.reason instanceof UserError ? signal.reason : new StoppedByMember());
    if (signal?.aborted) throw takenBack();
    const entry = createQueueEntry(utterance, { ...sound, guildId });
    const { id, delivery } = entry;
    const { channelId } = place;
    const duplicateKey = JSON.stringify([userId, channelId, sameness]);
    const accepted = { id, userId, spentBy, lane, channelId, duplicateKey };
    entries.set(id, entry);
    try {
      dispatch({ type: 'submit', item: accepted, place, textChannelId });
    } catch (error) {
      entries.delete(id);
      throw error;
    }
    log.debug({ itemId: id, waiting: waitingOf(state).length }, 'Queued');
    // Callers that need the outcome await it themselves.
    delivery.catch(() => undefined);
    signal?.addEventListener('abort', () => cancel([id], takenBack()), { once: true });
    return {
      id,
      delivery,
      item: () => view.item(entry),
      isRequested: () => entry.isRequested,
      heardMs: () => entry.heard.ms,
      onChanged: (listener) => subscriptions.onItemChanged(entry, listener),
    };
  }

  function submit(utterance: Utterance): Submission {
    return accept(utterance, { synthesiser: options.synthesiser, sameness: utterance.request });
  }

  function replay({
    itemId,
    place,
    userId,
    textChannelId,
    askedAtMs,
    acknowledged,
    signal,
  }: ReplayRequest): Submission {
    const again = memory.find(itemId);
    if (!again) throw new UserError(text('replay.gone'));
    const { clip, speech, item } = again;
    const utterance: Utterance = {
      place,
      userId,
      request: item.request,
      ...(item.authorId !== undefined && { authorId: item.authorId }),
      ...(textChannelId !== undefined && { textChannelId }),
      ...(askedAtMs !== undefined && { askedAtMs }),
      ...(acknowledged && { acknowledged }),
      ...(signal && { signal }),
    };
    const render = () => madeBefore(clip, speech);
    return accept(utterance, { synthesiser: { render }, clip, sameness: item.id });
  }

  function reportLeft({ left, usedFrom }: Extract<SpeakerEffect, { type: 'report-left' }>): void {
    const { channelId: voiceChannelId, ...why } = left;
    try {
      options.onLeft?.({ guildId, voiceChannelId, textChannelId: usedFrom, ...why });
    } catch (error) {
      // What else follows from leaving must not depend on who is told.
      log.error({ err: error }, 'One who follows the speaker failed');
    }
  }

  async function end(reason: Text): Promise<void> {
    dispatch({ type: 'close', reason });
    memory.clear();
    await presence.leave('closing');
  }

  return {
    get channelId() {
      return presence.channelId;
    },
    get isPaused() {
      return isPausedIn(state);
    },
    occupiedElsewhere: (channelId, userId) => isOccupiedElsewhere(state, facts(), { channelId, userId }),
    submit,
    replay,
    skip(itemId, byUserId, command) {
      const entry = entryOf(itemId === undefined ? currentOf(state) : itemsOf(state).find(({ id }) => id === itemId));
      if (!entry) return undefined;
      const skipped = view.item(entry);
      cancel([entry.id], new StoppedByMember(byUserId, command));
      return skipped;
    },
    stop(byUserId) {
      const stopped = currentOf(state) !== undefined;
      const dropped = waitingOf(state).length;
      dispatch({ type: 'stop', byUserId });
      return { stopped, dropped };
    },
    stopWhatComes: stops.add,
    refuse: (itemId, why) => void cancel([itemId], why),
    forgetMember(userId, { why } = {}) {
      const isTheirs = (one: Pick<QueuedItem, 'userId'>) => one.userId === userId;
      const theirs = [...entries.values()].filter(isTheirs);
      // What others are just having spoken again of theirs is not kept as those others' own.
      const clips = memory.items.filter(isTheirs).map(({ id }) => memory.find(id)?.clip);
      const again = [...entries.values()].filter(({ clip }) => clip && clips.includes(clip));
      const spoken = memory.forget(isTheirs, [...theirs, ...again]);
      cancel(
        theirs.map(({ id }) => id),
        why,
      );
      return { ended: theirs.length, spoken };
    },
    forgetAuthor(authorId, why) {
      const isTheirs = (one: Pick<QueuedItem, 'authorId'>) => one.authorId === authorId;
      const theirs = [...entries.values()].filter(isTheirs);
      memory.forget(isTheirs, theirs);
      const idsOf = (matches: (one: QueueEntry) => boolean) => theirs.filter(matches).map(({ id }) => id);
      cancel(
        idsOf(({ userId }) => userId !== authorId),
        why,
      );
      // What they have asked for themselves stays.
      cancel(idsOf(({ userId, spentBy }) => userId === authorId && UNASKED.has(spentBy)));
    },
    pause() {
      const wasPaused = isPausedIn(state);
      const effects = dispatch({ type: 'pause' });
      return wasPaused ? 'already-paused' : effects.length > 0 ? 'paused' : 'nothing-to-pause';
    },
    resume: () => void dispatch({ type: 'resume' }),
    queue: view.queue,
    // Of what was spoken again, the queue shows the latest time alone.
    find: (itemId) => view.find(itemId) ?? memory.find(itemId)?.item,
    spoken: memory.find,
    async join(place, { userId, textChannelId, signal = new AbortController().signal } = {}) {
      dispatch({ type: 'join', place, userId, textChannelId });
      const release = presence.need();
      try {
        const session = await presence.enter(place, AbortSignal.any([signal, refusing.signal]));
        if (session.state.status === 'closed') throw interruption(session, { packetsSent: 0 }, channelExists);
      } finally {
        release();
        subscriptions.changed();
      }
    },
    async leave(byUserId) {
      dispatch({ type: 'stop', byUserId });
      await presence.leave('asked');
    },
    audienceChanged: presence.audienceChanged,
    accessChanged: () => void dispatch({ type: 'access-changed' }),
    movedToAudience: () => void dispatch({ type: 'put-into-audience' }),
    sendAway: (reason) => void dispatch({ type: 'sent-away', reason }),
    heldBack: (channelId) => void dispatch({ type: 'held-back', channelId }),
    limitsChanged() {
      presence.limitsChanged();
      turns.limitsChanged();
    },
    async drain({ reason, signal }) {
      dispatch({ type: 'drain', reason });
      await abortable(turns.idle, signal);
    },
    close(reason) {
      closing ??= end(reason);
      return closing;
    },
  };
}
