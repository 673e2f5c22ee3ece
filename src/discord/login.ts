import { type Client, DiscordjsError, DiscordjsErrorCodes, Events } from 'discord.js';
import type { Config } from '../config.ts';
import { OperatorError } from '../operator-error.ts';
import { withDeadline } from '../services/deadline.ts';

/** discord.js waits 15 s for servers that have an outage; the rest is Discord's to take. */
const READY_DEADLINE_MS = 60_000;

/** Logs in and waits until the servers are known. Rejects with an error whose message says what to do. */
export async function logIn(
  client: Client,
  { token, apiUrl }: Config['discord'],
  signal: AbortSignal,
): Promise<Client<true>> {
  const ready = new Promise<Client<true>>((resolve) => {
    client.once(Events.ClientReady, resolve);
  });
  const login = client.login(token).then(() => ready);
  try {
    return await withDeadline(login, { timeoutMs: READY_DEADLINE_MS, what: 'Logging in to Discord', signal });
  } catch (error) {
    signal.throwIfAborted();
    throw explain(error, apiUrl);
  }
}

function explain(error: unknown, apiUrl: URL | undefined): OperatorError {
  if (error instanceof DiscordjsError && error.code === DiscordjsErrorCodes.TokenInvalid) {
    return new OperatorError('Discord does not accept DISCORD_TOKEN', {
      remedy: 'copy it again from https://discord.com/developers/applications → your application → Bot → Reset Token',
      cause: error,
    });
  }
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return new OperatorError(`Logging in to Discord failed${code === undefined ? '' : ` (${code})`}`, {
    remedy: `check the network${apiUrl ? ` and DISCORD_API_URL (${apiUrl.origin})` : ''}, then start again`,
    cause: error,
  });
}
