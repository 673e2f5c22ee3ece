import { version } from '../../process/version.ts';
import type { Metrics } from './metrics.ts';
import type { Readiness } from './readiness.ts';

export const READINESS_CHECKS = ['discord', 'commands', 'store', 'speech', 'joining'] as const;
export type WhatMustBeReady = (typeof READINESS_CHECKS)[number];

interface BotStatusOptions {
  readonly metrics: Pick<Metrics, 'sources' | 'firstAudioPercentiles'>;
  readonly readiness: Pick<Readiness<string>, 'report'>;
  /** Date.now() at the start. */
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
      firstAudio: metrics.firstAudioPercentiles(),
      checks,
    };
  };
}

const modelsIn = (found: Iterable<readonly [model: string, is: boolean]> = []): readonly string[] =>
  [...found].flatMap(([model, is]) => (is ? [model] : []));

export type BotStatus = Awaited<ReturnType<ReturnType<typeof createBotStatus>>>;
