import {
  type Client,
  type ClientOptions,
  DiscordjsError,
  DiscordjsErrorCodes,
  Events,
  GatewayCloseCodes,
  Status,
} from 'discord.js';
import type { Logger } from 'pino';
import type { Config } from '../../config/config.ts';
import { OperatorError } from '../../errors/operator-error.ts';
import type { TakeIdentifyTurn } from '../../services/cells/ownership.ts';
import { abortable, DeadlineError, withDeadline } from '../../services/time/timers.ts';

/** Maximum time until the next shard is ready: shards log in 5 s apart, discord.js waits 15 s for servers in an outage, plus a margin. */
const SHARD_DEADLINE_MS = 60_000;

/**
 * Rejects with an error that tells operators what to do, also if no further shard becomes ready before the deadline. The
 * deadline starts over while `isWaiting` is true, because other processes log in first or Discord rejects requests.
 */
export async function logIn(
  client: Client,
  { token, apiUrl }: Config['discord'],
  signal: AbortSignal,
  isWaiting: () => boolean = () => false,
): Promise<Client<true>> {
  const ready = Promise.withResolvers<Client<true>>();
  client.once(Events.ClientReady, ready.resolve);
  const stalled = new AbortController();
  const timer = setTimeout(() => {
    if (isWaiting()) timer.refresh();
    else stalled.abort(new DeadlineError(`No other shard became ready within ${SHARD_DEADLINE_MS} ms`));
  }, SHARD_DEADLINE_MS);
  const readyShards = new Set<number>();
  const onShardReady = (shardId: number) => {
    // A shard that keeps reconnecting must not hide that other shards are missing.
    if (!readyShards.has(shardId)) timer.refresh();
    readyShards.add(shardId);
  };
  client.on(Events.ShardReady, onShardReady);
  try {
    return await abortable(
      client.login(token).then(() => ready.promise),
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
    return wrongToken('Discord does not accept DISCORD_TOKEN', error);
  }
  if (error instanceof Error && !isOfNetwork(error)) {
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

const wrongToken = (what: string, cause?: unknown) =>
  new OperatorError(what, {
    remedy: 'copy it again from https://discord.com/developers/applications → your application → Bot → Reset Token',
    isWrongSetting: true,
    cause,
  });

/** True if a request got no answer: a network error of the system or of undici, or a deadline. */
function isOfNetwork(error: Error): boolean {
  if (error instanceof DeadlineError || error.name === 'AbortError' || error.name === 'TimeoutError') return true;
  return !(error instanceof DiscordjsError) && codeOf(error) !== undefined;
}

/** Returns an error's code, such as ENOTFOUND, but no numeric code, which would mean nothing to operators. */
const codeOf = (error: Error): string | undefined =>
  'code' in error && typeof error.code === 'string' ? error.code : undefined;

export function connectionState({ ws, guilds }: Client) {
  return {
    servers: guilds.cache.size,
    shards: ws.shards.size,
    shardsReady: ws.shards.filter(({ status }) => status === Status.Ready).size,
    /** The round trip of the last heartbeat, averaged over shards; negative before the first heartbeat. */
    pingMs: ws.shards.size === 0 ? -1 : ws.ping,
  };
}

/** Returns why the bot does not receive all events from Discord; undefined if it does. */
export function connectionProblem(client: Client): string | undefined {
  if (!client.isReady()) return 'not logged in';
  const { shards, shardsReady } = connectionState(client);
  return shardsReady < shards ? `${shards - shardsReady} of ${shards} connections are being made anew` : undefined;
}

export function endOfSession(code: number, shardId: number): Error {
  if (code === GatewayCloseCodes.AuthenticationFailed) {
    return wrongToken('Discord does not accept DISCORD_TOKEN any more');
  }
  if (code !== GatewayCloseCodes.DisallowedIntents) {
    return new Error(`Discord ended the session of shard ${shardId} for good (close code ${code})`);
  }
  return new OperatorError('Discord does not let the bot read messages, which READ_MESSAGES=on asks for', {
    remedy:
      'switch on https://discord.com/developers/applications → your application → Bot → Privileged Gateway Intents → Message Content Intent, or set READ_MESSAGES=off',
    isWrongSetting: true,
  });
}

type BuildThrottler = NonNullable<NonNullable<ClientOptions['ws']>['buildIdentifyThrottler']>;

/** Discord allows at least 1,000 session starts a day. If a bot uses up all, Discord resets its token. */
const KEPT_BACK = 20;

/** Other processes use session starts, too, so the bot asks Discord for their number again after this time. */
const FIGURE_AGE_MS = 30_000;
const FIGURE_DEADLINE_MS = 5_000;
const MAX_HOLD_MS = 60_000;

/**
 * Begins gateway sessions one after the other, also across all processes of this bot. If too few session starts are
 * left for the day, a shard waits. If a wait rejects, discord.js connects the shard again.
 */
export function createSessionStarts({ takeTurn, log }: { readonly takeTurn: TakeIdentifyTurn; readonly log: Logger }) {
  let waiting = 0;

  const buildThrottler: BuildThrottler = async (manager) => {
    let { session_start_limit: limit } = await manager.fetchGatewayInformation();
    let readAtMs = performance.now();

    async function refresh(signal: AbortSignal): Promise<void> {
      if (performance.now() - readAtMs < FIGURE_AGE_MS) return;
      readAtMs = performance.now();
      try {
        const what = 'Reading the session start limit';
        const asked = manager.fetchGatewayInformation(true);
        ({ session_start_limit: limit } = await withDeadline(asked, { timeoutMs: FIGURE_DEADLINE_MS, what, signal }));
      } catch (error) {
        signal.throwIfAborted();
        log.warn({ err: error }, "Could not fetch Discord's session start limit: using older figures");
      }
    }

    return {
      async waitForIdentify(shardId, signal) {
        waiting += 1;
        try {
          await refresh(signal);
          while (limit.remaining <= KEPT_BACK) {
            const { remaining, reset_after: resetMs } = limit;
            log.error({ remaining, shardId, resetMs }, 'Login limit almost reached: shard offline until reset');
            await abortable(pause(Math.min(resetMs, MAX_HOLD_MS)), signal);
            await refresh(signal);
          }
          limit = { ...limit, remaining: limit.remaining - 1 };
          await takeTurn(shardId % limit.max_concurrency, signal);
        } finally {
          waiting -= 1;
        }
      },
    };
  };

  return { buildThrottler, isWaiting: () => waiting > 0 };
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms).unref());
