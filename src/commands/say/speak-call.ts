import type { SpeechOrder } from '../../services/playback/speech-order.ts';
import type { BilledText } from '../../services/spending/spending.ts';
import type { Voice } from '../../speech/interface/schemas.ts';
import type { SpeechRequest } from '../../speech/request.ts';
import type { Text } from '../../texts/catalogue.ts';
import type { CommandCall, ControlCall, MessageCommandCall } from '../framework/command.ts';

/** What speaking takes, for every command that speaks. */
export type SpeakCall = CommandCall | MessageCommandCall | ControlCall;

/** A speech order after all lookups. */
export interface ResolvedOrder {
  readonly order: SpeechOrder;
  readonly request: SpeechRequest;
  readonly voice: Voice;
  /** Where several speak it, each a stretch; `voice` is the first of them. */
  readonly voices?: readonly Voice[];
  /** What its reply says besides its outcome, each added where it was found. */
  readonly notes: readonly Text[];
  /** A blocked word in it was bleeped. */
  readonly isBleeped?: boolean;
  /** Part by part. */
  readonly billed: readonly BilledText[];
  /** It is to be spoken on a stage to which a moderator has to invite the bot. */
  readonly needsInvitation?: boolean;
}
