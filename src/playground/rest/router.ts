import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Clock, Hub } from '../state/hub.ts';
import type { Interactions } from '../state/interactions.ts';
import { ATTACHMENT_LIMIT_BYTES } from '../state/starting-model.ts';
import { apiError, refuseForm } from './problems.ts';

/** An uploaded file of a request. `index` is the number in its form field `files[index]`. */
export interface UploadedFile {
  readonly index: number;
  readonly filename: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

export interface RequestBody {
  readonly json: unknown;
  readonly files: readonly UploadedFile[];
}

const BODY_LIMIT_BYTES = 25 * 1024 * 1024;

async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > BODY_LIMIT_BYTES) throw apiError('requestTooLarge');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw apiError('invalidJson');
  }
}

/** Reads JSON, or a form with `payload_json` and `files[n]`: https://discord.com/developers/docs/reference#uploading-files */
export async function readBody(request: IncomingMessage): Promise<RequestBody> {
  const bytes = await readBytes(request);
  const contentType = request.headers['content-type'] ?? '';
  if (bytes.length === 0) return { json: undefined, files: [] };
  if (contentType.startsWith('application/json')) return { json: parseJson(bytes.toString('utf8')), files: [] };
  if (contentType.startsWith('multipart/form-data')) return readForm(bytes, contentType);
  const accepted = "{'application/json', 'multipart/form-data'}";
  return refuseForm([], 'CONTENT_TYPE_INVALID', `Expected "Content-Type" header to be one of ${accepted}.`);
}

async function readForm(bytes: Buffer, contentType: string): Promise<RequestBody> {
  let form: FormData;
  try {
    form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': contentType } }).formData();
  } catch {
    refuseForm([], 'FORM_INVALID');
  }
  const files: UploadedFile[] = [];
  let json: unknown = {};
  for (const [name, value] of form) {
    if (typeof value === 'string') {
      if (name === 'payload_json') json = parseJson(value);
      else json = { ...(json as object), [name]: value };
      continue;
    }
    const index = Number(/^files\[(\d+)\]$/.exec(name)?.[1] ?? files.length);
    files.push({
      index,
      filename: value.name,
      contentType: value.type || 'application/octet-stream',
      bytes: new Uint8Array(await value.arrayBuffer()),
    });
  }
  return { json, files };
}

export function checkFileSizes(body: RequestBody): void {
  if (body.files.some((file) => file.bytes.length > ATTACHMENT_LIMIT_BYTES)) throw apiError('requestTooLarge');
}

interface Limit {
  readonly requests: number;
  readonly perMs: number;
}

/** Discord publishes no rate limits of routes, so this limit is in the range that Discord's response headers show. */
const DEFAULT_LIMIT: Limit = { requests: 50, perMs: 10_000 };

export interface Call {
  readonly hub: Hub;
  readonly interactions: Interactions;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: RequestBody;
}

export interface RestResponse {
  readonly status: number;
  readonly body?: unknown;
}

export interface Route {
  readonly method: string;
  readonly pattern: string;
  /** True for routes that need no bot token, for example because the path contains an interaction's own token. */
  readonly open: boolean;
  readonly limit: Limit;
  readonly handle: (call: Call) => RestResponse | Promise<RestResponse>;
}

/** Makes a route that needs the bot's token and has the usual rate limit. */
export const route = (method: string, pattern: string, handle: Route['handle']): Route =>
  limitedRoute(DEFAULT_LIMIT, method, pattern, handle);

export function limitedRoute(limit: Limit, method: string, pattern: string, handle: Route['handle']): Route {
  return { method, pattern, handle, open: false, limit };
}

/** Throws if the route's pattern has no parameter of this name. */
export function param(call: Call, name: string): string {
  const value = call.params[name];
  if (value === undefined) throw apiError('notFound');
  return value;
}

export const ok = (body: unknown): RestResponse => ({ status: 200, body });
export const NO_CONTENT: RestResponse = { status: 204 };

/** Finds the route of a request. Throws 404 for an unknown path, and 405 for a known path with another method. */
export function createRouter(routes: readonly Route[]) {
  const countParameters = ({ pattern }: Route) => pattern.split(':').length;
  // Routes with fixed segments win over routes with parameters: `/members/@me` over `/members/:userId`.
  const compiled = routes
    .toSorted((a, b) => countParameters(a) - countParameters(b))
    .map((route) => ({ route, path: new RegExp(`^${route.pattern.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')}$`) }));
  return (method: string, path: string) => {
    const decoded = decodePath(path);
    const known = compiled.filter((each) => each.path.test(decoded));
    const found = known.find(({ route }) => route.method === method);
    if (!found) throw apiError(known.length > 0 ? 'methodNotAllowed' : 'notFound');
    const params: Call['params'] = found.path.exec(decoded)?.groups ?? {};
    // Discord counts rate limits per top-level resource: a channel, a server or a webhook.
    const major = params.channelId ?? params.guildId ?? params.token ?? '';
    return { route: found.route, params, major };
  };
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw apiError('notFound');
  }
}

const GLOBAL_LIMIT: Limit = { requests: 50, perMs: 1_000 };

export function createRateLimits(clock: Clock) {
  const windows = new Map<string, { used: number; endsAtMs: number }>();

  function windowOf(key: string, limit: Limit): { used: number; endsAtMs: number } {
    const nowMs = clock.now();
    const current = windows.get(key);
    if (current && current.endsAtMs > nowMs) return current;
    const fresh = { used: 0, endsAtMs: nowMs + limit.perMs };
    windows.set(key, fresh);
    return fresh;
  }

  /** Applies rate limits: by route and `major` (channel, server or webhook), and globally if the route needs the bot's token. */
  return ({ method, pattern, open, limit }: Route, major: string) => {
    const nowMs = clock.now();
    const global = open ? undefined : windowOf('global', GLOBAL_LIMIT);
    if (global && global.used >= GLOBAL_LIMIT.requests) {
      const headers = { 'X-RateLimit-Global': 'true' };
      return { allowed: false, global: true, retryAfterSeconds: (global.endsAtMs - nowMs) / 1000, headers };
    }
    if (global) global.used += 1;
    const bucket = createHash('md5').update(`${method} ${pattern}`).digest('hex');
    const window = windowOf(`${bucket}:${major}`, limit);
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
  };
}
