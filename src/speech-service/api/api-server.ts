import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createServer } from '../../process/http.ts';
import type { ApiKey, KeyStore } from '../store/keys.ts';
import type { Ledger } from '../store/ledger.ts';
import { EngineError } from '../synthesis/engine.ts';
import { newRequestId, readBodyText, SpeechApiError } from './api-error.ts';
import { type ServiceFaults, takeFault } from './faults.ts';
import { OPENAPI_DOCUMENT } from './openapi.ts';
import { generateSpeech, type ServerContext } from './speech.ts';

/** Far more than the longest text in the longest encoding. */
const MAX_BODY_BYTES = 256 * 1024;

interface ApiServerOptions extends ServerContext {
  requestsPerMinute: number;
  now(): number;
  /** The audio address for a client that reached this server over this connection. */
  audioBase(connection: { localAddress: string | undefined }): string;
  /** The page where the operator makes keys, if programs on this machine that request `/dashboard` may learn it. */
  dashboardUrl(): string | undefined;
}

type Answer = { body: unknown; headers?: Record<string, string> } | 'drop';
type Exchange = { request: IncomingMessage; requestId: string; key: ApiKey; signal: AbortSignal };
type Route = { method: 'GET' | 'POST'; handle(exchange: Exchange): Answer | Promise<Answer> };

/** The interface itself, under `/api/v1`. */
export function createApiServer(options: ApiServerOptions): Server {
  const { faults, log, ledger, engines } = options;
  const takeTurn = createRateLimiter(options);
  const routes: Readonly<Record<string, Route>> = {
    '/api/v1/speech': { method: 'POST', handle: (exchange) => handleSpeech(options, exchange) },
    '/api/v1/voices': { method: 'GET', handle: () => ({ body: { data: engines.voices() } }) },
    '/api/v1/models': { method: 'GET', handle: () => ({ body: { data: engines.models() } }) },
    '/api/v1/billing': { method: 'GET', handle: () => ({ body: billingBody(ledger) }) },
    '/api/v1/openapi': { method: 'GET', handle: () => ({ body: OPENAPI_DOCUMENT }) },
  };

  const server = createServer((request, response) => {
    const startedAtMs = performance.now();
    const requestId = newRequestId();
    const gone = new AbortController();
    response.on('close', () => gone.abort(new ClientGoneError()));
    const signal = AbortSignal.any([gone.signal, options.closing]);
    const path = pathOf(request);
    answer(request, response, requestId, path, signal)
      .catch((error: unknown) => sendError(response, requestId, error, log))
      .catch((error: unknown) => log.error({ requestId, err: error }, 'could not answer'))
      .finally(() => {
        const status = response.writableEnded ? response.statusCode : 'no answer';
        const durationMs = Math.round(performance.now() - startedAtMs);
        // Only known paths: others may hold user input.
        log.info(
          { method: request.method, path: routes[path] ? path : 'other', status, requestId, durationMs },
          'request',
        );
      });
  });

  const answer = async (
    request: IncomingMessage,
    response: ServerResponse,
    requestId: string,
    path: string,
    signal: AbortSignal,
  ): Promise<void> => {
    if (takeFault(faults, 'html')) {
      response.writeHead(502, { 'Content-Type': 'text/html; charset=utf-8' });
      response.end('<!doctype html><title>502 Bad Gateway</title><h1>502 Bad Gateway</h1>\n');
      return;
    }
    response.setHeader('request-id', requestId);
    const dashboardUrl = path === '/dashboard' ? options.dashboardUrl() : undefined;
    if (dashboardUrl !== undefined && isLoopback(request.socket.remoteAddress)) {
      response.writeHead(302, { Location: dashboardUrl, 'Cache-Control': 'no-store' });
      response.end();
      return;
    }
    if (faults.latencyMs > 0) await delay(faults.latencyMs, undefined, { signal });
    const route = routes[path];
    if (route === undefined) throw new SpeechApiError('not_found', 'There is no such endpoint.');
    if (request.method !== route.method) {
      throw new SpeechApiError('method_not_allowed', `This endpoint takes ${route.method}.`, {
        headers: { Allow: route.method },
      });
    }
    const key = authenticate(options.keys, request);
    const limit = takeTurn(key.id);
    response.setHeader('X-RateLimit-Limit-Requests', limit.limit);
    response.setHeader('X-RateLimit-Remaining-Requests', limit.remaining);
    response.setHeader('X-RateLimit-Reset-Requests', limit.resetAt.toISOString());
    if (!limit.allowed) {
      throw new SpeechApiError('rate_limit_exceeded', `More than ${limit.limit} requests a minute with this key.`);
    }
    options.keys.touch(key);
    const result = await route.handle({ request, requestId, key, signal });
    if (result === 'drop') response.destroy();
    else sendJson(response, 200, result.body, result.headers);
  };

  // Clients keep connections between two chat messages.
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
  constructor() {
    super('The client closed the connection.');
  }
}

/** How soon an answer that is held back goes out once it no longer is, in milliseconds. */
const HELD_LOOK_MS = 20;

async function holdBack(faults: ServiceFaults, signal: AbortSignal): Promise<void> {
  const since = performance.now();
  for (;;) {
    const leftMs = faults.billedLatencyMs - (performance.now() - since);
    if (leftMs <= 0) return;
    await delay(Math.min(leftMs, HELD_LOOK_MS), undefined, { signal });
  }
}

async function handleSpeech(options: ApiServerOptions, exchange: Exchange): Promise<Answer> {
  const { request, requestId, key, signal } = exchange;
  const body = await readBodyText(request, MAX_BODY_BYTES, 'The request body is too large.', { Connection: 'close' });
  const spoken = await generateSpeech(options, { body, requestId, keyId: key.id, signal });
  if (spoken.drop) return 'drop';
  await holdBack(options.faults, signal);
  return {
    body: {
      url: options.audioBase({ localAddress: request.socket.localAddress }) + spoken.path,
      credits_used: spoken.creditsUsed,
      credits_remaining: spoken.creditsRemaining,
      usage: { input_characters: spoken.inputCharacters, model: spoken.model },
      spoken_by: spoken.spokenBy,
    },
  };
}

function billingBody(ledger: Ledger): unknown {
  const { creditsLeft, lastUpdated, userId } = ledger.account();
  const last = ledger.lastTopUp();
  return {
    creditsLeft,
    lastUpdated,
    userId,
    lastBillingTransaction: last === null ? null : { ...last, reference_id: null, subscription_id: null },
  };
}

function authenticate(keys: KeyStore, request: IncomingMessage): ApiKey {
  const header = request.headers.authorization;
  if (header === undefined || header === '') {
    throw new SpeechApiError('invalid_api_key', 'Send an API key as `Authorization: Bearer <API_KEY>`.', {
      param: 'authorization',
    });
  }
  const secret = /^Bearer +(\S+) *$/i.exec(header)?.[1];
  const key = secret === undefined ? undefined : keys.find(secret);
  if (key === undefined) {
    throw new SpeechApiError('invalid_api_key', 'The API key is not valid.', { param: 'authorization' });
  }
  return key;
}

function sendJson(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': bytes.byteLength,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    ...headers,
  });
  response.end(bytes);
}

/** Kinds of failure that other texts need not meet. */
const ONE_TEXT: readonly EngineError['kind'][] = ['rejected', 'policy'];

function sendError(response: ServerResponse, requestId: string, error: unknown, log: Logger): void {
  if (response.destroyed || response.headersSent) {
    if (!(error instanceof Error && isGone(error)))
      log.warn({ requestId, err: error }, 'failed after the client had gone');
    return;
  }
  let refusal: SpeechApiError;
  if (error instanceof SpeechApiError) {
    refusal = error;
    // The requester learns little more than that; an engine that is down is reported once, elsewhere.
    if ((refusal.code === 'server_error' || refusal.code === null) && error.cause)
      log.error({ requestId, err: error.cause }, 'request failed');
    else if (error.cause instanceof EngineError && ONE_TEXT.includes(error.cause.kind))
      log.warn({ requestId, err: error.cause }, 'An engine rejected a text');
  } else if (error instanceof Error && error.name === 'AbortError') {
    refusal = new SpeechApiError('provider_unavailable', 'The service is shutting down.', {
      headers: { Connection: 'close' },
    });
  } else {
    log.error({ requestId, err: error }, 'request failed');
    refusal = new SpeechApiError('server_error', 'Something went wrong on our side.');
  }
  sendJson(response, refusal.status, refusal.body(), refusal.headers);
}

function isGone(error: Error): boolean {
  return error.name === 'ClientGoneError' || error.name === 'AbortError' || 'code' in error;
}

function isLoopback(address = ''): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address);
}

function pathOf(request: IncomingMessage): string {
  return (request.url ?? '/').replace(/[?#].*$/, '');
}

/**
 * A token bucket for each key: `requestsPerMinute` at once, refilled evenly over a minute. Counts one request of a key, when
 * there is room for it, and returns the values of the `X-RateLimit-…-Requests` headers.
 */
function createRateLimiter({ requestsPerMinute: limit, now }: { requestsPerMinute: number; now(): number }) {
  const refillMs = 60_000 / limit;
  const buckets = new Map<string, { tokens: number; atMs: number }>();

  return (keyId: string) => {
    const nowMs = now();
    const bucket = buckets.get(keyId) ?? { tokens: limit, atMs: nowMs };
    buckets.set(keyId, bucket);
    bucket.tokens = Math.min(limit, bucket.tokens + Math.max(0, nowMs - bucket.atMs) / refillMs);
    bucket.atMs = nowMs;
    const allowed = bucket.tokens >= 1;
    if (allowed) bucket.tokens -= 1;
    const remaining = Math.floor(bucket.tokens);
    const untilNextMs = bucket.tokens >= limit ? 0 : (remaining + 1 - bucket.tokens) * refillMs;
    // When one more request than `remaining` becomes possible.
    return { allowed, limit, remaining, resetAt: new Date(Math.ceil(nowMs + untilNextMs)) };
  };
}
