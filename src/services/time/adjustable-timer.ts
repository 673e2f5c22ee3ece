/** Longer delays make setTimeout fire at once. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/** Calls back after as long as `limitMs` says at that moment. Infinity: never. Keeps no process alive. */
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
    // The limit may have been raised without a word.
    if (performance.now() < sinceMs + limitMs()) {
      setTimer();
      return;
    }
    sinceMs = undefined;
    onOver();
  }

  return {
    /** Begins, unless it is under way. */
    start() {
      if (sinceMs !== undefined) return;
      sinceMs = performance.now();
      setTimer();
    },
    restart() {
      sinceMs = performance.now();
      setTimer();
    },
    /** Ends without the callback. */
    end() {
      sinceMs = undefined;
      clearTimeout(timer);
    },
    /** The limit has changed: a running time is measured by the new one. */
    measureAgain: setTimer,
  };
}
