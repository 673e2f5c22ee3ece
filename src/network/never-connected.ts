const CODES: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Whether a request failed because there was no connection: the server has nothing of it. */
export const isNeverConnected = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && CODES.has(error.code);
