import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { watchLocalAddresses } from '../network/local-addresses.ts';
import { version } from '../process/package.ts';
import { lockToken } from '../services/cells/token-lock.ts';
import { startHealthServer, startHeartbeat } from '../services/monitoring/health-server.ts';
import { createMetrics } from '../services/monitoring/metrics.ts';
import { createBotStatus, createReadiness } from '../services/monitoring/readiness.ts';
import { openDataFolder } from '../services/storage/data-folder.ts';
import { withDeadline } from '../services/time/timers.ts';

interface Beginning {
  readonly config: Config;
  readonly log: Logger;
  readonly conceal: (secret: string) => void;
  readonly closeLater: ReturnType<typeof createClosing>['later'];
  /** Another process may have taken over the shards: this process must be silent at once, and end. */
  readonly onLeaseLost: (error: Error) => void;
  readonly stopping: AbortSignal;
}

/** Locks the data folder against a second process and, without a shared database, the bot token too. */
export async function beginStartup(beginning: Beginning) {
  const { config, log, closeLater, stopping } = beginning;
  const folder = openDataFolder(config.dataDir);
  closeLater('the lock of DATA_DIR', folder.lock().release);
  if (config.store.kind === 'sqlite') closeLater('the lock of the token', (await lockToken(config.discord)).release);
  closeLater('the watch on local addresses', watchLocalAddresses(log).close);
  closeLater('the heartbeat', startHeartbeat({ path: folder.privateFile('heartbeat'), log }).close);
  const { host, port } = config.metrics;
  const metrics = createMetrics({ version, ofProcess: port !== 'off', log });
  const readiness = createReadiness();
  const server = port === 'off' ? undefined : await startHealthServer({ host, port, metrics, readiness, log });
  closeLater('the metrics server', async () => server?.close());
  stopping.addEventListener('abort', readiness.startDraining);
  metrics.watch({ draining: () => readiness.draining });
  const status = createBotStatus(metrics, readiness);
  return { ...beginning, folder, metrics, readiness, status };
}

export type Startup = Awaited<ReturnType<typeof beginStartup>>;

type Close = () => Promise<void> | void;

/** The time limit for closing all parts of the bot. It ends before EXIT_DEADLINE_MS of program.ts, when the process exits in any case. */
const ALL_DEADLINE_MS = 9_000;
const ONE_DEADLINE_MS = 2_500;
/** Closing time that is reserved for each part of the bot that saves data, even if other parts hang. */
const DATA_RESERVE_MS = 1_000;

export function createClosing(log: Logger) {
  const closers: { what: string; close: Close; keepsData: boolean }[] = [];
  let endsAtMs: number | undefined;

  /** Never rejects: if `close` fails or takes too long, the failure is logged and the shutdown continues. */
  async function inTime(what: string, close: Close): Promise<void> {
    endsAtMs ??= performance.now() + ALL_DEADLINE_MS;
    const keptBackMs = DATA_RESERVE_MS * closers.filter(({ keepsData }) => keepsData).length;
    const timeoutMs = Math.max(0, Math.min(ONE_DEADLINE_MS, Math.round(endsAtMs - performance.now() - keptBackMs)));
    const work = Promise.resolve().then(close);
    await withDeadline(work, { timeoutMs, what: `Closing ${what}` }).catch((error: unknown) => {
      log.warn({ err: error }, `Could not close ${what}: the shutdown continues`);
    });
  }

  return {
    /** With `keepsData`, the shutdown reserves time for this part of the bot, so that it can save its data. */
    later(what: string, close: Close, { keepsData } = { keepsData: false }): void {
      closers.push({ what, close, keepsData });
    },
    inTime,
    async all(): Promise<void> {
      for (let last = closers.pop(); last; last = closers.pop()) await inTime(last.what, last.close);
    },
  };
}
