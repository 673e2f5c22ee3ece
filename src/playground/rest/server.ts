import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Hub } from '../state/hub.ts';
import type { Interactions } from '../state/interactions.ts';
import { ApiError, apiError } from './problems.ts';
import { createRateLimits, createRouter, type RequestBody, type RestResponse, readBody } from './router.ts';
import { applicationRoutes } from './routes/application-routes.ts';
import { guildRoutes } from './routes/guild-routes.ts';
import { interactionRoutes } from './routes/interaction-routes.ts';

export interface RestFault {
  readonly method?: string;
  /** The fault affects requests whose path, without `/api/v10`, matches this pattern. */
  readonly path: RegExp;
  /**
   * A number is the HTTP status of the answer, and the request is not handled. Status 429 looks like Cloudflare's, and has
   * no retry time. With `lost`, the request is handled, but the connection is cut before the answer.
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

export type RestServer = Awaited<ReturnType<typeof startRestServer>>;

/** Serves Discord's API below `/api/v10`, and the files of messages, over HTTP on loopback. */
export async function startRestServer(hub: Hub, interactions: Interactions) {
  const calls: RestCall[] = [];
  const rateLimitHits: RestCall[] = [];
  const watchers = new Set<(call: RestCall) => void>();
  const findRoute = createRouter([...applicationRoutes, ...guildRoutes, ...interactionRoutes]);
  const takeTurn = createRateLimits(hub.clock);
  const faults = new Set<{ readonly fault: RestFault; left: number }>();
  const http = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      // A client that has gone needs no answer. Any other error is a bug of the playground.
      if (response.headersSent || (request.destroyed && !request.complete)) return;
      send(response, { status: 500, body: { message: `500: ${String(error)}`, code: 0 } });
    });
  });
  http.keepAliveTimeout = 60_000;
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (ATTACHMENT_PATH.test(url.pathname)) return serveAttachment(hub, url.pathname, response);
    let noted: { path: string; body: unknown } | undefined;
    const result: ServedAnswer = await handled(() =>
      answer(request, response, url, (path, body) => {
        noted = { path, body: body.json };
      }),
    );
    if (noted) {
      const { status, body } = result;
      const made = { method: request.method ?? 'GET', status, atMs: performance.now(), ...noted, answer: body };
      calls.push(made);
      for (const watch of watchers) watch(made);
      if (result.outcome === 'rate limited') rateLimitHits.push(made);
      if (calls.length > KEPT_CALLS) calls.shift();
    }
    if (result.outcome === 'lost') request.socket.destroy();
    else send(response, result);
    hub.changed();
  }

  async function answer(
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
    const fault = takeFault(method, path);
    if (fault?.delayMs) await new Promise((resolve) => setTimeout(resolve, fault.delayMs));
    const { route, params, major } = findRoute(method, path);
    if (!route.open) checkToken(request, hub.model.application.token);
    const { allowed, retryAfterSeconds, global, headers } = takeTurn(route, major);
    const wanted = fault?.answer;
    if (typeof wanted === 'object') return rateLimited(response, wanted.retryAfterSeconds, false);
    if (wanted === 429 && allowed) return { status: wanted, body: CLOUDFLARES };
    response.setHeaders(new Map(Object.entries(headers)));
    if (!allowed) return { ...rateLimited(response, retryAfterSeconds, global), outcome: 'rate limited' };
    // A fault with status 500 or above is answered without a body, like an error of a proxy in front of Discord's API.
    if (typeof wanted === 'number')
      return { status: wanted, body: wanted < 500 ? { message: `${wanted}: Refused`, code: 0 } : undefined };
    const call = { hub, interactions, params, query: url.searchParams, body };
    const result = await handled(() => route.handle(call));
    return wanted === 'lost' ? { ...result, outcome: wanted } : result;
  }

  function takeFault(method: string, path: string): RestFault | undefined {
    const entry = [...faults].find(({ fault }) => (fault.method ?? method) === method && fault.path.test(path));
    if (!entry) return undefined;
    entry.left -= 1;
    if (entry.left <= 0) faults.delete(entry);
    return entry.fault;
  }

  return {
    http,
    port: (http.address() as AddressInfo).port,
    calls,
    rateLimitHits,
    /** Calls back for each request to Discord's API, as soon as its answer is known. */
    onCall: (callback: (call: RestCall) => void) => void watchers.add(callback),
    addFault(fault: RestFault): () => void {
      const entry = { fault, left: fault.times ?? 1 };
      faults.add(entry);
      return () => faults.delete(entry);
    },
    close: () =>
      new Promise<void>((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };
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
