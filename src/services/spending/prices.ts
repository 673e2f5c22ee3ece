import type { Rate } from './ledger.ts';

interface PricesOptions {
  /** The prices kept at the last end. */
  readonly kept: ReadonlyMap<string, Rate>;
  /** Credits for a character by model, whatever a bill says. */
  readonly stated: ReadonlyMap<string, number>;
  readonly keep: (model: string, rate: Rate) => Promise<void>;
}

/** Before the first bill of any model: what the embedded service takes. */
const STARTING_PRICE = 1;
/** Shorter texts may cost the least that a service takes for one: they teach no price to a model that has one. */
const MIN_CHARACTERS = 20;
/**
 * A bill moves a price by up to this factor. If the bill was an error of the service, a shorter text still fits below a
 * limit, and its bill corrects the price.
 */
const STEP = 100;
/** A bill above this multiple of the highest known price is an error. */
const PLAUSIBLE_TIMES = 1_000;
/** The highest price that the engines file accepts. */
const MAX_PER_CHARACTER = 100_000;

/**
 * The price of each model: what the owner stated, or what the last bill shows. The interface's document says that characters are billed
 * and credits are taken, but not how many: an account's own bills are the only source.
 */
export function createPrices({ kept, stated, keep }: PricesOptions) {
  const learned = [...kept].map(([model, { characters, credits }]) => [model, credits / characters] as const);
  const prices = new Map([...learned, ...stated]);
  const dearest = () => Math.max(STARTING_PRICE, ...prices.values());

  return {
    /** Whole credits; undefined for a model that was never billed. */
    estimate(model: string, characters: number): number | undefined {
      const price = prices.get(model);
      return price === undefined ? undefined : roundUp(characters * price);
    },
    /** Whole credits; a model that was never billed counts at the highest known price. */
    about: (model: string, characters: number): number => roundUp(characters * (prices.get(model) ?? dearest())),
    /** The highest plausible bill for this many characters, with any model. */
    mostPlausible(characters: number): number {
      const perCharacter = prices.size === 0 ? MAX_PER_CHARACTER : dearest() * PLAUSIBLE_TIMES;
      return Math.min(MAX_PER_CHARACTER, perCharacter) * Math.max(MIN_CHARACTERS, characters);
    },
    async learn(model: string, { characters, credits }: Rate): Promise<void> {
      // A bill without its characters says nothing about the next one.
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

/** 7 characters at 0.1 are 1 credit, not the 0.7000000000000001 of binary fractions; 10 at 0.1 are 1, and not 2. */
const roundUp = (credits: number): number => Math.ceil(Number(credits.toFixed(6)));
