import { inspectPostgres } from '../services/storage/postgres/connections.ts';
import { postgresProblem } from '../services/storage/sql.ts';
import { withDeadline } from '../services/time/deadline.ts';
import { blocking, type Finding, good, reason } from './finding.ts';

const TIMEOUT_MS = 5_000;
const MEANS = 'The bot cannot read or keep its settings, and does not start.';

/** The PostgreSQL of STORE_URL: whether it answers, and takes the bot's tables. Changes nothing there. */
export async function checkSharedStore(url: string, signal: AbortSignal): Promise<Finding> {
  const { host, pathname } = new URL(url);
  const where = `database ${decodeURIComponent(pathname.slice(1))} at ${host}`;
  try {
    const inspecting = inspectPostgres(url);
    const { version, mayMakeTables } = await withDeadline(inspecting, {
      timeoutMs: TIMEOUT_MS,
      what: 'Asking it',
      signal,
    });
    if (mayMakeTables) return good('STORE_URL', `PostgreSQL ${version}, ${where}`);
    return blocking('STORE_URL', {
      found: `PostgreSQL ${version}, ${where}: the user may make no tables there`,
      means: MEANS,
      remedy: 'Let STORE_URL name the owner of the database, or grant that user CREATE on it.',
    });
  } catch (error) {
    return blocking('STORE_URL', {
      found: `${where}: ${postgresProblem(error) ?? reason(error)}`,
      means: MEANS,
      remedy: 'Check the address, the user and the password, and that PostgreSQL runs and lets this machine in.',
    });
  }
}
