import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Real processes, sockets and native add-ons: each file gets a process of its own.
    pool: 'forks',
    // The end-to-end tests mostly wait for speech to be spoken: three at a time keep two cores busy, not more.
    maxWorkers: 3,
    // Speech takes as long as it takes to speak, and a busy machine longer: this is for what hangs. What must be quick
    // has a deadline of its own in its test.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    restoreMocks: true,
    unstubEnvs: true,
    // Hundreds of bots are started: Node need not compile the same program each time.
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL('./node_modules/.cache/node/', import.meta.url)) },
    // Files have nothing in common that an order could change; the longest must not come last.
    sequence: { shuffle: { tests: true, files: false } },
  },
});
