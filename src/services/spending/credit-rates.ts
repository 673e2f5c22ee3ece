/**
 * What a model was billed at, as two sums of which the older part weighs less and less. The interface's document says
 * that characters are billed and credits are taken, but not how many: an account's own bills are the only source.
 */
export interface Rate {
  readonly characters: number;
  readonly credits: number;
}

/** Beyond so many characters the sums are halved, so that a changed price is believed after about as many again. */
const MEMORY_CHARACTERS = 20_000;

/** Before the first bill of any model: what the embedded service takes. */
const STARTING_CREDITS_PER_CHARACTER = 1;

/** One bill never moves a price further than by this factor, nor the first one further than by that of a first bill. */
const STEP = 2;
const FIRST_STEP = 10;

/** Shorter texts may cost the least that a service takes for one. */
const LEAST_OF_A_PRICE_CHARACTERS = 20;

/** The price of so few characters may rest on odd bills: it is tried anew where it would refuse a text for good. */
const LITTLE_EVIDENCE_CHARACTERS = 500;

/**
 * Learns from a bill within bounds: an odd one, for which the service took a thousand times its price, must not refuse all
 * texts that follow. A real new price is reached after a few bills; at the second one beyond the bounds, where a price rested
 * on little before and that bill bears out the `previous` one, as the service then takes that much.
 */
export function learn(rate: Rate | undefined, billed: Rate, previous?: Rate): Rate | undefined {
  // A bill without its characters says nothing about the next one, nor does something given away of a model that has a price.
  if (!(billed.characters > 0 && billed.credits >= 0)) return rate;
  if (!Number.isFinite(billed.credits)) return rate;
  const hasPrice = rate !== undefined && rate.credits > 0;
  if (billed.credits === 0) {
    return hasPrice ? rate : { characters: (rate?.characters ?? 0) + billed.characters, credits: 0 };
  }
  // No step leads away from 0: a model that was free begins anew.
  if (rate && !hasPrice) return learn(undefined, billed);
  const before = rate ? priceOf(rate) : STARTING_CREDITS_PER_CHARACTER;
  const step = rate ? STEP : FIRST_STEP;
  const price = Math.min(before * step, Math.max(before / step, priceOf(billed)));
  if (rate && previous && price !== priceOf(billed) && bearOut(rate, previous, billed)) {
    return { characters: previous.characters + billed.characters, credits: previous.credits + billed.credits };
  }
  const characters = (rate?.characters ?? 0) + billed.characters;
  const credits = (rate?.credits ?? 0) + billed.characters * price;
  const share = characters > MEMORY_CHARACTERS ? 0.5 : 1;
  return { characters: characters * share, credits: credits * share };
}

/** Whether a bill, the last one that went into the rate, is of a text long enough for a price, and little was billed before. */
const showsPrice = (rate: Rate, last: Rate): boolean =>
  last.characters >= LEAST_OF_A_PRICE_CHARACTERS && rate.characters - last.characters < LITTLE_EVIDENCE_CHARACTERS;

/** Whether another bill agrees with such a one. */
function bearOut(rate: Rate, previous: Rate, billed: Rate): boolean {
  const [least, most] = [priceOf(previous), priceOf(billed)].sort((a, b) => a - b) as [number, number];
  return (
    showsPrice(rate, previous) && billed.characters >= LEAST_OF_A_PRICE_CHARACTERS && least > 0 && most <= least * STEP
  );
}

/** The price to go by: the last bill's where that is dearer and little was billed before. People agree to what it says. */
export const dearer = (rate: Rate, last: Rate | undefined): Rate =>
  last && showsPrice(rate, last) && priceOf(last) > priceOf(rate) ? last : rate;

/** After a trial at the starting price: a price that its bill does not bear out is forgotten, but not for one of 0. */
export function learnAnew(rate: Rate | undefined, billed: Rate, previous?: Rate): Rate | undefined {
  const isBorneOut = rate !== undefined && (billed.credits === 0 || priceOf(billed) >= priceOf(rate) / STEP);
  return isBorneOut ? learn(rate, billed, previous) : learn(undefined, billed);
}

/** The same price, resting on so little that it is tried anew. */
export function asUncertain(rate: Rate): Rate {
  const share = Math.min(1, (LITTLE_EVIDENCE_CHARACTERS - 1) / rate.characters);
  return { characters: rate.characters * share, credits: rate.credits * share };
}

/** The same price, resting on fewer characters the longer ago its last bill is: half as many each day. */
export function aged({ characters, credits }: Rate, days: number): Rate {
  const share = 0.5 ** Math.max(0, days);
  return { characters: characters * share, credits: credits * share };
}

/** Whether a price may be an error: it was never billed, or for a few characters, or long ago. */
export const isUncertain = (rate: Rate | undefined): boolean =>
  rate === undefined || rate.characters < LITTLE_EVIDENCE_CHARACTERS;

const priceOf = ({ characters, credits }: Rate): number => credits / characters;

/** What a trial reserves. */
export const creditsOfTrial = (characters: number): number => roundUp(characters * STARTING_CREDITS_PER_CHARACTER);

/** Whole credits, rounded up; undefined for a model that was never billed. */
export function creditsAt(rate: Rate | undefined, characters: number): number | undefined {
  return rate && roundUp((characters * rate.credits) / rate.characters);
}

/** A bill of more than so many times the dearest known price is an error. */
const PLAUSIBLE_TIMES = 1_000;
/** The same for one character, whatever is known: the dearest that an engine's can be stated to be. */
const MOST_CREDITS_PER_CHARACTER = 100_000;

/** The most that a bill for so many characters can be: what an account could bear for any model, or an error. */
export function mostPlausibleCredits(rates: ReadonlyMap<string, Rate>, characters: number): number {
  const dearest = rates.size === 0 ? Number.POSITIVE_INFINITY : dearestPrice(rates);
  const perCharacter = Math.min(MOST_CREDITS_PER_CHARACTER, dearest * PLAUSIBLE_TIMES);
  return perCharacter * Math.max(LEAST_OF_A_PRICE_CHARACTERS, characters);
}

const dearestPrice = (rates: ReadonlyMap<string, Rate>): number =>
  Math.max(STARTING_CREDITS_PER_CHARACTER, ...[...rates.values()].map(priceOf));

/** Credits to reserve: by this model's rate, else by the dearest one that is known. */
export function creditsToReserve(rates: ReadonlyMap<string, Rate>, model: string, characters: number): number {
  const known = creditsAt(rates.get(model), characters);
  if (known !== undefined) return known;
  return roundUp(characters * dearestPrice(rates));
}

/** 7 characters at 0.1 are 1 credit, not the 0.7000000000000001 of binary fractions; 10 at 0.1 are 1, and not 2. */
function roundUp(credits: number): number {
  return Math.ceil(Number(credits.toFixed(6)));
}
