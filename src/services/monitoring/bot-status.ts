import { version } from '../../process/version.ts';
import type { MetricSources } from './metric-sources.ts';
import type { FirstAudioKind, Metrics } from './metrics.ts';
import type { Percentiles } from './percentiles.ts';
import type { Readiness, ReadinessReport } from './readiness.ts';

/** The state of the bot at this moment, for its owner. What has not been there yet is absent. */
export interface BotStatus {
  readonly version: string;
  /** Date.now() at the start. */
  readonly startedAtMs: number;
  readonly discord?: ReturnType<MetricSources['discord']>;
  readonly speakers?: ReturnType<MetricSources['speakers']>;
  readonly queues?: ReturnType<MetricSources['queues']>;
  readonly cache?: ReturnType<MetricSources['cache']>;
  /** Models whose quota is used up. */
  readonly openCircuits: readonly string[];
  readonly draining: boolean;
  readonly firstAudio: Partial<Record<FirstAudioKind, Percentiles>>;
  readonly checks: ReadinessReport['checks'];
}

interface BotStatusOptions {
  readonly metrics: Pick<Metrics, 'sources' | 'firstAudioPercentiles'>;
  readonly readiness: Pick<Readiness<string>, 'report'>;
  readonly startedAtMs: number;
}

export function createBotStatus({ metrics, readiness, startedAtMs }: BotStatusOptions): () => Promise<BotStatus> {
  return async () => {
    const { discord, speakers, queues, cache, circuits, draining } = metrics.sources;
    const { checks } = await readiness.report();
    return {
      version,
      startedAtMs,
      ...(discord && { discord: discord() }),
      ...(speakers && { speakers: speakers() }),
      ...(queues && { queues: queues() }),
      ...(cache && { cache: cache() }),
      openCircuits: [...(circuits?.() ?? [])].flatMap(([model, isOpen]) => (isOpen ? [model] : [])),
      draining: draining?.() ?? false,
      firstAudio: metrics.firstAudioPercentiles(),
      checks,
    };
  };
}
