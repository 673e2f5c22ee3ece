import { type Text, text } from '../../texts/catalogue.ts';
import type { QueuedItem } from '../queue/queued-item.ts';
import { createGuildSpeaker } from './guild-speaker.ts';
import type { DrainOptions, GuildSpeaker, GuildSpeakerOptions } from './guild-speaker-types.ts';

/** The speakers of all servers, made when they are first needed. */
export interface GuildSpeakers {
  /** Why nothing new is spoken any more, here or into a file; undefined while the bot is not being stopped. */
  readonly refusal: Text | undefined;
  of(guildId: string): GuildSpeaker;
  /** The server's speaker if it has spoken there since the start. */
  find(guildId: string): GuildSpeaker | undefined;
  /** The bot is no longer in this server. */
  forget(guildId: string): Promise<void>;
  /** What a member has asked for and what was spoken for them, in all servers. */
  ofMember(userId: string): { readonly waiting: number; readonly spoken: number };
  /** Ends and drops all of that. */
  forgetMember(userId: string): { readonly waiting: number; readonly spoken: number };
  /**
   * Accepts nothing more, for this reason; resolves when nothing is being spoken anywhere; what waits is failed with the
   * reason. Rejects with the signal's reason when that aborts: close() ends the rest.
   */
  drain(options: DrainOptions): Promise<void>;
  /** Texts that wait to be spoken: in all servers together, and in the one with most of them. */
  census(): { readonly waiting: number; readonly longest: number };
  /** Ends all of them for this reason. Idempotent. */
  close(reason: Text): Promise<void>;
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

export function createGuildSpeakers(options: Omit<GuildSpeakerOptions, 'guildId'>): GuildSpeakers {
  const speakers = new Map<string, GuildSpeaker>();
  let drainedFor: DrainOptions | undefined;
  let closedFor: Text | undefined;

  return {
    get refusal() {
      return closedFor ?? drainedFor?.reason;
    },
    of(guildId) {
      let speaker = speakers.get(guildId);
      if (!speaker) {
        speaker = createGuildSpeaker({ ...options, guildId });
        speakers.set(guildId, speaker);
        if (closedFor) void speaker.close(closedFor);
        // Nothing waits in it yet: this only makes it refuse.
        else if (drainedFor) void speaker.drain({ reason: drainedFor.reason, signal: new AbortController().signal });
      }
      return speaker;
    },
    find: (guildId) => speakers.get(guildId),
    async forget(guildId) {
      const speaker = speakers.get(guildId);
      speakers.delete(guildId);
      await speaker?.close(text('play.server-left'));
    },
    census() {
      const lengths = [...speakers.values()].map((speaker) => speaker.queue().waiting.length);
      return { waiting: sum(lengths), longest: Math.max(0, ...lengths) };
    },
    ofMember(userId) {
      const views = [...speakers.values()].map((speaker) => speaker.queue());
      const theirs = (items: readonly QueuedItem[]) => items.filter((item) => item.userId === userId).length;
      return {
        waiting: sum(views.map(({ current, waiting }) => theirs(current ? [current, ...waiting] : waiting))),
        spoken: sum(views.map(({ recent }) => theirs(recent))),
      };
    },
    forgetMember(userId) {
      const dropped = [...speakers.values()].map((speaker) => speaker.forgetMember(userId));
      return {
        waiting: sum(dropped.map(({ ended }) => ended)),
        spoken: sum(dropped.map(({ spoken }) => spoken)),
      };
    },
    async drain(drainOptions) {
      drainedFor ??= drainOptions;
      await Promise.all([...speakers.values()].map((speaker) => speaker.drain(drainOptions)));
    },
    async close(reason) {
      closedFor ??= reason;
      await Promise.allSettled([...speakers.values()].map((speaker) => speaker.close(reason)));
    },
  };
}
