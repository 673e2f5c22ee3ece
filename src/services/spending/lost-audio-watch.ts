import type { Logger } from 'pino';
import type { AudioError, AudioErrorKind } from '../../audio/audio-error.ts';
import { refusal } from '../../errors/refusals.ts';
import { UserError } from '../../errors/user-errors.ts';
import { SpeechError } from '../../speech/errors.ts';
import { type Text, text } from '../../texts/catalog.ts';

/**
 * Paid requests pause after this many paid clips in a row did not arrive: so many losses probably have a common cause.
 */
const LOST_IN_A_ROW = 3;
/** How long paid requests pause after lost audio, until one text is paid for as a trial; doubles with each trial. */
const FIRST_PAUSE_MS = 30_000;
const MAX_PAUSE_MS = 30 * 60_000;

/** Counts the paid audio of one model that got lost, since the last time that audio of the model arrived. */
interface Losses {
  count: number;
  /**
   * When the next text may be paid for, as a trial if paid audio arrives again; undefined while paid requests are not
   * paused.
   */
  nextTrialAtMs: number | undefined;
  trials: number;
  /**
   * While paid requests are paused: the one text that is paid for as a trial. Its other parts are not refused, because
   * they may be requested before the audio of the first part has arrived.
   */
  trial: object | undefined;
  /**
   * Texts that have lost paid audio. Each text counts once, because its other parts may have been requested before the
   * first loss was known.
   */
  readonly texts: WeakSet<object>;
}

interface LostAudioWatchOptions {
  /** True if speech is free: lost answers do not stop requests then. */
  readonly isFree: boolean;
  /** Messages the owners. Failures to message them are logged. */
  readonly notify: (message: Text) => Promise<void>;
  readonly log: Logger;
}

const CAUSES = {
  'refused-address': 'refused',
  'refused-redirect': 'refused',
  'http-status': 'unreachable',
  network: 'unreachable',
  timeout: 'unreachable',
  'too-large': 'too-long',
  'too-long': 'too-long',
  endless: 'endless',
  'too-short': 'unplayable',
  'not-audio': 'unplayable',
  'ffmpeg-missing': 'unplayable',
  damaged: 'unplayable',
} as const satisfies Readonly<Record<AudioErrorKind, string>>;

/**
 * A circuit breaker for paid audio: if audio no longer arrives, payment stops, except for trials at growing intervals. The
 * owner gets a message when payment stops and when it resumes. Each model has its own breaker, because its audio host and
 * format may differ.
 */
export function createLostAudioWatch({ notify, log, isFree }: LostAudioWatchOptions) {
  // Lost audio by model. The map stays small, because it only contains models of the speech service. Entries stay after
  // audio arrives again, for the metrics.
  const models = new Map<string, Losses>();
  let lastNotice: Promise<void> = Promise.resolve();

  /** Messages the owners in the order of the events, one message after the other. */
  function tell(message: Text): void {
    lastNotice = lastNotice
      .then(() => notify(message))
      .catch((error: unknown) => {
        log.warn({ err: error }, 'Could not message the owner about lost paid audio');
      });
  }

  return {
    /**
     * Throws a UserError if paid requests are paused because paid audio got lost, and it is too early to pay for
     * another text as a trial. `utterance` is the same object for all parts of one text. If the request turns out not
     * to be billed, call the returned function: then the next text is the trial.
     */
    admit(model: string, utterance: object): () => void {
      const losses = models.get(model);
      if (losses?.nextTrialAtMs === undefined || losses.trial === utterance) return () => undefined;
      const waitMs = losses.nextTrialAtMs - performance.now();
      if (waitMs > 0) {
        const when = `<t:${Math.ceil((Date.now() + waitMs) / 1000)}:R>`;
        throw new UserError(refusal('lost-audio', { when }));
      }
      losses.trials += 1;
      losses.trial = utterance;
      losses.nextTrialAtMs = performance.now() + Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** losses.trials);
      log.info({ model, trials: losses.trials }, 'Paid requests are paused: paying for one as a test');
      return () => {
        if (losses.trial !== utterance) return;
        losses.trials -= 1;
        losses.trial = undefined;
        losses.nextTrialAtMs = performance.now();
      };
    },
    arrived(model: string) {
      const losses = models.get(model);
      if (!losses) return;
      models.set(model, noLosses());
      if (losses.nextTrialAtMs === undefined) return;
      log.info({ model }, 'Paid audio arrives again: paying for new texts');
      tell(text('account.sounds-arrive', { model }));
    },
    /**
     * Counts a paid clip that did not arrive. A SpeechError means that an answer was lost that may have been billed.
     * `utterance` is the same object for all parts of a text, so that a text counts only once.
     */
    lost(model: string, error: AudioError | SpeechError, utterance: object) {
      if (isFree && (error instanceof SpeechError || error.kind === 'too-short')) return;
      const losses = models.get(model) ?? noLosses();
      models.set(model, losses);
      if (losses.texts.has(utterance)) return;
      losses.texts.add(utterance);
      losses.count += 1;
      // If paid requests are already paused, further lost audio does not delay the next text that is paid for as a
      // trial.
      if (losses.nextTrialAtMs !== undefined || losses.count < LOST_IN_A_ROW) return;
      losses.nextTrialAtMs = performance.now() + FIRST_PAUSE_MS;
      const { count: lost } = losses;
      log.error({ err: error, model, lost }, 'Paid audio keeps getting lost: pausing paid requests');
      tell(
        error instanceof SpeechError
          ? text('account.lost-answers', { lost, model })
          : text('account.lost-sounds', { lost, model, why: CAUSES[error.kind] }),
      );
    },
    /** Each model that has lost paid audio since the start, and whether paid requests to it are paused now. */
    models: (): Iterable<readonly [model: string, isStopped: boolean]> =>
      [...models].map(([model, { nextTrialAtMs }]) => [model, nextTrialAtMs !== undefined]),
  };
}

const noLosses = (): Losses => ({
  count: 0,
  nextTrialAtMs: undefined,
  trials: 0,
  trial: undefined,
  texts: new WeakSet(),
});

export type PaidAudio = ReturnType<typeof createLostAudioWatch>;
