import { version } from '../../process/package.ts';
import { withDeadline } from '../time/deadline.ts';
import type { Metrics } from './metrics.ts';

type Problem = string | undefined;

export interface ReadinessReport {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, string>>;
}

export interface Readiness<Name extends string> {
  /** Sets the check for the part `name` of the bot. A part without a check is reported as 'is being started'. */
  check(name: Name, look: () => Problem | Promise<Problem>): void;
  /** True while the bot finishes running work before it stops, and accepts no new work. */
  readonly draining: boolean;
  startDraining(): void;
  report(): Promise<ReadinessReport>;
}

/** How long a readiness check may take: health checks wait only a second or two for the answer. */
const CHECK_TIMEOUT_MS = 2_000;

export function createReadiness<Name extends string>(names: readonly Name[]): Readiness<Name> {
  const checks = new Map<Name, () => Problem | Promise<Problem>>(names.map((name) => [name, () => 'is being started']));
  let draining = false;

  async function look(name: Name, check: () => Problem | Promise<Problem>): Promise<Problem> {
    try {
      const looking = Promise.resolve().then(check);
      return await withDeadline(looking, { timeoutMs: CHECK_TIMEOUT_MS, what: `Looking at ${name}` });
    } catch (error) {
      // An error's message may contain addresses and paths, so the readiness page only shows the error's name.
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

export function createBotStatus({ metrics, readiness, startedAtMs }: BotStatusOptions) {
  return async () => ({
    version,
    startedAtMs,
    lostAudio: [...(metrics.sources.lostAudio?.() ?? [])].flatMap(([model, isLost]) => (isLost ? [model] : [])),
    draining: readiness.draining,
    checks: (await readiness.report()).checks,
  });
}

export type BotStatus = Awaited<ReturnType<ReturnType<typeof createBotStatus>>>;
