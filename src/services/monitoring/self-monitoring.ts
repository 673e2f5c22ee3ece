import type { Logger } from 'pino';
import { version } from '../../process/version.ts';
import { startHealthServer } from './health-server.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { createReadiness, type Readiness } from './readiness.ts';

const WHAT_MUST_BE_READY = ['discord', 'commands', 'store', 'speech'] as const;
export type WhatMustBeReady = (typeof WHAT_MUST_BE_READY)[number];

/** The bot's view of itself, and the port on which it shows it. */
export interface SelfWatch {
  readonly metrics: Metrics;
  readonly readiness: Readiness<WhatMustBeReady>;
  close(): Promise<void>;
}

interface SelfWatchOptions {
  readonly host: string;
  readonly port: number | 'auto' | 'off';
  readonly log: Logger;
}

/** As often as Prometheus usually looks. */
const LOG_EVERY_MS = 60_000;

export async function startSelfWatch({ host, port, log }: SelfWatchOptions): Promise<SelfWatch> {
  const isLogged = log.isLevelEnabled('debug');
  const metrics = createMetrics({ version, ofProcess: isLogged || port !== 'off', log });
  const readiness = createReadiness(WHAT_MUST_BE_READY);
  const server = port === 'off' ? undefined : await startHealthServer({ host, port, metrics, readiness, log });

  const logFigures = async () => {
    try {
      log.debug({ figures: await metrics.figures() }, 'Figures');
    } catch (error) {
      log.warn({ err: error }, 'The figures could not be read');
    }
  };
  const timer = isLogged ? setInterval(logFigures, LOG_EVERY_MS).unref() : undefined;

  return {
    metrics,
    readiness,
    async close() {
      clearInterval(timer);
      if (isLogged) await logFigures();
      await server?.close();
    },
  };
}
