import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createServer } from '../../process/http.ts';
import type { KeyStore, Ledger } from '../store/account.ts';
import { EngineError } from '../synthesis/engine.ts';
import { newRequestId, readBodyText, SpeechApiError, sendJson } from './api-error.ts';
import { OPENAPI_DOCUMENT } from './openapi.ts';
import { generateSpeech, type ServerContext, takeFault } from './speech.ts';

/** Maximum size of a request's body: far more than the longest text in the longest encoding. */
const MAX_BODY_BYTES = 256 * 1024;

interface ApiServerOptions extends ServerContext {
  requestsPerMinute: number;
  now(): number;
  /** The base address of audio downloads for a client that connected to the service at `localAddress`. */
  audioBase(localAddress: string | undefined): string;
  /** `/` and `/dashboard` redirect clients on this machine to this address; undefined if they must not learn it. */
  dashboardUrl(): string | undefined;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly signal: AbortSignal;
}

interface Route {
  readonly method: 'GET' | 'POST';
  /** Returns the answer's body; undefined closes the connection without an answer. */
  handle(exchange: Exchange, keyId: string): unknown;
}

const read = (handle: () => unknown): Route => ({ method: 'GET', handle });

export function createApiServer(options: ApiServerOptions): Server {
  const { faults, log, ledger, engines, keys } = options;
  const takeTurn = createRateLimiter(options);
  const routes: Readonly<Record<string, Route>> = {
    '/api/v1/speech': { method: 'POST', handle: (exchange, keyId) => speak(options, exchange, keyId) },
    '/api/v1/voices': read(() => ({ data: engines.voices() })),
    '/api/v1/models': read(() => ({ data: engines.models() })),
    '/api/v1/billing': read(() => billing(ledger)),
    '/api/v1/openapi': read(() => OPENAPI_DOCUMENT),
  };

  const server = createServer((request, response) => {
    const startedAtMs = performance.now();
    const requestId = newRequestId();
    const gone = new AbortController();
    response.on('close', () => gone.abort(new ClientGoneError('The client closed the connection.')));
    const signal = AbortSignal.any([gone.signal, options.closing]);
    const path = (request.url ?? '/').replace(/[?#].*$/, '');
    answer({ request, response, requestId, signal }, path)
      .catch((error: unknown) => sendError(response, requestId, error, log))
      .catch((error: unknown) =>
        log.error({ requestId, err: error }, 'Could not answer a speech API request: client gets nothing'),
      )
      .finally(() => {
        const status = response.writableEnded ? response.statusCode : 'no answer';
        const durationMs = Math.round(performance.now() - startedAtMs);
        // Unknown paths may contain user input, so the log shows them as `other`.
        const shown = routes[path] ? path : 'other';
        log.info(
          { method: request.method, path: shown, status, requestId, durationMs },
          'Speech service handled a request',
        );
      });
  });

  const answer = async (exchange: Exchange, path: string): Promise<void> => {
    const { request, response, requestId, signal } = exchange;
    if (takeFault(faults, 'html')) {
      response.writeHead(502, { 'Content-Type': 'text/html; charset=utf-8' });
      response.end('<!doctype html><title>502 Bad Gateway</title><h1>502 Bad Gateway</h1>\n');
      return;
    }
    response.setHeader('request-id', requestId);
    const dashboardUrl = path === '/' || path === '/dashboard' ? options.dashboardUrl() : undefined;
    if (dashboardUrl !== undefined && /^(?:::1$|(?:::ffff:)?127\.)/.test(request.socket.remoteAddress ?? '')) {
      response.writeHead(302, { Location: dashboardUrl, 'Cache-Control': 'no-store' });
      response.end();
      return;
    }
    if (faults.latencyMs > 0) await delay(faults.latencyMs, undefined, { signal });
    const route = routes[path];
    if (route === undefined) throw new SpeechApiError('not_found', 'There is no such endpoint.');
    if (request.method !== route.method) {
      const headers = { Allow: route.method };
      throw new SpeechApiError('method_not_allowed', `This endpoint takes ${route.method}.`, { headers });
    }
    const key = authenticate(keys, request);
    const { limit, remaining, resetAt, isAllowed } = takeTurn(key.id);
    response.setHeader('X-RateLimit-Limit-Requests', limit);
    response.setHeader('X-RateLimit-Remaining-Requests', remaining);
    response.setHeader('X-RateLimit-Reset-Requests', resetAt.toISOString());
    if (!isAllowed) {
      throw new SpeechApiError('rate_limit_exceeded', `More than ${limit} requests a minute with this key.`);
    }
    keys.touch(key);
    const body = await route.handle(exchange, key.id);
    if (body === undefined) response.destroy();
    else sendJson(response, 200, body);
  };

  // Idle connections stay open for longer than usual pauses between chat messages, so that clients can reuse them.
  server.keepAliveTimeout = 75_000;
  server.on('clientError', (_error, socket) => {
    if (!socket.writable) return socket.destroy();
    const body = JSON.stringify(new SpeechApiError('invalid_request', 'This is not an HTTP request.').body());
    socket.end(
      `HTTP/1.1 400 Bad Request\r\nrequest-id: ${newRequestId()}\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    );
  });
  return server;
}

class ClientGoneError extends Error {
  override name = 'ClientGoneError';
}

async function speak(
  options: ApiServerOptions,
  { request, requestId, signal }: Exchange,
  keyId: string,
): Promise<unknown> {
  const body = await readBodyText(request, MAX_BODY_BYTES, 'The request body is too large.', { Connection: 'close' });
  const { path, answer, isDropped } = await generateSpeech(options, { body, requestId, keyId, signal });
  if (isDropped) return undefined;
  const { billedLatencyMs } = options.faults;
  if (billedLatencyMs > 0) await delay(billedLatencyMs, undefined, { signal });
  return { url: options.audioBase(request.socket.localAddress) + path, ...answer };
}

function billing(ledger: Ledger): unknown {
  const { creditsLeft, lastUpdated, userId } = ledger.account();
  const last = ledger.lastTopUp();
  const lastBillingTransaction = last && { ...last, reference_id: null, subscription_id: null };
  return { creditsLeft, lastUpdated, userId, lastBillingTransaction };
}

function authenticate(keys: KeyStore, { headers }: IncomingMessage) {
  const param = 'authorization';
  if (!headers.authorization) {
    throw new SpeechApiError('invalid_api_key', 'Send an API key as `Authorization: Bearer <API_KEY>`.', { param });
  }
  const secret = /^Bearer +(\S+) *$/i.exec(headers.authorization)?.[1];
  const key = secret === undefined ? undefined : keys.find(secret);
  if (key === undefined) throw new SpeechApiError('invalid_api_key', 'The API key is not valid.', { param });
  return key;
}

function sendError(response: ServerResponse, requestId: string, error: unknown, log: Logger): void {
  const isAbort = error instanceof Error && error.name === 'AbortError';
  if (response.destroyed || response.headersSent) {
    const isGone = isAbort || error instanceof ClientGoneError || (error instanceof Error && 'code' in error);
    if (!isGone) log.warn({ requestId, err: error }, 'Could not tell a client that its speech request failed');
    return;
  }
  const refusal =
    error instanceof SpeechApiError
      ? error
      : isAbort
        ? new SpeechApiError('provider_unavailable', 'The service is shutting down.', {
            headers: { Connection: 'close' },
          })
        : new SpeechApiError('server_error', 'Something went wrong on our side.', { cause: error });
  // Clients learn few details of an error, so the log has its cause. An engine's outage is logged once when it begins, not for each text.
  const { code, cause } = refusal;
  if ((code === 'server_error' || code === null) && cause)
    log.error({ requestId, err: cause }, 'Speech request failed: client gets an error');
  else if (cause instanceof EngineError && (cause.kind === 'rejected' || cause.kind === 'policy'))
    log.warn({ requestId, err: cause }, 'A speech engine rejected a text: client gets an error');
  sendJson(response, refusal.status, refusal.body(), refusal.headers);
}

/** A token bucket for each API key, refilled evenly over a minute. */
function createRateLimiter({ requestsPerMinute: limit, now }: ApiServerOptions) {
  const refillMs = 60_000 / limit;
  const buckets = new Map<string, { tokens: number; atMs: number }>();

  return (keyId: string) => {
    const nowMs = now();
    const before = buckets.get(keyId) ?? { tokens: limit, atMs: nowMs };
    const filled = Math.min(limit, before.tokens + Math.max(0, nowMs - before.atMs) / refillMs);
    const isAllowed = filled >= 1;
    const tokens = isAllowed ? filled - 1 : filled;
    buckets.set(keyId, { tokens, atMs: nowMs });
    const remaining = Math.floor(tokens);
    // The reset time tells clients when one more request is allowed, not when all of the limit is available.
    const untilNextMs = tokens >= limit ? 0 : (remaining + 1 - tokens) * refillMs;
    return { isAllowed, limit, remaining, resetAt: new Date(Math.ceil(nowMs + untilNextMs)) };
  };
}
