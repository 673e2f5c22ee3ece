import { SPEED_RANGE } from '../../speech/interface/models.ts';
import { type SpeechRequest, takesSpeed } from '../../speech/request.ts';
import type { ServerRules } from '../servers/server-rules.ts';
import type { GuildSpeaker } from './guild-speaker-types.ts';

/** A queue with so many waiting texts is long. */
const LONG_QUEUE = 5;
/** Noticeably faster, and still easy to follow. */
const TIMES = 1.25;

/**
 * The request for a text that is asked for now: faster where admins want that, the queue of the server is long and the voice
 * takes a speed; the same object otherwise. It is decided once a text, so that a text has one sound, which is bought once.
 */
export function caughtUp(
  request: SpeechRequest,
  { catchUp }: ServerRules,
  speaker: GuildSpeaker | undefined,
): SpeechRequest {
  if (!catchUp || !speaker || !takesSpeed(request) || speaker.queue().waiting.length < LONG_QUEUE) return request;
  const { speed: own = 1 } = request;
  const speed = Math.min(SPEED_RANGE.max, Math.round(100 * TIMES * own) / 100);
  return speed > own ? { ...request, speed } : request;
}
