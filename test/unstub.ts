import { afterEach, vi } from 'vitest';

// Vitest undoes stubs only before the next test, after what the next file does before all of its tests, and faked time
// never.
afterEach(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
});
