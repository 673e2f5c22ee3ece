import type { ClientOptions } from 'discord.js';
import type { Logger } from 'pino';
import type { IdentifyTurns } from '../../services/cells/identify-turns.ts';
import { abortable } from '../../services/time/deadline.ts';

type BuildThrottler = NonNullable<NonNullable<ClientOptions['ws']>['buildIdentifyThrottler']>;
type Manager = Parameters<BuildThrottler>[0];

const limitOf = async (manager: Manager, isFresh = false) =>
  (await manager.fetchGatewayInformation(isFresh)).session_start_limit;

/** How many of the day's session starts are kept back, of at least 1,000 that Discord gives. */
export const KEPT_BACK = 20;

/** Begins sessions in turn. */
export const inTurn =
  (turns: IdentifyTurns): BuildThrottler =>
  async (manager) => {
    const { max_concurrency: buckets } = await limitOf(manager);
    return { waitForIdentify: (shardId, signal) => turns.turn(shardId % buckets, signal) };
  };

interface SharedStartsOptions {
  readonly turns: IdentifyTurns;
  readonly log: Logger;
}

/** How old Discord's figure may be, while others begin sessions. */
const FIGURE_AGE_MS = 30_000;
const LONGEST_HOLD_MS = 60_000;
/** Of what the pause between two turns has to spare, a part. */
const TURN_LASTS_MS = 200;

/** Begins sessions in turn with all other processes of this bot. `isWaiting`: whether a shard waits for its turn now. */
export function createSharedStarts({ turns, log }: SharedStartsOptions) {
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
        log.warn({ err: error }, 'Could not fetch the session start limit: using the last known value');
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
          while (remaining <= KEPT_BACK) {
            log.error({ remaining, shardId, resetMs }, 'Session start limit almost reached: this shard waits');
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
