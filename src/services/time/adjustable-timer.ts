/** The maximum delay of setTimeout: timers with longer delays fire at once. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/** Calls `onOver` after `limitMs()`, which is read again when the timer fires; Infinity means never. */
export function createAdjustableTimer(limitMs: () => number, onOver: () => void) {
  let sinceMs: number | undefined;
  let timer: NodeJS.Timeout | undefined;

  function setTimer(): void {
    clearTimeout(timer);
    if (sinceMs === undefined) return;
    const leftMs = sinceMs + limitMs() - performance.now();
    timer = setTimeout(onTimer, Math.min(Math.max(0, leftMs), MAX_DELAY_MS)).unref();
  }

  function onTimer(): void {
    if (sinceMs === undefined) return;
    // The timer's limit may have been raised without a call of measureAgain(), so the timer may have to run longer.
    if (performance.now() < sinceMs + limitMs()) {
      setTimer();
      return;
    }
    sinceMs = undefined;
    onOver();
  }

  return {
    start() {
      if (sinceMs !== undefined) return;
      sinceMs = performance.now();
      setTimer();
    },
    restart() {
      sinceMs = performance.now();
      setTimer();
    },
    end() {
      sinceMs = undefined;
      clearTimeout(timer);
    },
    measureAgain: setTimer,
  };
}
