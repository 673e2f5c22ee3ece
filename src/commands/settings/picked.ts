/** Discord's limit on what a menu of roles, members or channels takes, and so on what it shows as chosen. */
export const MENU_CHOICES = 25;

/** A list after picking in a menu that shows the first ones of it: those behind them stay. Undefined when none is left. */
export function withPicked(
  before: readonly string[] | undefined,
  picked: readonly string[],
): [string, ...string[]] | undefined {
  const unseen = (before ?? []).slice(MENU_CHOICES);
  const [first, ...others] = new Set([...picked, ...unseen]);
  return first === undefined ? undefined : [first, ...others];
}
