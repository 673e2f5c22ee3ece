import { UserError } from '../../errors/user-errors.ts';
import { type Text, text } from '../../texts/catalogue.ts';
import type { Metrics } from '../monitoring/metrics.ts';
import { createVoicePresence, type VoicePresenceOptions } from '../presence/channel-presence.ts';
import { createDurationEstimate } from '../queue/duration-estimate.ts';
import { createQueueEntry, duplicateKeyOf, type QueueEntry } from '../queue/entry.ts';
import { createQueueReader, type QueueReader } from '../queue/queue-view.ts';
import { createSpokenMemory } from '../queue/recently-spoken.ts';
import { createReplayItem } from '../queue/replay-item.ts';
import { DEFAULT_SPEAKER_LIMITS, type SpeakerLimits } from '../queue/speaker-limits.ts';
import { createSubscriptions, type Subscriptions } from '../queue/subscriptions.ts';
import { createItem, StoppedByMember, type Utterance } from '../queue/utterance.ts';
import type { Synthesiser } from '../synthesis/synthesis-types.ts';
import { abortable } from '../time/deadline.ts';
import type { DrainOptions, GuildSpeaker, Leaving, ReplayRequest, Submission } from './guild-speaker-types.ts';
import { interruption } from './play-deadline.ts';
import { createPlaybackLoop } from './playback-loop.ts';
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

/** The collaborators of the speaker of one server. */
export interface GuildSpeakerOptions
  extends Pick<VoicePresenceOptions, 'guildId' | 'sessions' | 'channelExists' | 'log'> {
  /** Members other than bots in a voice channel, without that one. */
  readonly listeners: (guildId: string, channelId: string, withoutUserId?: string) => number;
  readonly synthesiser: Pick<Synthesiser, 'render'>;
  /** Why the bot could not be heard in a channel; asked before joining and before speaking. */
  readonly obstacle?: (guildId: string, channelId: string) => Text | undefined;
  /** What the admins of a server have set; read at each decision. */
  readonly limitsOf?: (guildId: string) => Partial<SpeakerLimits>;
  readonly onLeft?: (leaving: Leaving) => void;
  /** Told of everything that was heard: how long it took to its first packet, and what it had to wait for. */
  readonly onFirstAudio?: Metrics['firstAudio'];
}

/** Something to be put into the queue. */
type NewEntry = Pick<Utterance, 'place' | 'userId' | 'textChannelId' | 'signal' | 'request' | 'lane'> & {
  readonly duplicateKey: string;
  readonly item: QueueEntry['item'];
  readonly clip?: QueueEntry['clip'];
};

/** Longer delays make setTimeout fire at once. */
const LONGEST_DELAY_MS = 2 ** 31 - 1;

export function createGuildSpeaker(options: GuildSpeakerOptions): GuildSpeaker {
  const { guildId, listeners, channelExists } = options;
  const log = options.log.child({ guildId });
  const limits = (): SpeakerLimits => ({ ...DEFAULT_SPEAKER_LIMITS, ...options.limitsOf?.(guildId) });
  const obstacle = (channelId: string) => options.obstacle?.(guildId, channelId);
  const estimate = createDurationEstimate();
  const memory = createSpokenMemory();

  let state = INITIAL_STATE;
  /** The resources of the items in the state, by their ids. */
  const entries = new Map<string, QueueEntry>();
  let forgetting: NodeJS.Timeout | undefined;
  /** Aborted with the refusal: ends the joins that speak nothing. */
  const refusing = new AbortController();
  let closing: Promise<void> | undefined;

  const entryOf = (item: { readonly id: string } | undefined) => item && entries.get(item.id);
  const entriesOf = (ids: readonly string[]) => ids.map((id) => entries.get(id)).filter((entry) => entry !== undefined);
  const items = () => ({
    current: entryOf(currentOf(state)),
    waiting: entriesOf(waitingOf(state).map(({ id }) => id)),
  });

  const presence = createVoicePresence({
    ...options,
    log,
    limits,
    onMoved: (from, channelId) => dispatch({ type: 'moved', from, channelId }),
    onAlone: (channelId) => dispatch({ type: 'alone', channelId }),
    onLeft: (left) => dispatch({ type: 'left', ...left }),
  });
  const turns = createPlaybackLoop({
    presence,
    estimate,
    obstacle,
    channelExists,
    take() {
      dispatch({ type: 'take-turn' });
      return entryOf(currentOf(state));
    },
    next: () => entryOf(waitingOf(state)[0]),
    isPaused: () => isPausedIn(state),
    onEnded: onTurnEnded,
    pauseMs: () => limits().pauseMs,
    onPausedTooLong: () => dispatch({ type: 'paused-too-long' }),
    onChanged: () => subscriptions.changed(),
    onSpoken: memory.keep,
    onHeard: measure,
  });
  const view: QueueReader = createQueueReader({
    items,
    estimate,
    isPaused: () => isPausedIn(state),
    recent: () => memory.items,
  });
  const subscriptions: Subscriptions = createSubscriptions({ view, log });

  function facts(): SpeakerFacts {
    return {
      channelId: presence.channelId,
      listeners: (channelId, withoutUserId) => listeners(guildId, channelId, withoutUserId),
      obstacle,
      limits: limits(),
      nowMs: performance.now(),
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

  function carryOut(effect: SpeakerEffect): void {
    switch (effect.type) {
      case 'refuse':
        throw effect.error;
      case 'fail-waiting':
        for (const id of effect.ids) failWaiting(id, effect.reason);
        return;
      case 'cancel-current':
        entries.get(effect.id)?.item.cancel(effect.reason);
        return;
      case 'relocate':
        for (const { item } of entriesOf(effect.ids)) item.place = effect.place;
        return;
      case 'change-channel':
        for (const { item } of entriesOf(effect.ids)) {
          item.place = { ...item.place, channelId: effect.channelId };
        }
        return;
      case 'wake':
        turns.wake();
        return;
      case 'start-over':
        turns.startOver();
        return;
      case 'hold':
        turns.hold();
        return;
      case 'go-on':
        turns.goOn();
        return;
      case 'abort-joins':
        refusing.abort(state.refusal);
        return;
      case 'leave':
        presence
          .leave(effect.reason, effect.obstacle)
          .catch((error: unknown) => log.warn({ err: error }, 'Leaving the voice channel failed'));
        return;
      case 'report-left':
        reportLeft(effect);
        return;
    }
  }

  function failWaiting(id: string, reason: UserError): void {
    const entry = entries.get(id);
    if (!entry) return;
    entries.delete(id);
    entry.state = reason instanceof StoppedByMember ? 'skipped' : 'failed';
    void entry.item.fail(reason);
  }

  function onTurnEnded(entry: QueueEntry, outcome: 'done' | 'failed' | 'skipped'): void {
    dispatch({ type: 'turn-ended', id: entry.id, outcome });
    entries.delete(entry.id);
  }

  /** In time, and not only at the next request: the keys hold the members' texts. */
  function forgetInTime(): void {
    clearTimeout(forgetting);
    dispatch({ type: 'forget-latest' });
    if (state.latest.length === 0) return;
    forgetting = setTimeout(forgetInTime, Math.min(limits().duplicateMs, LONGEST_DELAY_MS)).unref();
  }

  const cancel = (ids: readonly string[]) => dispatch({ type: 'cancel', ids, reason: new StoppedByMember() });

  function accept(asked: NewEntry): Submission {
    const { place, signal, item } = asked;
    if (signal?.aborted) throw new StoppedByMember();
    const entry = createQueueEntry({ ...asked, textChannelId: asked.textChannelId });
    const { id, userId, lane, duplicateKey, acceptedAtMs } = entry;
    const accepted = { id, userId, lane, duplicateKey, acceptedAtMs, channelId: place.channelId };
    entries.set(id, entry);
    try {
      dispatch({ type: 'submit', item: accepted, place, textChannelId: asked.textChannelId });
    } catch (error) {
      entries.delete(id);
      throw error;
    }
    forgetInTime();
    log.debug({ itemId: id, waiting: waitingOf(state).length }, 'Queued');
    // Callers that need the outcome await it themselves.
    item.delivery.catch(() => undefined);
    signal?.addEventListener('abort', () => cancel([id]), { once: true });
    return {
      id,
      delivery: item.delivery,
      item: () => view.item(entry),
      onChanged: (listener) => subscriptions.onItemChanged(entry, listener),
    };
  }

  function submit(utterance: Utterance): Submission {
    const { place, userId, request } = utterance;
    const duplicateKey = duplicateKeyOf(userId, place.channelId, request);
    return accept({ ...utterance, duplicateKey, item: createItem(utterance, { ...options, guildId }) });
  }

  function replay({ itemId, place, userId, textChannelId, signal }: ReplayRequest): Submission {
    const again = memory.find(itemId);
    if (!again) throw new UserError(text('replay.gone'));
    const { clip, speech, item } = again;
    return accept({
      place,
      userId,
      request: item.request,
      duplicateKey: duplicateKeyOf(userId, place.channelId, item.id),
      clip,
      item: createReplayItem(place, clip, { speech }),
      ...(textChannelId !== undefined && { textChannelId }),
      ...(signal && { signal }),
    });
  }

  function measure({ item, hadToWait }: QueueEntry, heard: { firstPacketAtMs: number; hadToJoin: boolean }): void {
    const { firstPacketAtMs, hadToJoin } = heard;
    const kind = hadToWait ? 'queued' : hadToJoin ? 'cold' : item.isCached ? 'cached' : 'joined';
    options.onFirstAudio?.({ kind, ms: firstPacketAtMs - item.askedAtMs });
  }

  function reportLeft({ left, usedFrom }: Extract<SpeakerEffect, { type: 'report-left' }>): void {
    const { channelId, reason, obstacle: why } = left;
    const from = usedFrom !== undefined && { textChannelId: usedFrom };
    try {
      options.onLeft?.({ guildId, voiceChannelId: channelId, reason, ...from, ...(why && { obstacle: why }) });
    } catch (error) {
      // What else follows from leaving must not depend on who is told.
      log.error({ err: error }, 'One who follows the speaker failed');
    }
  }

  function stop() {
    const stopped = currentOf(state) !== undefined;
    const dropped = waitingOf(state).length;
    dispatch({ type: 'stop' });
    return { stopped, dropped };
  }

  function forgetMember(userId: string) {
    const ids = itemsOf(state)
      .filter((item) => item.userId === userId)
      .map(({ id }) => id);
    const spoken = memory.forget(userId, entriesOf(ids));
    cancel(ids);
    return { ended: ids.length, spoken };
  }

  async function drain({ reason, signal }: DrainOptions): Promise<void> {
    dispatch({ type: 'drain', reason });
    await abortable(turns.idle, signal);
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
    skip(itemId) {
      const entry = entryOf(itemId === undefined ? currentOf(state) : itemsOf(state).find(({ id }) => id === itemId));
      if (!entry) return undefined;
      const skipped = view.item(entry);
      cancel([entry.id]);
      return skipped;
    },
    stop,
    forgetMember,
    pause() {
      const wasPaused = isPausedIn(state);
      const effects = dispatch({ type: 'pause' });
      return wasPaused ? 'already-paused' : effects.length > 0 ? 'paused' : 'nothing-to-pause';
    },
    resume: () => void dispatch({ type: 'resume' }),
    queue: view.queue,
    find: view.find,
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
    async leave() {
      stop();
      await presence.leave('asked');
    },
    audienceChanged: presence.audienceChanged,
    accessChanged: () => void dispatch({ type: 'access-changed' }),
    movedToAudience: () => void dispatch({ type: 'put-into-audience' }),
    limitsChanged() {
      presence.limitsChanged();
      turns.limitsChanged();
    },
    drain,
    close(reason) {
      closing ??= end(reason);
      return closing;
    },
  };
}
