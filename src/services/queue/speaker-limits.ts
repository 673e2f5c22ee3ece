import type { PresenceLimits } from '../presence/channel-presence.ts';
/** What the admins of a server may set; read at each decision. Times may be Infinity: never. */
export interface SpeakerLimits extends PresenceLimits {
  /** Utterances waiting in one server, besides the one being spoken. */
  readonly queueLimit: number;
  /** Of these, utterances of one member. */
  readonly memberQueueLimit: number;
  /** How long a pause lasts before the bot gives up and leaves. */
  readonly pauseMs: number;
}

export const DEFAULT_SPEAKER_LIMITS: SpeakerLimits = {
  queueLimit: 20,
  memberQueueLimit: 8,
  aloneMs: 60_000,
  idleMs: 5 * 60_000,
  pauseMs: 10 * 60_000,
};
