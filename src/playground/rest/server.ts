import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock, Hub } from '../state/hub.ts';
import type { Interactions } from '../state/interactions.ts';
import { ApiError, apiError } from './problems.ts';
import { createRouter, type Limit, type RequestBody, type RestResponse, type Route, readBody } from './router.ts';
import { applicationRoutes } from './routes/application-routes.ts';
import { guildRoutes } from './routes/guild-routes.ts';
import { interactionRoutes } from './routes/interaction-routes.ts';

export interface RestFault {
  readonly method?: string;
  /** The fault affects requests whose path, without `/api/v10`, matches this pattern. */
  readonly path: RegExp;
  /**
   * A number is the status of an answer to a request that is not handled. A 429 is Cloudflare's, which names no time to
   * wait. With `lost`, the request is handled, but the connection is cut before the answer.
   */
  readonly answer?: number | 'lost' | { readonly retryAfterSeconds: number };
  readonly delayMs?: number;
  /** Number of requests that the fault affects. Default 1. */
  readonly times?: number;
}

export interface RestCall {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly atMs: number;
  readonly body: unknown;
  readonly answer: unknown;
}

type ServedAnswer = RestResponse & { readonly outcome?: 'lost' | 'rate limited' };

const CLOUDFLARES = '<!DOCTYPE html><title>Access denied | discord.com used Cloudflare to restrict access</title>';
const KEPT_CALLS = 500;
const API_PATH = /^\/api(?:\/v(\d+))?(\/.*)$/;
const ATTACHMENT_PATH = /^\/attachments\/\d+\/(\d+)\//;

/** Serves Discord's API below `/api/v10`, and the files of messages, over HTTP on loopback. */
export class RestServer {
  readonly http: Server;
  readonly calls: RestCall[] = [];
  readonly rateLimitHits: RestCall[] = [];
  /** Called for each request to Discord's API, as soon as its answer is known. */
  onCall: (call: RestCall) => void = () => undefined;
  readonly #hub: Hub;
  readonly #interactions: Interactions;
  readonly #findRoute: ReturnType<typeof createRouter>;
  readonly #limits: RateLimits;
  readonly #faults: { fault: RestFault; left: number }[] = [];

  constructor(hub: Hub, interactions: Interactions) {
    this.#hub = hub;
    this.#interactions = interactions;
    this.#findRoute = createRouter([...applicationRoutes, ...guildRoutes, ...interactionRoutes]);
    this.#limits = new RateLimits(hub.clock);
    this.http = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => {
        // A client that has gone needs no answer. Any other error is a bug of the playground.
        if (response.headersSent || (request.destroyed && !request.complete)) return;
        send(response, { status: 500, body: { message: `500: ${String(error)}`, code: 0 } });
      });
    });
    this.http.keepAliveTimeout = 60_000;
  }

  get port(): number {
    return (this.http.address() as AddressInfo).port;
  }

  async listen(): Promise<void> {
    this.http.listen(0, '127.0.0.1');
    await once(this.http, 'listening');
  }

  addFault(fault: RestFault): () => void {
    const entry = { fault, left: fault.times ?? 1 };
    this.#faults.push(entry);
    return () => this.#endFault(entry);
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.http.close(() => resolve());
      this.http.closeAllConnections();
    });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const hub = this.#hub;
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (ATTACHMENT_PATH.test(url.pathname)) return serveAttachment(hub, url.pathname, response);
    let noted: { path: string; body: unknown } | undefined;
    const result: ServedAnswer = await handled(() =>
      this.#answer(request, response, url, (path, body) => {
        noted = { path, body: body.json };
      }),
    );
    if (noted) {
      const { status, body: answer } = result;
      const made = { method: request.method ?? 'GET', status, atMs: performance.now(), ...noted, answer };
      this.calls.push(made);
      this.onCall(made);
      if (result.outcome === 'rate limited') this.rateLimitHits.push(made);
      if (this.calls.length > KEPT_CALLS) this.calls.shift();
    }
    if (result.outcome === 'lost') request.socket.destroy();
    else send(response, result);
    hub.changed();
  }

  async #answer(
    request: IncomingMessage,
    response: ServerResponse,
    url: URL,
    note: (path: string, body: RequestBody) => void,
  ): Promise<ServedAnswer> {
    const found = API_PATH.exec(url.pathname);
    if (!found) throw apiError('notFound');
    const [, version, path = ''] = found;
    const body = await readBody(request);
    note(path, body);
    if (version !== undefined && version !== '10') throw apiError('invalidApiVersion');
    if (!request.headers['user-agent']) throw apiError('blockedClient');
    const method = request.method ?? 'GET';
    const fault = this.#takeFault(method, path);
    if (fault?.delayMs) await new Promise((resolve) => setTimeout(resolve, fault.delayMs));
    const { route, params, major } = this.#findRoute(method, path);
    if (!route.open) checkToken(request, this.#hub.model.application.token);
    const { allowed, retryAfterSeconds, global, headers } = this.#limits.take(route, major);
    const wanted = fault?.answer;
    if (typeof wanted === 'object') return rateLimited(response, wanted.retryAfterSeconds, false);
    if (wanted === 429 && allowed) return { status: wanted, body: CLOUDFLARES };
    response.setHeaders(new Map(Object.entries(headers)));
    if (!allowed) return { ...rateLimited(response, retryAfterSeconds, global), outcome: 'rate limited' };
    // A fault with status 500 or above is answered without a body, like an error of a proxy in front of Discord's API.
    if (typeof wanted === 'number')
      return { status: wanted, body: wanted < 500 ? { message: `${wanted}: Refused`, code: 0 } : undefined };
    const call = { hub: this.#hub, interactions: this.#interactions, params, query: url.searchParams, body };
    const result = await handled(() => route.handle(call));
    return wanted === 'lost' ? { ...result, outcome: wanted } : result;
  }

  #takeFault(method: string, path: string): RestFault | undefined {
    const entry = this.#faults.find(({ fault }) => (fault.method ?? method) === method && fault.path.test(path));
    if (!entry) return undefined;
    entry.left -= 1;
    if (entry.left <= 0) this.#endFault(entry);
    return entry.fault;
  }

  #endFault(entry: { fault: RestFault; left: number }): void {
    const index = this.#faults.indexOf(entry);
    if (index !== -1) this.#faults.splice(index, 1);
  }
}

async function handled<T extends RestResponse>(work: () => T | Promise<T>): Promise<T | RestResponse> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { status, code, message, errors } = error;
    return { status, body: { message, code, errors } };
  }
}

function checkToken(request: IncomingMessage, token: string): void {
  if (request.headers.authorization !== `Bot ${token}`) throw apiError('unauthorized');
}

function rateLimited(response: ServerResponse, seconds: number, global: boolean): RestResponse {
  response.setHeader('Retry-After', Math.ceil(seconds));
  response.setHeader('X-RateLimit-Scope', global ? 'global' : 'user');
  return { status: 429, body: { message: 'You are being rate limited.', code: 0, retry_after: seconds, global } };
}

/** Sends an answer. A body that is a text is Cloudflare's page of HTML; all other bodies are JSON. */
function send(response: ServerResponse, { status, body }: RestResponse): void {
  if (body === undefined) response.writeHead(status).end();
  else if (typeof body === 'string') response.writeHead(status, { 'Content-Type': 'text/html' }).end(body);
  else response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

function serveAttachment(hub: Hub, path: string, response: ServerResponse): void {
  const id = ATTACHMENT_PATH.exec(path)?.[1] ?? '';
  const posted = [...hub.model.messages.values()].flatMap(({ deleted, attachments }) => (deleted ? [] : attachments));
  const attachment = hub.model.uploads.get(id) ?? posted.find((candidate) => candidate.id === id);
  if (attachment) {
    response.writeHead(200, { 'Content-Type': attachment.contentType }).end(attachment.bytes);
    return;
  }
  response.writeHead(404).end('This content is no longer available.');
}

const GLOBAL_LIMIT: Limit = { requests: 50, perMs: 1_000 };

class RateLimits {
  readonly #clock: Clock;
  readonly #windows = new Map<string, { used: number; endsAtMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Each `major` (channel, server or webhook) has its own count. Open routes do not count toward the global limit. */
  take({ method, pattern, open, limit }: Route, major: string) {
    const nowMs = this.#clock.now();
    const global = open ? undefined : this.#windowOf('global', GLOBAL_LIMIT);
    if (global && global.used >= GLOBAL_LIMIT.requests) {
      const headers = { 'X-RateLimit-Global': 'true' };
      return { allowed: false, global: true, retryAfterSeconds: (global.endsAtMs - nowMs) / 1000, headers };
    }
    if (global) global.used += 1;
    const bucket = createHash('md5').update(`${method} ${pattern}`).digest('hex');
    const window = this.#windowOf(`${bucket}:${major}`, limit);
    const allowed = window.used < limit.requests;
    if (allowed) window.used += 1;
    const retryAfterSeconds = (window.endsAtMs - nowMs) / 1000;
    const headers = {
      'X-RateLimit-Limit': String(limit.requests),
      'X-RateLimit-Remaining': String(limit.requests - window.used),
      'X-RateLimit-Reset': (window.endsAtMs / 1000).toFixed(3),
      'X-RateLimit-Reset-After': retryAfterSeconds.toFixed(3),
      'X-RateLimit-Bucket': bucket,
    };
    return { allowed, global: false, retryAfterSeconds, headers };
  }

  #windowOf(key: string, limit: Limit): { used: number; endsAtMs: number } {
    const nowMs = this.#clock.now();
    const current = this.#windows.get(key);
    if (current && current.endsAtMs > nowMs) return current;
    const fresh = { used: 0, endsAtMs: nowMs + limit.perMs };
    this.#windows.set(key, fresh);
    return fresh;
  }
}
