import type { EventEmitter } from 'node:events';
import type { Logger } from 'pino';
import type { VoiceSessions } from '../../audio/connection/voice-session-types.ts';
import type { UserError } from '../../errors/user-errors.ts';
import type { Text } from '../../texts/catalog.ts';
import type { Metrics } from '../monitoring/metrics.ts';
import type { LeaveReason, SpeakerLimits, VoiceChannels, VoicePlace } from '../presence/channel-presence.ts';
import type { NewItem } from '../queue/live-item.ts';
import type { Delivery, QueueItem, QueueView, SpokenItem } from '../queue/queue-item.ts';
import type { Synthesizer } from '../synthesis/synthesis-types.ts';

/** The texts of the speaker of one server. */
export interface SpeakerTexts {
  /**
   * Puts an utterance into the queue. Throws a UserError if it is refused: the queue or the member's share of it is
   * full, it repeats the member's last text, others listen elsewhere, the channel is empty, or the bot is stopping.
   */
  submit(item: NewItem): Submission;
  /** Speaks again what was spoken a short while ago, from its sound: costs nothing. Throws a UserError like submit(). */
  replay(again: ReplayRequest): Submission;
  /**
   * Ends the current item, or takes the given one out of the queue, and returns it; undefined if there is none (any
   * more). The caller decides by its order who is allowed to do that; its requester learns who did.
   */
  skip(itemId?: string, byUserId?: string, command?: 'skip' | 'stop'): QueueItem | undefined;
  /** Ends the current item and drops the queue. Never leaves a pause behind. */
  stop(byUserId?: string): { readonly stopped: boolean; readonly dropped: number };
  /** A stop that also ends, at their submit() or replay(), texts that were asked for before it. */
  stopWhatComes(stop: Stop): void;
  /** Ends an item of the queue and gives its requester the reason. Does nothing if it is over. */
  refuse(itemId: string, why: UserError): void;
  /** Ends what a member has asked for, at their own wish or for that reason, and drops what was spoken for them: how many of each. */
  forgetMember(userId: string, why?: UserError): { readonly ended: number; readonly spoken: number };
  /**
   * Ends the items that speak a member's messages or announce the member, except for those the member asked for; other
   * requesters get the reason. Drops those spoken before.
   */
  forgetAuthor(authorId: string, why: UserError): void;
  /** A snapshot of the current item, the queue in the order of speaking, and the items that can be spoken again. */
  queue(): QueueView;
  /** An item of the queue or of those that can be spoken again. */
  find(itemId: string): QueueItem | undefined;
  /** What was spoken a short while ago, with its sound. */
  spoken(itemId: string): SpokenItem | undefined;
  /**
   * True if members in another channel are listening to the bot, or wait there for their texts. The asker does not
   * count: alone in the channel, they are allowed to send the bot away.
   */
  occupiedElsewhere(channelId: string, userId?: string): boolean;
}

/** The speaker of one server: owns its presence in a voice channel and its queue. */
export interface GuildSpeaker extends SpeakerTexts {
  /** The channel it is in or on its way to. */
  readonly channelId: string | undefined;
  readonly isPaused: boolean;
  /**
   * Holds what is being made or spoken, for as long as the limits say; resume() goes on where it stopped. Throws a
   * UserError when the bot is stopping.
   */
  pause(): 'paused' | 'already-paused' | 'nothing-to-pause';
  /** Idempotent. */
  resume(): void;
  /**
   * Joins without speaking, or moves there if only the asker listens in its current channel; leaves when idle, as
   * always. The channel may be empty unless something is still to be spoken. Rejects with a UserError or a
   * VoiceJoinError.
   */
  join(place: VoicePlace, options?: JoinOptions): Promise<void>;
  /** Stops and leaves the channel. */
  leave(byUserId?: string): Promise<void>;
  /** A member came, left or moved: leaves after a while without listeners. */
  audienceChanged(): void;
  /** The bot's permissions, its mute or its place on a stage may have changed: ends items that can no longer be heard. */
  accessChanged(): void;
  /**
   * A moderator put the bot back into the audience of a stage: ends items that are not heard. At the next request, it
   * takes the floor again.
   */
  movedToAudience(): void;
  /** The bot is no longer allowed in its voice channel, for this reason: ends everything and leaves. */
  sendAway(why: Text): void;
  /** Discord mutes the bot in this voice channel until it joins again: ends everything and leaves. */
  heldBack(channelId: string): void;
  /** The limits of this server are others now: waits that are under way are measured by them. */
  limitsChanged(): void;
  /** Accepts nothing more, for this reason; resolves when nothing is being spoken. See GuildSpeakers.drain(). */
  drain(options: DrainOptions): Promise<void>;
  /** Ends everything for this reason and leaves. Idempotent. */
  close(reason: Text): Promise<void>;
}

/** The collaborators of the speaker of one server. */
export interface GuildSpeakerOptions {
  readonly guildId: string;
  readonly sessions: Pick<VoiceSessions, 'join'>;
  readonly channels: VoiceChannels;
  readonly synthesizer: Synthesizer;
  /** What the admins of a server have set; read at each decision. */
  readonly limitsOf: (guildId: string) => SpeakerLimits;
  readonly events: SpeakerEvents;
  readonly metrics: Metrics;
  readonly log: Logger;
}

/**
 * 'left': the bot has left a voice channel. 'deserted': its listeners in a server have been gone for a moment, and what was
 * to be spoken to them has ended.
 */
export type SpeakerEvents = EventEmitter<{ left: [Leaving]; deserted: [guildId: string] }>;

/** An utterance that was accepted. */
export interface Submission {
  /** Short, and not to be guessed: fit for the custom id of a button. */
  readonly id: string;
  /** Resolves when it was heard, rejects with a DeliveryError. */
  readonly delivery: Promise<Delivery>;
  /** How it stands now. Works after its end too. */
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
  /** These as of any new item. */
  readonly askedAtMs?: number | undefined;
  readonly acknowledged?: Promise<void> | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Leaving {
  readonly guildId: string;
  readonly voiceChannelId: string;
  /** The text channel of the last use. */
  readonly textChannelId: string | undefined;
  readonly reason: LeaveReason;
  readonly obstacle: Text | undefined;
}

interface JoinOptions {
  /** The requester, whose texts come along. */
  readonly userId?: string | undefined;
  /** The text channel of the request. */
  readonly textChannelId?: string;
  /** Gives up the join, unless others need it. */
  readonly signal?: AbortSignal;
}

export interface DrainOptions {
  /** The answer to new requests, and the reason for the items that wait. */
  readonly reason: Text;
  /** Aborted when it has taken too long: drain() rejects with its reason, and close() ends the rest. */
  readonly signal: AbortSignal;
}

export interface Stop {
  /** performance.now() when it was asked for. */
  readonly askedAtMs: number;
  readonly byUserId: string;
  /** True if it stops everyone's texts, false if only the stopping member's own. */
  readonly isOfAll: boolean;
}
