import type { Logger } from 'pino';
import type { AudioError } from '../../audio/audio-error.ts';
import { explain } from '../../errors/explain.ts';
import { type Text, text } from '../../texts/catalogue.ts';

interface LostAudioWatchOptions {
  /** Writes to the owners; its failures are logged here. */
  readonly notify: (message: Text) => Promise<void>;
  readonly localVoice: boolean;
  readonly log: Logger;
}

/** One can always be lost; as many in a row have one cause, which the next one shares. */
const LOST_IN_A_ROW = 3;

/** Told of paid audio, it tells the owner when none arrives any more: once, until some does. */
export function createLostAudioWatch({ notify, localVoice, log }: LostAudioWatchOptions) {
  let lostInARow = 0;

  async function warn(error: AudioError): Promise<void> {
    log.error({ err: error, lostInARow }, 'Speech is paid for and its audio cannot be had');
    const [why = text('audio.unreachable')] = explain(error, { localVoice }).lines;
    await notify(text('account.lost-sounds', { lost: lostInARow, why })).catch((failure: unknown) => {
      log.warn({ err: failure }, 'The owner could not be told in Discord that paid audio is lost');
    });
  }

  return {
    arrived() {
      lostInARow = 0;
    },
    lost(error: AudioError) {
      lostInARow += 1;
      if (lostInARow === LOST_IN_A_ROW) void warn(error);
    },
  };
}

export type PaidAudio = ReturnType<typeof createLostAudioWatch>;
