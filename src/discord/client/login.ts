import { type Client, DiscordjsError, DiscordjsErrorCodes, Events } from 'discord.js';
import type { Config } from '../../config/config.ts';
import { OperatorError } from '../../errors/operator-error.ts';
import { abortable, DeadlineError } from '../../services/time/deadline.ts';

/**
 * The deadline until the next shard is ready: shards log in one after the other, 5 s apart, and discord.js waits 15 s for
 * servers that have an outage; the rest is a reserve for Discord.
 */
const SHARD_DEADLINE_MS = 60_000;

/**
 * Logs in and waits until the servers are known; `isWaiting` says that it takes longer for now and why is known: other processes
 * begin their sessions first, or Discord refuses requests for a while. Rejects with an error whose message says what to do.
 */
export async function logIn(
  client: Client,
  { token, apiUrl }: Config['discord'],
  signal: AbortSignal,
  isWaiting: () => boolean = () => false,
): Promise<Client<true>> {
  const ready = new Promise<Client<true>>((resolve) => {
    client.once(Events.ClientReady, resolve);
  });
  const stalled = new AbortController();
  const timer = setTimeout(() => {
    if (isWaiting()) timer.refresh();
    else stalled.abort(new DeadlineError(`No other shard became ready within ${SHARD_DEADLINE_MS} ms`));
  }, SHARD_DEADLINE_MS);
  const readyShards = new Set<number>();
  const onShardReady = (shardId: number) => {
    // A shard that reconnects repeatedly must not hide that others are missing.
    if (!readyShards.has(shardId)) timer.refresh();
    readyShards.add(shardId);
  };
  client.on(Events.ShardReady, onShardReady);
  try {
    return await abortable(
      client.login(token).then(() => ready),
      AbortSignal.any([signal, stalled.signal]),
    );
  } catch (error) {
    signal.throwIfAborted();
    throw explain(error, apiUrl);
  } finally {
    clearTimeout(timer);
    client.off(Events.ShardReady, onShardReady);
  }
}

function explain(error: unknown, apiUrl: URL | undefined): OperatorError {
  if (error instanceof OperatorError) return error;
  if (error instanceof DiscordjsError && error.code === DiscordjsErrorCodes.TokenInvalid) {
    return new OperatorError('Discord does not accept DISCORD_TOKEN', {
      remedy: 'copy it again from https://discord.com/developers/applications → your application → Bot → Reset Token',
      isWrongSetting: true,
      cause: error,
    });
  }
  if (error instanceof Error && !isOfNetwork(error)) {
    // For example the daily limit of sessions, and when it is lifted.
    return new OperatorError(`Logging in to Discord failed (${error.message})`, {
      remedy: `${apiUrl ? `check DISCORD_API_URL (${apiUrl.origin}), or ` : ''}start again when what it says is mended or has passed`,
      cause: error,
    });
  }
  const code = error instanceof Error ? codeOf(error) : undefined;
  return new OperatorError(`Logging in to Discord failed${code === undefined ? '' : ` (${code})`}`, {
    remedy: `check the network${apiUrl ? ` and DISCORD_API_URL (${apiUrl.origin})` : ''}, then start again`,
    cause: error,
  });
}

/** No answer arrived: the connection error's code from the system, undici or a deadline. */
function isOfNetwork(error: Error): boolean {
  if (error instanceof DeadlineError || error.name === 'AbortError' || error.name === 'TimeoutError') return true;
  return !(error instanceof DiscordjsError) && codeOf(error) !== undefined;
}

/** A code such as ENOTFOUND; the numeric code of a DOMException is meaningless to operators. */
const codeOf = (error: Error): string | undefined =>
  'code' in error && typeof error.code === 'string' ? error.code : undefined;
