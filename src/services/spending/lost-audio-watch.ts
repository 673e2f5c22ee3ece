import type { Logger } from 'pino';
import type { AudioError, AudioErrorKind } from '../../audio/audio-error.ts';
import { refusal } from '../../errors/refusals.ts';
import { UserError } from '../../errors/user-errors.ts';
import { SpeechError } from '../../speech/errors.ts';
import { type Text, text } from '../../texts/catalogue.ts';
import { afterLoss, afterTrial, type LostInARow, NONE_LOST } from './lost-in-a-row.ts';

interface LostAudioWatchOptions {
  /** An answer that is lost costs nothing then, and the next one may come. */
  readonly isFree?: boolean;
  /** Writes to the owners; its failures are logged here. */
  readonly notify: (message: Text) => Promise<void>;
  readonly log: Logger;
  /** Those that fail together, by a name for all of them: where one engine speaks for several models. Default: each alone. */
  readonly groupOf?: (model: string) => string;
  /** A clock that never goes back. */
  readonly now?: () => number;
}

/** Ways of losing audio: a host that goes down refuses connections, answers with errors and breaks off, all for one cause. */
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

/** The permission to pay for one text. */
interface Admission {
  /** Nothing was billed for it, and so nothing was learned. */
  takeBack(): void;
}

const NO_TRIAL: Admission = { takeBack: () => undefined };

/**
 * Told of paid audio, it ends payment where none arrives any more, but for a trial at growing intervals; the owner is told
 * of both ends. By model: each may have its own audio host and format.
 */
export function createLostAudioWatch({
  notify,
  log,
  isFree = false,
  groupOf = (model) => model,
  now = performance.now.bind(performance),
}: LostAudioWatchOptions) {
  // As many entries as the service has models.
  const models = new Map<string, LostInARow>();
  /** The trial that a text is, by model and number: its other parts are asked for before the first has arrived. */
  const trialTexts = new WeakMap<object, string>();
  /** The models of which a part of a text was lost: its other parts were on their way by then, and are no further loss. */
  const lostTexts = new WeakMap<object, Set<string>>();
  let lastNotice: Promise<void> = Promise.resolve();

  const of = (model: string): LostInARow => models.get(model) ?? NONE_LOST;

  /** In the order of the events. */
  function tell(message: Text): void {
    lastNotice = lastNotice
      .then(() => notify(message))
      .catch((error: unknown) => {
        log.warn({ err: error }, 'The owner could not be told in Discord of what becomes of paid audio');
      });
  }

  return {
    /**
     * Throws a UserError where payment has stopped and it is not yet time for a trial. `utterance` is the same object for all
     * parts of one text.
     */
    admit(ofModel: string, utterance?: object): Admission {
      const model = groupOf(ofModel);
      const before = of(model);
      if (before.nextTrialAtMs === undefined) return NO_TRIAL;
      const waitMs = before.nextTrialAtMs - now();
      if (utterance && trialTexts.get(utterance) === `${model} ${before.trials}`) return NO_TRIAL;
      if (waitMs > 0) {
        const when = `<t:${Math.ceil((Date.now() + waitMs) / 1000)}:R>`;
        throw new UserError(refusal('lost-audio', { when, others: model === ofModel ? 'some' : 'none' }));
      }
      const trial = afterTrial(before, now());
      models.set(model, trial);
      if (utterance) trialTexts.set(utterance, `${model} ${trial.trials}`);
      log.info({ model, trials: trial.trials }, 'One text is paid for as a trial of whether its audio arrives');
      return {
        takeBack() {
          if (of(model) === trial) models.set(model, before);
        },
      };
    },
    arrived(ofModel: string) {
      const model = groupOf(ofModel);
      const before = of(model);
      if (before === NONE_LOST) return;
      models.set(model, NONE_LOST);
      if (before.nextTrialAtMs === undefined) return;
      log.info({ model }, 'Paid audio arrives again: new texts are paid for');
      tell(text('account.sounds-arrive', { model }));
    },
    /** A SpeechError: the answer was lost, with what may have been paid for. `utterance` as for admit(). */
    lost(ofModel: string, error: AudioError | SpeechError, utterance?: object) {
      const model = groupOf(ofModel);
      if (isFree && (error instanceof SpeechError || error.kind === 'too-short')) return;
      if (utterance) {
        const lostOf = lostTexts.get(utterance) ?? new Set();
        if (lostOf.has(model)) return;
        lostTexts.set(utterance, lostOf.add(model));
      }
      const before = of(model);
      const why = error instanceof SpeechError ? 'unanswered' : CAUSES[error.kind];
      const after = afterLoss(before, why, now());
      models.set(model, after);
      if (after.nextTrialAtMs === undefined || before.nextTrialAtMs !== undefined) return;
      const lost = after.count;
      log.error({ err: error, model, lost }, 'Speech is paid for and its audio cannot be had: no more is paid for');
      tell(
        why === 'unanswered'
          ? text('account.lost-answers', { lost, model })
          : text('account.lost-sounds', { lost, model, why }),
      );
    },
    /** Each model of which audio was lost since the start, with whether payment has stopped for it now. */
    models: (): Iterable<readonly [model: string, isStopped: boolean]> =>
      [...models].map(([model, { nextTrialAtMs }]) => [model, nextTrialAtMs !== undefined]),
  };
}

export type PaidAudio = ReturnType<typeof createLostAudioWatch>;
