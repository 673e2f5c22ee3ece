import { UserError } from '../../errors/user-errors.ts';
import { type Text, text } from '../../texts/catalogue.ts';
import type { Metrics } from '../monitoring/metrics.ts';
import {
  createVoicePresence,
  type Left,
  type VoicePlace,
  type VoicePresenceOptions,
} from '../presence/channel-presence.ts';
import { createDurationEstimate } from '../queue/duration-estimate.ts';
import { createQueueEntry, duplicateKeyOf, type QueueEntry } from '../queue/entry.ts';
import { createQueueReader, type QueueReader } from '../queue/queue-view.ts';
import { createSpokenMemory } from '../queue/recently-spoken.ts';
import { createReplayItem } from '../queue/replay-item.ts';
import { DEFAULT_SPEAKER_LIMITS, type SpeakerLimits } from '../queue/speaker-limits.ts';
import { createLine, type Line } from '../queue/submissions.ts';
import { createSubscriptions } from '../queue/subscriptions.ts';
import { createItem, StoppedByMember, type Utterance } from '../queue/utterance.ts';
import type { Synthesiser } from '../synthesis/synthesis-types.ts';
import { abortable } from '../time/deadline.ts';
import type { DrainOptions, GuildSpeaker, Leaving, ReplayRequest, Submission } from './guild-speaker-types.ts';
import { disconnectedError, interruption } from './play-deadline.ts';
import { createPlaybackLoop } from './playback-loop.ts';

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

const everything = () => true;
const mention = (channelId: string) => `<#${channelId}>`;

export function createGuildSpeaker(options: GuildSpeakerOptions): GuildSpeaker {
  const { guildId, listeners, channelExists } = options;
  const log = options.log.child({ guildId });
  const limits = (): SpeakerLimits => ({ ...DEFAULT_SPEAKER_LIMITS, ...options.limitsOf?.(guildId) });
  const obstacle = (channelId: string) => options.obstacle?.(guildId, channelId);
  const estimate = createDurationEstimate();
  const memory = createSpokenMemory();

  let usedFrom: string | undefined;
  let refusal: UserError | undefined;
  /** Aborted with the refusal: nobody who asked only for a join waits for it any more. */
  const refusing = new AbortController();
  let closing: Promise<void> | undefined;

  const presence = createVoicePresence({
    ...options,
    log,
    limits,
    onMoved,
    onAlone: (channelId) =>
      line.cancel(everything, new UserError(text('play.nobody-listening', { channel: mention(channelId) }))),
    onLeft,
  });
  const turns = createPlaybackLoop({
    presence,
    estimate,
    obstacle,
    channelExists,
    take: () => line.take(),
    next: () => line.next(),
    pauseMs: () => limits().pauseMs,
    onPausedTooLong: () => giveUp('paused-too-long', text('play.paused-too-long')),
    onChanged: () => subscriptions.changed(),
    onSpoken: memory.keep,
    onHeard: measure,
  });
  const line: Line = createLine({ limits, onTurn: () => turns.current, onChanged: () => subscriptions.changed() });
  const view: QueueReader = createQueueReader({
    line,
    estimate,
    isPaused: () => turns.isPaused,
    recent: () => memory.items,
  });
  const subscriptions = createSubscriptions({ view, log });

  /** The channel in which it is, or in which it is waited for. */
  function whereNeeded(): string | undefined {
    return presence.channelId ?? line.all[0]?.item.place.channelId;
  }

  function occupiedElsewhere(channelId: string, userId?: string): boolean {
    const here = whereNeeded();
    return here !== undefined && here !== channelId && listeners(guildId, here, userId) > 0;
  }

  /** Refuses what may not begin there, for as long as others listen elsewhere or the bot is stopping. */
  function mustBeFree(place: VoicePlace, userId?: string): void {
    if (refusal) throw refusal;
    const here = whereNeeded();
    if (here === undefined || !occupiedElsewhere(place.channelId, userId)) return;
    throw new UserError(text('refused.busy-elsewhere', { channel: mention(here) }));
  }

  /** Refuses, before it costs anything, what is to be spoken where nobody is. */
  function mustBeHeard({ channelId }: VoicePlace): void {
    if (listeners(guildId, channelId) > 0) return;
    throw new UserError(text('refused.nobody-there', { channel: mention(channelId) }));
  }

  /** Nobody else listens where it was: whatever is still to be spoken is spoken where somebody asks for it now. */
  function follow(place: VoicePlace): void {
    for (const { item } of line.all) {
      if (item.place.channelId === place.channelId) continue;
      item.place = place;
      if (item === line.current?.item) turns.startOver();
    }
  }

  function accept(asked: NewEntry): Submission {
    const { place, signal, item } = asked;
    if (signal?.aborted) throw new StoppedByMember();
    mustBeFree(place, asked.userId);
    mustBeHeard(place);
    const entry = createQueueEntry({ ...asked, textChannelId: asked.textChannelId });
    line.add(entry);
    follow(place);
    usedFrom = asked.textChannelId ?? usedFrom;
    log.debug({ itemId: entry.id, waiting: line.size }, 'Queued');
    // Whoever wants to know how it ends asks for it.
    item.delivery.catch(() => undefined);
    signal?.addEventListener('abort', () => line.cancel((one) => one === entry, new StoppedByMember()), { once: true });
    turns.wake();
    subscriptions.changed();
    return {
      id: entry.id,
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

  /** A moderator moved the bot: what was to be spoken in the old channel is spoken in the new one, where it can be. */
  function onMoved(from: string, channelId: string): void {
    for (const { item } of line.all) {
      if (item.place.channelId === from) item.place = { ...item.place, channelId };
    }
    subscriptions.changed();
    const reason = obstacle(channelId);
    if (reason) giveUp('not-allowed', reason);
  }

  function onLeft({ channelId, reason, obstacle: why }: Left): void {
    // Whoever put the bot out does not want it back.
    if (reason === 'kicked' || reason === 'channel-gone') line.cancel(everything, disconnectedError(channelId, reason));
    subscriptions.changed();
    // It comes back for what is still to be spoken.
    if (reason === 'connection-lost' && line.all.length > 0) return;
    const from = usedFrom !== undefined && { textChannelId: usedFrom };
    try {
      options.onLeft?.({ guildId, voiceChannelId: channelId, reason, ...from, ...(why && { obstacle: why }) });
    } catch (error) {
      // What else follows from leaving must not depend on who is told.
      log.error({ err: error }, 'One who follows the speaker failed');
    }
  }

  /** Ends everything for this reason and leaves on its own account. */
  function giveUp(reason: Leaving['reason'], words: Text): void {
    line.cancel(everything, new UserError(words));
    const left = presence.leave(reason, reason === 'not-allowed' ? words : undefined);
    left.catch((error: unknown) => log.warn({ err: error }, 'Leaving the voice channel failed'));
  }

  function stop() {
    const stopped = line.current !== undefined;
    const dropped = line.cancel(everything, new StoppedByMember());
    turns.resume();
    return { stopped, dropped };
  }

  function forgetMember(userId: string) {
    const entries = line.all.filter((entry) => entry.userId === userId);
    const spoken = memory.forget(userId, entries);
    line.cancel((entry) => entries.includes(entry), new StoppedByMember());
    subscriptions.changed();
    return { ended: entries.length, spoken };
  }

  async function drain({ reason, signal }: DrainOptions): Promise<void> {
    refusal ??= new UserError(reason);
    refusing.abort(refusal);
    // Nobody is going to end a pause.
    if (turns.isPaused) line.cancel(everything, refusal);
    else line.cancelWaiting(refusal);
    await abortable(turns.idle, signal);
  }

  async function end(reason: UserError): Promise<void> {
    refusing.abort(reason);
    line.cancel(everything, reason);
    memory.clear();
    await presence.leave('closing');
  }

  return {
    get channelId() {
      return presence.channelId;
    },
    get isPaused() {
      return turns.isPaused;
    },
    occupiedElsewhere,
    submit,
    replay,
    skip(itemId) {
      const entry = itemId === undefined ? line.current : line.all.find(({ id }) => id === itemId);
      if (!entry) return undefined;
      const skipped = view.item(entry);
      line.cancel((one) => one === entry, new StoppedByMember());
      return skipped;
    },
    stop,
    forgetMember,
    pause() {
      // Nobody would end it any more.
      if (refusal) throw refusal;
      return turns.isPaused ? 'already-paused' : turns.pause() ? 'paused' : 'nothing-to-pause';
    },
    resume: turns.resume,
    queue: view.queue,
    find: view.find,
    spoken: memory.find,
    async join(place, { userId, textChannelId, signal = new AbortController().signal } = {}) {
      mustBeFree(place, userId);
      if (line.all.length > 0) mustBeHeard(place);
      const why = obstacle(place.channelId);
      if (why) throw new UserError(why);
      usedFrom = textChannelId ?? usedFrom;
      follow(place);
      const release = presence.need();
      try {
        const session = await presence.enter(place, AbortSignal.any([signal, refusing.signal]));
        if (session.state.status === 'closed') throw interruption(session, {}, channelExists);
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
    accessChanged() {
      const here = whereNeeded();
      const why = here !== undefined && line.all.length > 0 ? obstacle(here) : undefined;
      if (why) line.cancel(everything, new UserError(why));
    },
    movedToAudience() {
      const here = presence.channelId;
      if (here === undefined) return;
      line.cancel(everything, new UserError(text('play.put-into-audience', { channel: mention(here) })));
    },
    limitsChanged() {
      presence.limitsChanged();
      turns.limitsChanged();
    },
    drain,
    close(reason) {
      refusal ??= new UserError(reason);
      closing ??= end(refusal);
      return closing;
    },
  };
}
