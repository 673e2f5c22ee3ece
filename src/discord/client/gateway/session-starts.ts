import type { ClientOptions } from 'discord.js';
import type { Logger } from 'pino';
import { OperatorError } from '../../../errors/operator-error.ts';
import type { IdentifyTurns } from '../../../services/cells/identify-turns.ts';
import { abortable } from '../../../services/time/deadline.ts';

type WebSocketOptions = NonNullable<ClientOptions['ws']>;
type BuildStrategy = NonNullable<WebSocketOptions['buildStrategy']>;
type BuildThrottler = NonNullable<WebSocketOptions['buildIdentifyThrottler']>;
type Manager = Parameters<BuildStrategy>[0];

const limitOf = async (manager: Manager, isFresh = false) =>
  (await manager.fetchGatewayInformation(isFresh)).session_start_limit;

/**
 * Begins no session where fewer than `reserve` would be left for today: a bot that is started again and again would use them
 * up, and Discord then ends all its sessions and resets its token.
 */
export const keepingBack =
  (reserve: number, build: BuildStrategy): BuildStrategy =>
  (manager) => {
    const strategy = build(manager);
    const spawn = strategy.spawn.bind(strategy);
    strategy.spawn = async (shardIds) => {
      const { remaining, reset_after: resetMs } = await limitOf(manager);
      if (remaining - shardIds.length < reserve) {
        const until = new Date(Date.now() + resetMs).toISOString();
        throw new OperatorError(
          `Discord lets this bot begin ${remaining} more sessions until ${until}, ${shardIds.length} are needed and IDENTIFY_RESERVE keeps ${reserve}`,
          { remedy: 'find out why it was started so often, then start it after that time, or lower IDENTIFY_RESERVE' },
        );
      }
      await spawn(shardIds);
    };
    return strategy;
  };

/** Begins sessions in turn. */
export const inTurn =
  (turns: IdentifyTurns): BuildThrottler =>
  async (manager) => {
    const { max_concurrency: buckets } = await limitOf(manager);
    return { waitForIdentify: (shardId, signal) => turns.turn(shardId % buckets, signal) };
  };

interface SharedStartsOptions {
  readonly turns: IdentifyTurns;
  readonly reserve: number;
  readonly log: Logger;
}

/** How old Discord's figure may be, while others begin sessions. */
const FIGURE_AGE_MS = 30_000;
const LONGEST_HOLD_MS = 60_000;
/** Of what the pause between two turns has to spare, a part. */
const TURN_LASTS_MS = 200;

/** Begins sessions in turn with all other processes of this bot. `isWaiting`: whether a shard waits for its turn now. */
export function createSharedStarts({ turns, reserve, log }: SharedStartsOptions) {
  let waiting = 0;

  const buildThrottler: BuildThrottler = async (manager) => {
    let readAtMs = performance.now();
    let { max_concurrency: buckets, remaining, reset_after: resetMs } = await limitOf(manager);

    async function readAnew(): Promise<void> {
      if (performance.now() - readAtMs < FIGURE_AGE_MS) return;
      // Where it fails, it is not asked again at once.
      readAtMs = performance.now();
      ({ max_concurrency: buckets, remaining, reset_after: resetMs } = await limitOf(manager, true));
    }

    /** Rejects only with the reason of the signal. */
    const readWherePossible = (signal: AbortSignal) =>
      abortable(readAnew(), signal).catch((error: unknown) => {
        signal.throwIfAborted();
        log.warn({ err: error }, 'Discord does not say how many sessions may begin today: as far as is known');
      });

    /** The next turn comes by the clock: one during which Discord took long to say the figure is over. */
    async function turnWithFigure(shardId: number, signal: AbortSignal): Promise<void> {
      for (;;) {
        await turns.turn(shardId % buckets, signal);
        const sinceMs = performance.now();
        await readWherePossible(signal);
        if (performance.now() - sinceMs <= TURN_LASTS_MS) return;
      }
    }

    return {
      async waitForIdentify(shardId, signal) {
        waiting += 1;
        try {
          await turnWithFigure(shardId, signal);
          while (remaining <= reserve) {
            log.error({ remaining, shardId, resetMs }, 'Too few sessions may begin today: this shard waits');
            await abortable(pause(Math.min(resetMs, LONGEST_HOLD_MS)), signal);
            await turnWithFigure(shardId, signal);
          }
          remaining -= 1;
        } finally {
          waiting -= 1;
        }
      },
    };
  };

  return { buildThrottler, isWaiting: () => waiting > 0 };
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms).unref());
