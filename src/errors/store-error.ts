/** The store did not answer, in time or at all. Nothing is known about whether a write happened. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
}
