/** The store did not answer, in time or at all. Whether a write happened is unknown. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
}
