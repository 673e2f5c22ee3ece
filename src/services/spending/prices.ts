import type { Rate } from './ledger.ts';

interface PricesOptions {
  /** Prices of models that the bot learned from bills before its start. */
  readonly kept: ReadonlyMap<string, Rate>;
  /** Credits per character by model, as the owner stated them. Bills do not change these prices. */
  readonly stated: ReadonlyMap<string, number>;
  readonly keep: (model: string, rate: Rate) => Promise<void>;
}

/** The price that is assumed before the first bill, in credits per character: the price of the embedded service. */
const STARTING_PRICE = 1;
/** A bill for fewer characters than this does not change a known price: it may be the service's minimum charge. */
const MIN_CHARACTERS = 20;
/** The maximum factor by which a bill changes a price: a wrong bill could make the limits refuse all texts. */
const STEP = 100;
/** A bill above 1,000 times the highest known price is treated as an error of the service. */
const PLAUSIBLE_TIMES = 1_000;
/** The highest price that SPEECH_ENGINES accepts, in credits per character. A higher one is not plausible. */
const MAX_PER_CHARACTER = 100_000;

/** Prices in credits per character, from the owner's settings or from bills: the service states none. */
export function createPrices({ kept, stated, keep }: PricesOptions) {
  const learned = [...kept].map(([model, { characters, credits }]) => [model, credits / characters] as const);
  const prices = new Map([...learned, ...stated]);
  const dearest = () => Math.max(STARTING_PRICE, ...prices.values());

  return {
    /** The estimated cost of a text in whole credits, rounded up; undefined for a model without a known price. */
    estimate(model: string, characters: number): number | undefined {
      const price = prices.get(model);
      return price === undefined ? undefined : roundUp(characters * price);
    },
    /** The estimated cost of a text in credits; a model without a known price counts at the highest known price. */
    about: (model: string, characters: number): number => roundUp(characters * (prices.get(model) ?? dearest())),
    /** The highest plausible bill in credits for a text with this many characters, with any model. */
    mostPlausible(characters: number): number {
      const perCharacter = prices.size === 0 ? MAX_PER_CHARACTER : dearest() * PLAUSIBLE_TIMES;
      return Math.min(MAX_PER_CHARACTER, perCharacter) * Math.max(MIN_CHARACTERS, characters);
    },
    async learn(model: string, { characters, credits }: Rate): Promise<void> {
      if (stated.has(model) || !(characters > 0 && credits >= 0 && Number.isFinite(credits))) return;
      const known = prices.get(model);
      if (known && (credits === 0 || characters < MIN_CHARACTERS)) return;
      const before = known || STARTING_PRICE;
      const price = credits === 0 ? 0 : Math.min(before * STEP, Math.max(before / STEP, credits / characters));
      if (price === known) return;
      prices.set(model, price);
      await keep(model, { characters, credits: characters * price });
    },
  };
}

/** Rounds credits up without errors of binary fractions: 100 characters at 1.1 are 110 credits, not 111. */
const roundUp = (credits: number): number => Math.ceil(Number(credits.toFixed(6)));
