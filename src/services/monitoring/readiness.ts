import { version } from '../../process/package.ts';
import { withDeadline } from '../time/deadline.ts';
import type { Metrics } from './metrics.ts';

/** Why something is not as it should be, in plain words; undefined when it is. */
type Problem = string | undefined;

export interface ReadinessReport {
  readonly ready: boolean;
  /** Every check: 'ok' or its problem. */
  readonly checks: Readonly<Record<string, string>>;
}

/** Whether the bot can do its work now, as one answer made of several. */
export interface Readiness<Name extends string> {
  /** From now on this says whether `name` is as it should be. Until then it 'is being started'. */
  check(name: Name, look: () => Problem | Promise<Problem>): void;
  /** Whether the bot only finishes what it has begun. */
  readonly draining: boolean;
  startDraining(): void;
  report(): Promise<ReadinessReport>;
}

/** Health checks wait a second or two. */
const CHECK_TIMEOUT_MS = 2_000;

export function createReadiness<Name extends string>(names: readonly Name[]): Readiness<Name> {
  const checks = new Map<Name, () => Problem | Promise<Problem>>(names.map((name) => [name, () => 'is being started']));
  let draining = false;

  async function look(name: Name, check: () => Problem | Promise<Problem>): Promise<Problem> {
    try {
      const looking = Promise.resolve().then(check);
      return await withDeadline(looking, { timeoutMs: CHECK_TIMEOUT_MS, what: `Looking at ${name}` });
    } catch (error) {
      // The message of an error may hold addresses and paths; its name says enough to look into the log.
      return `does not answer (${error instanceof Error ? error.name : 'unknown'})`;
    }
  }

  return {
    check: (name, check) => void checks.set(name, check),
    get draining() {
      return draining;
    },
    startDraining() {
      draining = true;
    },
    async report() {
      const found = await Promise.all(
        [...checks].map(async ([name, check]) => [name, (await look(name, check)) ?? 'ok'] as const),
      );
      if (draining) found.push(['draining' as Name, 'the bot is being stopped']);
      return { ready: found.every(([, state]) => state === 'ok'), checks: Object.fromEntries(found) };
    },
  };
}

export const READINESS_CHECKS = ['discord', 'commands', 'store', 'speech', 'joining'] as const;
export type WhatMustBeReady = (typeof READINESS_CHECKS)[number];

interface BotStatusOptions {
  readonly metrics: Metrics;
  readonly readiness: Readiness<string>;
  readonly startedAtMs: number;
}

/** The state of the bot at this moment, for its owner. Sources that are not there yet are absent. */
export function createBotStatus({ metrics, readiness, startedAtMs }: BotStatusOptions) {
  return async () => {
    const { discord, speakers, queues, cache, circuits, lostAudio, draining } = metrics.sources;
    const { checks } = await readiness.report();
    return {
      version,
      startedAtMs,
      discord: discord?.(),
      speakers: speakers?.(),
      queues: queues?.(),
      cache: cache?.(),
      /** Models whose quota is used up. */
      openCircuits: modelsIn(circuits?.()),
      /** Models whose paid audio does not arrive. */
      lostAudio: modelsIn(lostAudio?.()),
      draining: draining?.() ?? false,
      checks,
    };
  };
}

const modelsIn = (found: Iterable<readonly [model: string, is: boolean]> = []): readonly string[] =>
  [...found].flatMap(([model, is]) => (is ? [model] : []));

export type BotStatus = Awaited<ReturnType<ReturnType<typeof createBotStatus>>>;
