import { createBotStatus } from '../services/monitoring/bot-status.ts';
import { startHeartbeat } from '../services/monitoring/heartbeat.ts';
import { startSelfWatch } from '../services/monitoring/self-monitoring.ts';
import type { DataFolder } from '../services/storage/data-folder.ts';
import type { Startup } from './startup.ts';

export type MonitoringStage = Awaited<ReturnType<typeof openMonitoring>>;

export async function openMonitoring({ config, log, closeLater, stopping }: Startup, folder: DataFolder) {
  const startedAtMs = Date.now();
  const heartbeat = startHeartbeat({ path: folder.privateFile('heartbeat'), log });
  closeLater('the heartbeat', heartbeat.close);
  const { metrics, readiness, close } = await startSelfWatch({ ...config.metrics, log });
  closeLater('the metrics', close);
  stopping.addEventListener('abort', readiness.startDraining);
  metrics.watch({ draining: () => readiness.draining });
  return { metrics, readiness, status: createBotStatus({ metrics, readiness, startedAtMs }) };
}
