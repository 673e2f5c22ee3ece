import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, isIPv6 } from 'node:net';
import type { Logger } from 'pino';
import { createServer } from '../../process/http.ts';
import type { Metrics } from './metrics.ts';
import type { Readiness } from './readiness.ts';

interface HealthServerOptions {
  readonly host: string;
  readonly port: number | 'auto';
  readonly metrics: Metrics;
  readonly readiness: Readiness;
  readonly log: Logger;
}

/** How long a health check may take to send its request, which has a few hundred bytes. */
const REQUEST_TIMEOUT_MS = 5_000;
const LOOK_EVERY_MS = 1_000;
/** If a timer fires this late, the event loop is stuck: the packets of all servers depend on timers. */
const STUCK_AFTER_MS = 1_000;

/** Never rejects: if METRICS_PORT is taken, the bot logs a warning and runs without pages for metrics and health. */
export async function startHealthServer({ host, port, metrics, readiness, log }: HealthServerOptions) {
  const pages: Readonly<Record<string, () => Promise<Page>>> = {
    '/metrics': async () => ({ status: 200, type: metrics.contentType, body: await metrics.text() }),
    '/healthz': async () => {
      const lateMs = await loopDelayMs();
      return json(lateMs > STUCK_AFTER_MS ? 503 : 200, {
        status: lateMs > STUCK_AFTER_MS ? 'the event loop is stuck' : 'ok',
        eventLoopDelayMs: Math.round(lateMs),
        uptimeSeconds: Math.round(process.uptime()),
      });
    },
    '/readyz': async () => {
      const { ready, checks } = await readiness.report();
      return json(ready ? 200 : 503, { status: ready ? 'ready' : 'not ready', checks });
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.resume();
    const [path = ''] = (request.url ?? '').split('?');
    const page = Object.hasOwn(pages, path) ? pages[path] : undefined;
    if (!page) return send(response, json(404, { error: `There are ${Object.keys(pages).join(', ')}` }));
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD');
      return send(response, json(405, { error: 'Only GET and HEAD' }));
    }
    try {
      send(response, await page());
    } catch (error) {
      log.warn({ err: error, path }, 'Could not make a health page: answered with status 500');
      send(response, json(500, { error: 'See the log of the bot' }));
    }
  }

  const server = createServer({
    connectionsCheckingInterval: LOOK_EVERY_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    headersTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: REQUEST_TIMEOUT_MS,
  });
  server.on('request', (request, response) => void answer(request, response));
  try {
    server.listen(port === 'auto' ? 0 : port, host);
    await once(server, 'listening');
  } catch (error) {
    log.warn({ port, host, err: error }, 'Could not listen on METRICS_PORT: no metrics or health pages');
    return { url: undefined, close: async () => undefined };
  }
  server.on('error', (error) => log.warn({ err: error }, 'The health server reported an error: the bot runs on'));
  server.unref();
  const address = server.address() as AddressInfo;
  const url = new URL(`http://${isIPv6(host) ? `[${host}]` : host}:${address.port}`);
  log.info({ metricsUrl: `${url.origin}/metrics` }, 'Serving /metrics, /healthz and /readyz');

  return {
    url,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type Page = ReturnType<typeof json>;

const json = (status: number, value: unknown) => ({
  status,
  type: 'application/json; charset=utf-8',
  body: `${JSON.stringify(value)}\n`,
});

function send(response: ServerResponse, { status, type, body }: Page): void {
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
  });
  response.end(body);
}

function loopDelayMs(): Promise<number> {
  const startedAtMs = performance.now();
  // Node runs a timer with a delay of 0 after 1 ms. This 1 ms is subtracted from the measured delay of the event loop.
  return new Promise((resolve) => setTimeout(() => resolve(Math.max(0, performance.now() - startedAtMs - 1)), 0));
}

/** The image's health check treats a heartbeat older than a minute as a hanging bot (scripts/healthcheck.mjs). */
const BEAT_MS = 15_000;

/** Writes the heartbeat file, even without a connection to Discord. Health checks read the file's age and need no open port. */
export function startHeartbeat({ path, log }: { readonly path: string; readonly log: Logger }) {
  const beat = () => {
    try {
      writeFileSync(path, `${process.pid}\n`, { mode: 0o600 });
    } catch (error) {
      // If the heartbeat file cannot be written, as on a full disk, health checks should fail, but the bot can still speak.
      log.warn({ err: error }, 'Could not write the heartbeat file: health checks may fail');
    }
  };
  beat();
  const timer = setInterval(beat, BEAT_MS);
  timer.unref();
  return {
    /** Removes the heartbeat's file, so that health checks do not mistake a stopped bot for a hanging one. */
    close() {
      clearInterval(timer);
      rmSync(path, { force: true });
    },
  };
}
