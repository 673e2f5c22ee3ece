import type { SpeechOrder } from '../../services/playback/speech-order.ts';
import type { BilledText } from '../../services/spending/spending-types.ts';
import type { KeptVoice } from '../../services/voices/preferences.ts';
import type { Voice } from '../../speech/interface/schemas.ts';
import type { SpeechRequest } from '../../speech/request.ts';
import type { CommandCall, ControlCall, MessageCommandCall } from '../framework/command.ts';
import type { TakenElsewhere } from '../voice-options/speech-options.ts';

/** What speaking takes, for every command that speaks. */
export type SpeakCall = CommandCall | MessageCommandCall | ControlCall;

/** A order with everything looked up that speaking takes. */
export interface ResolvedOrder {
  readonly order: SpeechOrder;
  readonly request: SpeechRequest;
  readonly voice: Voice;
  /** Where several speak it, each a stretch; `voice` is the first of them. */
  readonly voices?: readonly Voice[] | undefined;
  /** Voices that were chosen beforehand and no longer exist. */
  readonly vanished: readonly KeptVoice[];
  /** The voice that would have spoken, if it could speak this text. */
  readonly insteadOf?: Voice | undefined;
  /** The language that was named for the text, or was found in it and is none of the voice's. */
  readonly missed?: string | undefined;
  /** The voice that would have read the text's tags aloud, where they were left out. */
  readonly leftOut?: Voice | undefined;
  /** The name of a voice that was read aloud within the only line of a script. */
  readonly nameWithin?: string | undefined;
  /** It is spoken faster, since it was asked for behind a long queue. */
  readonly isCaughtUp?: boolean;
  /** A blocked word in it was bleeped. */
  readonly isBleeped?: boolean;
  /** Where voices take what this one ignores. */
  readonly elsewhere?: TakenElsewhere | undefined;
  /** Part by part. */
  readonly billed: readonly BilledText[];
  /** It is to be spoken on a stage to which a moderator has to invite the bot. */
  readonly needsInvitation?: boolean;
}
