/** Does this now and again and again; of failures in a row the first one is told. The returned function ends that. */
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
