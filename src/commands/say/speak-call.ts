import type { CacheType } from 'discord.js';
import type { SpeechOrder } from '../../services/playback/speech-order.ts';
import type { KeptVoice } from '../../services/voices/preferences.ts';
import type { Voice } from '../../speech/interface/schemas.ts';
import type { SpeechRequest } from '../../speech/request.ts';
import type { CommandCall, ControlCall, MessageCommandCall } from '../framework/command.ts';

/** Whatever somebody can ask for speech by. */
export type SpeakCall = CommandCall<CacheType> | MessageCommandCall<CacheType> | ControlCall<CacheType>;

/** A order with everything looked up that speaking takes. */
export interface ResolvedOrder {
  readonly order: SpeechOrder;
  readonly request: SpeechRequest;
  readonly voice: Voice;
  /** Voices that were chosen beforehand and no longer exist. */
  readonly vanished: readonly KeptVoice[];
  /** As they are billed. */
  readonly characters: number;
  /** It is to be spoken on a stage to which a moderator has to invite the bot. */
  readonly needsInvitation?: boolean;
}
