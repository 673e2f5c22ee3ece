import { afterEach, vi } from 'vitest';

// Vitest undoes it only before the next test, after what the next file does before all of its tests.
afterEach(() => {
  vi.unstubAllEnvs();
});
