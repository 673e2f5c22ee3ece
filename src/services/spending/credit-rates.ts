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

/** The price of so few characters may rest on odd bills: it is tried anew where it would refuse a text for good. */
const LITTLE_EVIDENCE_CHARACTERS = 500;

/**
 * Learns from a bill within bounds: an odd one, for which the service took a thousand times its price, must not refuse all
 * texts that follow. A real new price is reached after a few bills.
 */
export function learn(rate: Rate | undefined, billed: Rate): Rate | undefined {
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
  const characters = (rate?.characters ?? 0) + billed.characters;
  const credits = (rate?.credits ?? 0) + billed.characters * price;
  const share = characters > MEMORY_CHARACTERS ? 0.5 : 1;
  return { characters: characters * share, credits: credits * share };
}

/** After a trial at the starting price: a price that its bill does not bear out is forgotten, but not for one of 0. */
export function learnAnew(rate: Rate | undefined, billed: Rate): Rate | undefined {
  const isBorneOut = rate !== undefined && (billed.credits === 0 || priceOf(billed) >= priceOf(rate) / STEP);
  return learn(isBorneOut ? rate : undefined, billed);
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

/** Credits to reserve: by this model's rate, else by the dearest one that is known. */
export function creditsToReserve(rates: ReadonlyMap<string, Rate>, model: string, characters: number): number {
  const known = creditsAt(rates.get(model), characters);
  if (known !== undefined) return known;
  const dearest = Math.max(STARTING_CREDITS_PER_CHARACTER, ...[...rates.values()].map(priceOf));
  return roundUp(characters * dearest);
}

/** 7 characters at 0.1 are 1 credit, not the 0.7000000000000001 of binary fractions; 10 at 0.1 are 1, and not 2. */
function roundUp(credits: number): number {
  return Math.ceil(Number(credits.toFixed(6)));
}
