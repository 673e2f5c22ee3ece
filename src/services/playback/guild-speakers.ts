import { EventEmitter } from 'node:events';
import { refusal, type UserError } from '../../errors/user-errors.ts';
import { SPEED_RANGE } from '../../speech/interface/models.ts';
import { type SpeechRequest, takesSpeed } from '../../speech/interface/schemas.ts';
import type { Text } from '../../texts/catalog.ts';
import { type QueueItem, underWay } from '../queue/queue-item.ts';
import { createTextCooldown, type ServerRules } from '../servers/admission.ts';
import type { BlockableRequest } from '../text/spoken-text.ts';
import type { GuildSpeaker, GuildSpeakerOptions, Leaving, SpeakerEvents } from './guild-speaker.ts';
import { createGuildSpeaker } from './guild-speaker.ts';
import type { UnspokenKeeper } from './unspoken.ts';

interface WhatIsMade {
  readonly guildId: string | undefined;
  readonly userId: string;
  readonly authorId: string | undefined;
  readonly request: BlockableRequest;
}

/** Tracks audio files that are being made, so that they can be canceled like queued texts. */
export function createFilesUnderWay() {
  const all = new Map<WhatIsMade, AbortController>();

  return {
    /** Tracks a file until over() is called or `signal` aborts. Throws the signal's reason if it has aborted. */
    begin(file: WhatIsMade, signal: AbortSignal) {
      signal.throwIfAborted();
      const ending = new AbortController();
      const over = () => void all.delete(file);
      all.set(file, ending);
      signal.addEventListener('abort', over, { once: true });
      return { signal: AbortSignal.any([signal, ending.signal]), over };
    },
    ofServer: (guildId: string): readonly WhatIsMade[] => [...all.keys()].filter((file) => file.guildId === guildId),
    end(matches: (file: WhatIsMade) => boolean, reason: Error): void {
      for (const [file, ending] of all) if (matches(file)) ending.abort(reason);
    },
  };
}

interface GuildSpeakersOptions extends Omit<GuildSpeakerOptions, 'guildId' | 'events'> {
  readonly unspoken: UnspokenKeeper;
}

export function createGuildSpeakers({ unspoken, ...options }: GuildSpeakersOptions) {
  const events: SpeakerEvents = new EventEmitter();
  const speakers = new Map<string, GuildSpeaker>();
  let drainedFor: Text | undefined;
  let closedFor: Text | undefined;
  const stoppingFor = () => closedFor ?? drainedFor;

  return {
    unspoken,
    files: createFilesUnderWay(),
    cooldown: createTextCooldown(),
    onLeft: (listener: (leaving: Leaving) => void) => void events.on('left', listener),
    onDeserted: (listener: (guildId: string) => void) => void events.on('deserted', listener),
    /** Why new texts and files are refused; undefined unless the bot is stopping. */
    get refusal() {
      return stoppingFor();
    },
    of(guildId: string): GuildSpeaker {
      let speaker = speakers.get(guildId);
      if (!speaker) {
        speaker = createGuildSpeaker({ ...options, events, guildId });
        speakers.set(guildId, speaker);
        const reason = stoppingFor();
        if (reason) void speaker.close(reason);
      }
      return speaker;
    },
    find: (guildId: string) => speakers.get(guildId),
    places: () =>
      [...speakers].flatMap(([guildId, { channelId }]) => (channelId === undefined ? [] : [{ guildId, channelId }])),
    async forget(guildId: string): Promise<void> {
      const speaker = speakers.get(guildId);
      speakers.delete(guildId);
      await speaker?.close(refusal('server-left'));
    },
    census() {
      const lengths = [...speakers.values()].map((speaker) => speaker.queue().waiting.length);
      return { waiting: lengths.reduce((sum, length) => sum + length, 0), longest: Math.max(0, ...lengths) };
    },
    ofMember(userId: string) {
      const views = [...speakers.values()].map((speaker) => speaker.queue());
      const isTheirs = ({ order }: QueueItem) => order.userId === userId;
      return {
        waiting: views.flatMap(underWay).filter(isTheirs).length,
        spoken: views.flatMap(({ recent }) => recent).filter(isTheirs).length,
      };
    },
    forgetMember(userId: string): void {
      for (const speaker of speakers.values()) speaker.forgetMember(userId);
    },
    forgetAuthor(authorId: string, why: UserError): void {
      for (const speaker of speakers.values()) speaker.forgetAuthor(authorId, why);
    },
    async drain(reason: Text, signal: AbortSignal): Promise<void> {
      drainedFor ??= reason;
      await Promise.all([...speakers.values()].map((speaker) => speaker.drain(reason, signal)));
    },
    async close(reason: Text): Promise<void> {
      closedFor ??= reason;
      await Promise.allSettled([...speakers.values()].map((speaker) => speaker.close(reason)));
    },
  };
}

export type GuildSpeakers = ReturnType<typeof createGuildSpeakers>;

const LONG_QUEUE = 5;
/** The factor by which texts are spoken faster while the queue is long: noticeable, and still easy to follow. */
const TIMES = 1.25;

/** Must be called once per text: a later call may choose another speed, and audio at another speed is bought again. */
export function caughtUp(request: SpeechRequest, { catchUp }: ServerRules, speaker: GuildSpeaker | undefined) {
  if (!catchUp || !speaker || !takesSpeed(request) || speaker.queue().waiting.length < LONG_QUEUE) return request;
  const { speed: own = 1 } = request;
  const speed = Math.min(SPEED_RANGE.max, Math.round(100 * TIMES * own) / 100);
  return speed > own ? { ...request, speed } : request;
}
