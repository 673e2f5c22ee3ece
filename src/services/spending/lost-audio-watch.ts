import type { Logger } from 'pino';
import type { AudioError, AudioErrorKind } from '../../audio/clips/clip.ts';
import { refusal, UserError } from '../../errors/user-errors.ts';
import { SpeechError } from '../../speech/errors.ts';
import { type Text, text } from '../../texts/catalog.ts';

/** Paid requests pause after this many texts in a row have lost paid audio: the losses then probably share a cause. */
const LOST_IN_A_ROW = 3;
/** How long paid requests pause before one text is paid for as a trial. Each trial doubles the pause, up to MAX_PAUSE_MS. */
const FIRST_PAUSE_MS = 30_000;
const MAX_PAUSE_MS = 30 * 60_000;

/** The circuit breaker's state for one model: the losses of paid audio since audio of the model last arrived. */
const noLosses = () => ({
  count: 0,
  /** When one text may be paid for as a trial; undefined unless paid requests are paused. */
  nextTrialAtMs: undefined as number | undefined,
  trials: 0,
  /** The text paid for as a trial. admit() allows all its parts, even before audio of the first part has arrived. */
  trial: undefined as object | undefined,
  /** Texts that have lost paid audio. Each text counts once, even if several of its parts are lost. */
  texts: new WeakSet<object>(),
});

interface LostAudioWatchOptions {
  /** True if speech is free: lost answers cost nothing then, so they do not pause requests. */
  readonly isFree: boolean;
  /** Messages the bot's owner. Never rejects: if no owner can be reached, `failure` is logged. */
  readonly notify: (message: Text, failure: string) => Promise<void>;
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
 * Stops payment for a model whose paid audio no longer arrives, except for trials at growing intervals. The owner gets
 * a message when payment stops and when it resumes.
 */
export function createLostAudioWatch({ notify, log, isFree }: LostAudioWatchOptions) {
  // A model that has lost paid audio stays in this map for the metrics. When its audio arrives again, its losses are reset.
  const models = new Map<string, ReturnType<typeof noLosses>>();
  let lastNotice: Promise<void> = Promise.resolve();

  function tell(message: Text): void {
    lastNotice = lastNotice.then(() => notify(message, 'Paid audio was lost: could not message the bot’s owner'));
  }

  return {
    /**
     * Throws a UserError while payment is paused and no trial is due. If the request is not billed, call the returned
     * function: then the next text is the trial. `utterance` is the same object for all parts of a text.
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
      log.info({ model, trialNumber: losses.trials }, 'Paid requests still paused: one text tests if audio arrives');
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
      log.info({ model }, 'Paid audio arrives again: paid requests resume');
      tell(text('account.sounds-arrive', { model }));
    },
    /** A SpeechError is a lost answer, which may have been billed. An AudioError means unusable billed audio. */
    lost(model: string, error: AudioError | SpeechError, utterance: object) {
      if (isFree && (error instanceof SpeechError || error.kind === 'too-short')) return;
      const losses = models.get(model) ?? noLosses();
      models.set(model, losses);
      if (losses.texts.has(utterance)) return;
      losses.texts.add(utterance);
      losses.count += 1;
      // While paid requests are paused, lost audio does not change the time of the next trial: admit() has set it.
      if (losses.nextTrialAtMs !== undefined || losses.count < LOST_IN_A_ROW) return;
      losses.nextTrialAtMs = performance.now() + FIRST_PAUSE_MS;
      const { count: lost } = losses;
      log.error(
        { err: error, model, lostTexts: lost },
        'Paid audio stopped arriving: refusing texts that cost credits',
      );
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

export type PaidAudio = ReturnType<typeof createLostAudioWatch>;
