import type { Logger } from 'pino';
import { version } from '../../process/version.ts';
import { startHealthServer } from './health-server.ts';
import { createMetrics } from './metrics.ts';
import { createReadiness } from './readiness.ts';

const READINESS_CHECKS = ['discord', 'commands', 'store', 'speech', 'joining'] as const;
export type WhatMustBeReady = (typeof READINESS_CHECKS)[number];

interface SelfWatchOptions {
  readonly host: string;
  readonly port: number | 'auto' | 'off';
  readonly log: Logger;
}

/** As often as Prometheus usually looks. */
const LOG_EVERY_MS = 60_000;

/** The bot's view of itself, and the port on which it shows it. */
export async function startSelfWatch({ host, port, log }: SelfWatchOptions) {
  const isLogged = log.isLevelEnabled('debug');
  const metrics = createMetrics({ version, ofProcess: isLogged || port !== 'off', log });
  const readiness = createReadiness(READINESS_CHECKS);
  const server = port === 'off' ? undefined : await startHealthServer({ host, port, metrics, readiness, log });

  const logMetrics = async () => {
    try {
      log.debug({ figures: await metrics.values() }, 'Figures');
    } catch (error) {
      log.warn({ err: error }, 'The metrics could not be read');
    }
  };
  const timer = isLogged ? setInterval(logMetrics, LOG_EVERY_MS).unref() : undefined;

  return {
    metrics,
    readiness,
    async close() {
      clearInterval(timer);
      if (isLogged) await logMetrics();
      await server?.close();
    },
  };
}
