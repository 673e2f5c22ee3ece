import type { Logger } from 'pino';
import { Counter, Gauge, type Registry } from 'prom-client';

/** Sources that are read only when the metrics are. */
export interface MetricSources {
  /** In a voice channel, and sending at this moment. */
  readonly speakers: () => { readonly joined: number; readonly speaking: number };
  /** Queued texts: in all servers together, and in the server with most of them. */
  readonly queues: () => { readonly waiting: number; readonly longest: number };
  /** Counted since the start; bytes as they are now. */
  readonly cache: () => {
    readonly memoryHits: number;
    readonly diskHits: number;
    readonly misses: number;
    readonly bytes: number;
  };
  /** For each model whether its quota circuit is open. */
  readonly circuits: () => Iterable<readonly [model: string, isOpen: boolean]>;
  /** For each model of which paid audio was lost since the start whether nothing is paid for now but trials. */
  readonly lostAudio: () => Iterable<readonly [model: string, isStopped: boolean]>;
  readonly discord: () => {
    readonly servers: number;
    readonly shards: number;
    readonly shardsReady: number;
    /** Negative before the first heartbeat. */
    readonly pingMs: number;
  };
  readonly draining: () => boolean;
}

type Found<Name extends keyof MetricSources> = ReturnType<MetricSources[Name]>;

/**
 * Registers the metrics that come from sources. A source that is not there (yet) has none; one that throws has none this
 * time, and the log says so.
 */
export function registerSourced(register: Registry, sources: Partial<MetricSources>, log: Logger): void {
  const registers = [register];

  function found<Name extends keyof MetricSources>(source: Name): Found<Name> | undefined {
    try {
      return sources[source]?.() as Found<Name> | undefined;
    } catch (error) {
      log.warn({ err: error, source }, 'Could not read a metric');
      return undefined;
    }
  }

  function gauge<Name extends keyof MetricSources>(
    source: Name,
    name: string,
    help: string,
    read: (value: Found<Name>) => number,
  ): void {
    const metric = new Gauge({
      name,
      help,
      registers,
      collect() {
        const value = found(source);
        if (value === undefined) metric.remove();
        else metric.set(read(value));
      },
    });
  }

  function byModel(source: 'circuits' | 'lostAudio', name: string, help: string): void {
    const metric = new Gauge({
      name,
      help,
      labelNames: ['model'],
      registers,
      collect() {
        metric.reset();
        for (const [model, is] of found(source) ?? []) metric.set({ model }, Number(is));
      },
    });
  }

  gauge('speakers', 'crier_speakers_joined', 'Servers in whose voice channel the bot is.', ({ joined }) => joined);
  gauge('speakers', 'crier_speakers_speaking', 'Servers that packets are sent to.', ({ speaking }) => speaking);
  gauge('queues', 'crier_queue_waiting', 'Texts that wait to be spoken, in all servers.', ({ waiting }) => waiting);
  gauge('queues', 'crier_queue_longest', 'Texts that wait in the server with most of them.', ({ longest }) => longest);
  gauge('cache', 'crier_cache_bytes', 'Memory held by speech that was made before.', ({ bytes }) => bytes);
  const lookups = new Counter({
    name: 'crier_cache_requests_total',
    help: 'Texts that were looked for among the speech made before.',
    labelNames: ['outcome'],
    registers,
    collect() {
      lookups.reset();
      const cache = found('cache');
      if (!cache) return;
      lookups.inc({ outcome: 'memory' }, cache.memoryHits);
      lookups.inc({ outcome: 'disk' }, cache.diskHits);
      lookups.inc({ outcome: 'miss' }, cache.misses);
    },
  });
  gauge('discord', 'crier_servers', 'Servers the bot is in.', ({ servers }) => servers);
  gauge(
    'discord',
    'crier_discord_shards',
    'Gateway connections to Discord; 0 before the login.',
    ({ shards }) => shards,
  );
  gauge('discord', 'crier_discord_shards_ready', 'Those of them that are up.', ({ shardsReady }) => shardsReady);
  gauge(
    'discord',
    'crier_discord_ping_seconds',
    'Round trip of the last heartbeat to Discord; NaN before the first.',
    ({ pingMs }) => (pingMs < 0 ? Number.NaN : pingMs / 1000),
  );
  gauge('draining', 'crier_draining', '1 while the bot finishes what it speaks before it ends.', Number);

  byModel(
    'circuits',
    'crier_speech_quota_circuit_open',
    '1 for a model whose quota is used up and which is not asked for now.',
  );
  byModel(
    'lostAudio',
    'crier_speech_audio_lost',
    '1 for a model whose paid audio does not arrive and which is paid for only as a trial.',
  );
}
