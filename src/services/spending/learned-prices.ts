import {
  aged,
  asUncertain,
  creditsAt,
  creditsOfTrial,
  creditsToReserve,
  dearer,
  isUncertain,
  learn,
  learnAnew,
  mostPlausibleCredits,
  type Rate,
} from './credit-rates.ts';

interface LearnedPricesOptions {
  /** As they were kept at the last end. */
  readonly rates: ReadonlyMap<string, Rate>;
  /** Credits for a character by model, whatever a bill says. */
  readonly stated?: ReadonlyMap<string, number> | undefined;
  readonly keep: (model: string, rate: Rate) => Promise<void>;
  readonly now: () => number;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** Between two trials of a model's price: each of them may be billed beyond a limit. Doubles with each. */
const FIRST_TRIAL_PAUSE_MS = 10 * 60_000;
const LONGEST_TRIAL_PAUSE_MS = DAY_MS;

interface Trials {
  readonly count: number;
  readonly nextAtMs: number;
}

/** What this account's bills say of each model's price, how old that is, and when it may be tried anew. */
export function createLearnedPrices({ rates: kept, stated, keep, now }: LearnedPricesOptions) {
  const fixed = [...(stated ?? [])].map(([model, credits]) => [model, { characters: 1, credits }] as const);
  const rates = new Map([...kept, ...fixed]);
  // How old a kept price is, is not kept with it: a day, so that one that stays wrong ages with every start.
  const billedAtMs = new Map([...kept.keys()].map((model) => [model, now() - DAY_MS]));
  const trials = new Map<string, Trials>();
  const previous = new Map<string, Rate>();
  /** Models whose only bill was one of 0. */
  const givenOnce = new Set<string>();

  function rateOf(model: string): Rate | undefined {
    const rate = rates.get(model);
    return rate && aged(rate, (now() - (billedAtMs.get(model) ?? now())) / DAY_MS);
  }

  const present = (model: string, rate: Rate): Rate => dearer(rate, previous.get(model));
  const presentRates = () => new Map([...rates].map(([model, rate]) => [model, present(model, rate)]));

  /** It rests on too little, or on the last bill alone. */
  function mayBeWrong(model: string): boolean {
    const rate = rates.get(model);
    return isUncertain(rateOf(model)) || (rate !== undefined && present(model, rate) !== rate);
  }

  return {
    /** Whole credits; undefined for a model that was never billed. */
    estimate(model: string, characters: number): number | undefined {
      const rate = rates.get(model);
      return creditsAt(rate && present(model, rate), characters);
    },
    /** Credits to reserve. */
    about: (model: string, characters: number) => creditsToReserve(presentRates(), model, characters),
    /** The most that a bill for so many characters can be, of whichever model. */
    mostPlausible: (characters: number) => mostPlausibleCredits(presentRates(), characters),
    /** Credits to reserve for a trial. */
    aboutOfTrial: creditsOfTrial,
    /** Whether a price that refuses a text for good may be an error, and its last trial is long enough ago. */
    mayTry: (model: string): boolean =>
      !stated?.has(model) && mayBeWrong(model) && now() >= (trials.get(model)?.nextAtMs ?? 0),
    /** Begins a trial, before anything is awaited; to be taken back where nothing was reserved for it. */
    tried(model: string): { takeBack(): void } {
      const before = trials.get(model);
      const count = before?.count ?? 0;
      const pauseMs = Math.min(LONGEST_TRIAL_PAUSE_MS, FIRST_TRIAL_PAUSE_MS * 2 ** count);
      trials.set(model, { count: count + 1, nextAtMs: now() + pauseMs });
      return { takeBack: () => void (before ? trials.set(model, before) : trials.delete(model)) };
    },
    async learn(model: string, billed: Rate, isTrial: boolean): Promise<void> {
      if (stated?.has(model)) return;
      const before = rateOf(model);
      // One may have been given away: it takes two of them, and none with credits, to believe that a model is free.
      if (!before && billed.credits === 0 && !givenOnce.has(model)) {
        givenOnce.add(model);
        return;
      }
      const rate = (isTrial ? learnAnew : learn)(before, billed, previous.get(model));
      if (!rate || rate === before) return;
      previous.set(model, billed);
      rates.set(model, rate);
      billedAtMs.set(model, now());
      const shown = present(model, rate);
      // What the last bill alone shows is known after a restart too, and may still be an error.
      await keep(model, shown === rate ? rate : asUncertain(shown));
    },
  };
}
