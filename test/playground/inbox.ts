import { vi } from 'vitest';

/** What `find` finds in what came or comes; rejects after 30 s with all that came instead. */
export const until = <Found>(find: () => Found | undefined, came: () => string): Promise<Found> =>
  vi.waitFor(
    () => {
      const found = find();
      if (found === undefined) throw new Error(`Not come; came: ${came()}`);
      return found;
    },
    { timeout: 30_000, interval: 2 },
  );
