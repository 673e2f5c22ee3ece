import { version } from '../../process/package.ts';
import { withDeadline } from '../time/timers.ts';
import type { Metrics } from './metrics.ts';

type Problem = string | undefined;

/** How long a readiness check may take: health checks wait only a second or two for the answer. */
const CHECK_TIMEOUT_MS = 2_000;

export const READINESS_CHECKS = ['discord', 'commands', 'store', 'speech', 'joining'] as const;
export type WhatMustBeReady = (typeof READINESS_CHECKS)[number];

type Check = () => Problem | Promise<Problem>;

export function createReadiness(names: readonly WhatMustBeReady[] = READINESS_CHECKS) {
  const checks = new Map<WhatMustBeReady, Check>(names.map((name) => [name, () => 'is being started']));
  let draining = false;

  async function look(name: string, check: Check): Promise<Problem> {
    try {
      const looking = Promise.resolve().then(check);
      return await withDeadline(looking, { timeoutMs: CHECK_TIMEOUT_MS, what: `Looking at ${name}` });
    } catch (error) {
      // An error's message may contain addresses and paths, so the readiness page only shows the error's name.
      return `does not answer (${error instanceof Error ? error.name : 'unknown'})`;
    }
  }

  return {
    /** Sets the check for the part `name` of the bot. A part without a check is reported as 'is being started'. */
    check: (name: WhatMustBeReady, check: Check) => void checks.set(name, check),
    /** True while the bot finishes running work before it stops, and accepts no new work. */
    get draining() {
      return draining;
    },
    startDraining() {
      draining = true;
    },
    async report() {
      const found = await Promise.all(
        [...checks].map(async ([name, check]): Promise<[string, string]> => [name, (await look(name, check)) ?? 'ok']),
      );
      if (draining) found.push(['draining', 'the bot is being stopped']);
      return { ready: found.every(([, state]) => state === 'ok'), checks: Object.fromEntries(found) };
    },
  };
}

export type Readiness = ReturnType<typeof createReadiness>;

export function createBotStatus(metrics: Metrics, readiness: Readiness) {
  const startedAtMs = Date.now();
  return async () => ({
    version,
    startedAtMs,
    lostAudio: [...(metrics.sources.lostAudio?.() ?? [])].flatMap(([model, isLost]) => (isLost ? [model] : [])),
    draining: readiness.draining,
    checks: (await readiness.report()).checks,
  });
}

export type BotStatus = Awaited<ReturnType<ReturnType<typeof createBotStatus>>>;
