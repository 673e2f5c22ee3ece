/** Runs `work` now and every `everyMs`. Reports only the first of several failures in a row. */
export function repeat(everyMs: number, work: () => unknown, onFailure: (error: unknown) => void): () => void {
  let isFailing = false;
  async function once(): Promise<void> {
    try {
      await work();
      isFailing = false;
    } catch (error) {
      if (!isFailing) onFailure(error);
      isFailing = true;
    }
  }
  void once();
  const timer = setInterval(once, everyMs).unref();
  return () => clearInterval(timer);
}
