import { DISCORD_LIMITS } from '../../discord/replies/limits.ts';

/** A list after picking in a menu that shows the first ones of it: those behind them stay. Undefined when none is left. */
export function withPicked(
  before: readonly string[] | undefined,
  picked: readonly string[],
): [string, ...string[]] | undefined {
  const unseen = (before ?? []).slice(DISCORD_LIMITS.menuOptions);
  const [first, ...others] = new Set([...picked, ...unseen]);
  return first === undefined ? undefined : [first, ...others];
}
