import { version } from '../process/package.ts';
import { startHealthServer, startHeartbeat } from '../services/monitoring/health-server.ts';
import { createMetrics } from '../services/monitoring/metrics.ts';
import { createBotStatus, createReadiness, READINESS_CHECKS } from '../services/monitoring/readiness.ts';
import type { DataFolder } from '../services/storage/data-folder.ts';
import type { Startup } from './startup.ts';

export type MonitoringStage = Awaited<ReturnType<typeof openMonitoring>>;

/** The bot's view of itself, and the port on which it shows it. */
export async function openMonitoring({ config, log, closeLater, stopping }: Startup, folder: DataFolder) {
  const startedAtMs = Date.now();
  const heartbeat = startHeartbeat({ path: folder.privateFile('heartbeat'), log });
  closeLater('the heartbeat', heartbeat.close);
  const { host, port } = config.metrics;
  const metrics = createMetrics({ version, ofProcess: port !== 'off', log });
  const readiness = createReadiness(READINESS_CHECKS);
  const server = port === 'off' ? undefined : await startHealthServer({ host, port, metrics, readiness, log });
  closeLater('the metrics', async () => server?.close());
  stopping.addEventListener('abort', readiness.startDraining);
  metrics.watch({ draining: () => readiness.draining });
  return { metrics, readiness, status: createBotStatus({ metrics, readiness, startedAtMs }) };
}
