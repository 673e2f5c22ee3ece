const NEVER_CONNECTED: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** True if a request failed because there was no connection, so the server received nothing. */
export const isNeverConnected = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && NEVER_CONNECTED.has(error.code);

/** Node's codes for a certificate from an authority that Node does not know, such as a company's own. */
const UNKNOWN_AUTHORITY = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
];

export function unknownAuthority(error: unknown): string | undefined {
  const code = String((error as NodeJS.ErrnoException | undefined)?.code);
  if (!UNKNOWN_AUTHORITY.includes(code)) return undefined;
  return `${code}: Node does not know the authority of its certificate; if it is your own, start with NODE_EXTRA_CA_CERTS=AUTHORITY.pem in the environment (not in .env)`;
}
