const DAY_MS = 24 * 60 * 60 * 1000;

/** Does this now and once a day; what fails is told, and tried again a day later. The returned function ends that. */
export function daily(work: () => unknown, onFailure: (error: unknown) => void): () => void {
  async function once(): Promise<void> {
    try {
      await work();
    } catch (error) {
      onFailure(error);
    }
  }
  void once();
  const timer = setInterval(once, DAY_MS).unref();
  return () => clearInterval(timer);
}
