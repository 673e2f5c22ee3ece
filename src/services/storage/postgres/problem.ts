/** By PostgreSQL's SQLSTATE (https://www.postgresql.org/docs/current/errcodes-appendix.html), or the system's code. */
const PROBLEMS: readonly (readonly [code: RegExp, problem: string])[] = [
  [/^(ECONNREFUSED|ENOENT|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|ECONNRESET|EPIPE)$/, 'PostgreSQL cannot be reached'],
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'the host of PostgreSQL is not known'],
  [/^28/, 'PostgreSQL refuses the user or the password'],
  [/^3D000$/, 'PostgreSQL has no such database'],
  [/^42501$/, 'the user may not make or use the tables'],
  [/^53100$/, 'the disk of PostgreSQL is full'],
  [/^53300$/, 'PostgreSQL takes no more connections'],
  [/^(57P0[123]|08)/, 'PostgreSQL is being stopped or started'],
  [/^(57014|55P03)$/, 'PostgreSQL is too slow'],
  [/^25006$/, 'PostgreSQL only lets itself be read'],
];

/** What is wrong with PostgreSQL, in words; undefined for errors that say nothing of it. */
export function postgresProblem(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return PROBLEMS.find(([pattern]) => pattern.test(code))?.[1];
}
