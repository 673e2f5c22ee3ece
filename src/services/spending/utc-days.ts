/** Days and months of UTC, as they are counted: '2026-11-21' and all days that begin with '2026-11'. */
interface Day {
  readonly day: string;
  readonly firstOfMonth: string;
  /** When the next day begins, in milliseconds since 1970. */
  readonly renewsAtMs: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;

export function dayAt(atMs: number): Day {
  const day = new Date(atMs).toISOString().slice(0, 10);
  return { day, firstOfMonth: `${day.slice(0, 7)}-01`, renewsAtMs: Math.floor(atMs / DAY_MS) * DAY_MS + DAY_MS };
}

/** The last day of the month after this one: until then a day's figures are shown. */
export function endOfNextMonth(atMs: number): string {
  const at = new Date(atMs);
  return dayAt(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 2, 0)).day;
}
