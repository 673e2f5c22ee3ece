import type { Logger } from 'pino';
import type { AudioError, AudioErrorKind } from '../../audio/audio-error.ts';
import { refusal } from '../../errors/refusals.ts';
import { UserError } from '../../errors/user-errors.ts';
import { SpeechError } from '../../speech/errors.ts';
import { type Text, text } from '../../texts/catalog.ts';

/** A single clip can always be lost; this many in a row have a cause that the next one shares. */
const LOST_IN_A_ROW = 3;
/** From the end of payment to the first trial; doubles with each. */
const FIRST_PAUSE_MS = 30_000;
const MAX_PAUSE_MS = 30 * 60_000;

/** Since audio of a model arrived last. */
interface Losses {
  count: number;
  /** When the next text may be paid for; undefined while all of them may. */
  nextTrialAtMs: number | undefined;
  trials: number;
  /** The text that is the trial: its other parts are requested before the first has arrived. */
  trial: object | undefined;
  /** Texts of which a part was lost: their other parts were on their way by then, and are no further loss. */
  readonly texts: WeakSet<object>;
}

interface LostAudioWatchOptions {
  /** An answer that is lost costs nothing then, and the next one may come. */
  readonly isFree?: boolean;
  /** Writes to the owners; its failures are logged here. */
  readonly notify: (message: Text) => Promise<void>;
  readonly log: Logger;
  readonly now?: () => number;
}

/** In the owner's message. */
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
 * The breaker of paid audio: it stops payments when audio no longer arrives, except for a trial at growing intervals.
 * The owner gets a message at both ends. Each model has its own, since it may have its own audio host and format.
 */
export function createLostAudioWatch({
  notify,
  log,
  isFree = false,
  now = performance.now.bind(performance),
}: LostAudioWatchOptions) {
  // The service's models are the only entries; they are kept after audio arrives again, for the metrics.
  const models = new Map<string, Losses>();
  let lastNotice: Promise<void> = Promise.resolve();

  /** In the order of the events. */
  function tell(message: Text): void {
    lastNotice = lastNotice
      .then(() => notify(message))
      .catch((error: unknown) => {
        log.warn({ err: error }, 'Could not message the owner about lost paid audio');
      });
  }

  return {
    /**
     * Throws a UserError where payment has stopped and it is not yet time for a trial. `utterance` is the same object for all
     * parts of one text. If this request is the trial and is not billed, it has tested nothing: the returned function makes the
     * next text the trial.
     */
    admit(model: string, utterance: object): () => void {
      const losses = models.get(model);
      if (losses?.nextTrialAtMs === undefined || losses.trial === utterance) return () => undefined;
      const waitMs = losses.nextTrialAtMs - now();
      if (waitMs > 0) {
        const when = `<t:${Math.ceil((Date.now() + waitMs) / 1000)}:R>`;
        throw new UserError(refusal('lost-audio', { when }));
      }
      losses.trials += 1;
      losses.trial = utterance;
      losses.nextTrialAtMs = now() + Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** losses.trials);
      log.info({ model, trials: losses.trials }, 'Paying for one text to test whether audio arrives');
      return () => {
        if (losses.trial !== utterance) return;
        losses.trials -= 1;
        losses.trial = undefined;
        losses.nextTrialAtMs = now();
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
    /** A SpeechError: the answer was lost, with what may have been paid for. `utterance` as for admit(). */
    lost(model: string, error: AudioError | SpeechError, utterance: object) {
      if (isFree && (error instanceof SpeechError || error.kind === 'too-short')) return;
      const losses = models.get(model) ?? noLosses();
      models.set(model, losses);
      if (losses.texts.has(utterance)) return;
      losses.texts.add(utterance);
      losses.count += 1;
      // Requests that were under way when payment stopped move no trial.
      if (losses.nextTrialAtMs !== undefined || losses.count < LOST_IN_A_ROW) return;
      losses.nextTrialAtMs = now() + FIRST_PAUSE_MS;
      const { count: lost } = losses;
      log.error({ err: error, model, lost }, 'Paid audio keeps getting lost: pausing paid requests');
      tell(
        error instanceof SpeechError
          ? text('account.lost-answers', { lost, model })
          : text('account.lost-sounds', { lost, model, why: CAUSES[error.kind] }),
      );
    },
    /** Each model of which audio was lost since the start, with whether payment has stopped for it now. */
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
