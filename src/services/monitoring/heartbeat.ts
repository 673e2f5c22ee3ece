import { rmSync, writeFileSync } from 'node:fs';
import type { Logger } from 'pino';

/** The health check of the image takes a heartbeat older than a minute for a bot that hangs (scripts/healthcheck.mjs). */
const BEAT_MS = 15_000;

/**
 * Writes our process id into the file now and every 15 s: as long as the event loop turns, whatever Discord's state is.
 * Health checks need no port for this.
 */
export function startHeartbeat({ path, log }: { readonly path: string; readonly log: Logger }) {
  const beat = () => {
    try {
      writeFileSync(path, `${process.pid}\n`, { mode: 0o600 });
    } catch (error) {
      // A full disk makes the health check fail, which is right; the bot itself can still speak.
      log.warn({ err: error }, 'The heartbeat could not be written');
    }
  };
  beat();
  const timer = setInterval(beat, BEAT_MS);
  timer.unref();
  return {
    /** Removes the file: a bot that has ended is not one that hangs. */
    close() {
      clearInterval(timer);
      rmSync(path, { force: true });
    },
  };
}
