import type { SpeechRequest } from '../../speech/request.ts';
import type { SpeechOptions } from '../voices/preferences.ts';

/** How something is to be given: spoken in a voice channel, or as a message. */
export type Delivered = 'voice' | 'file' | 'voice-message';

/** What somebody wants to have spoken: as given, before anything is looked up. */
export interface SpeechOrder {
  /** As they were written; of a message, readable already. */
  readonly words: string;
  readonly voice?: string | undefined;
  /** The language of the words (ISO 639-1), where the caller named it. */
  readonly language?: string | undefined;
  readonly speechOptions: SpeechOptions;
  readonly output: Pick<SpeechRequest, 'seed' | 'responseFormat'>;
  readonly as: Delivered;
  /** Its lines begin with the name of who speaks them. */
  readonly isScript?: boolean;
  /** Another voice channel than the caller's own. */
  readonly channelId?: string | undefined;
  /** 'own': written for this; 'message': read from a chat, where nothing is an instruction. */
  readonly from: 'own' | 'message';
  /** Of a message: who wrote it. */
  readonly authorId?: string;
  /** The caller has seen what it will cost. */
  readonly isConfirmed?: boolean;
  /** It was accepted before and then failed: another try is no further text for the server's break between texts. */
  readonly wasAccepted?: boolean;
  /** Who asked, once it is kept for a button or a form: nobody else may use that. */
  readonly askerId?: string;
  /** It is shown to the caller alone, also when it comes later, at the press of a button. */
  readonly privately?: boolean;
}
