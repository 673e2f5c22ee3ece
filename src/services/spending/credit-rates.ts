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

export function learn(rate: Rate | undefined, billed: Rate): Rate | undefined {
  // Something given away, or a bill without its characters, says nothing about the next one.
  if (!(billed.characters > 0 && billed.credits > 0)) return rate;
  const characters = (rate?.characters ?? 0) + billed.characters;
  const credits = (rate?.credits ?? 0) + billed.credits;
  const share = characters > MEMORY_CHARACTERS ? 0.5 : 1;
  return { characters: characters * share, credits: credits * share };
}

/** Whole credits, rounded up; undefined for a model that was never billed. */
export function creditsAt(rate: Rate | undefined, characters: number): number | undefined {
  return rate && roundUp((characters * rate.credits) / rate.characters);
}

/** Credits to reserve: by this model's rate, else by the dearest one that is known. */
export function creditsToReserve(rates: ReadonlyMap<string, Rate>, model: string, characters: number): number {
  const known = creditsAt(rates.get(model), characters);
  if (known !== undefined) return known;
  const dearest = Math.max(
    STARTING_CREDITS_PER_CHARACTER,
    ...[...rates.values()].map((rate) => rate.credits / rate.characters),
  );
  return roundUp(characters * dearest);
}

/** 7 characters at 0.1 are 1 credit, not the 0.7000000000000001 of binary fractions; 10 at 0.1 are 1, and not 2. */
function roundUp(credits: number): number {
  return Math.ceil(Number(credits.toFixed(6)));
}
