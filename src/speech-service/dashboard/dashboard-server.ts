import { readFileSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as z from 'zod';
import {
  createGuard,
  type PageAccess,
  pageHeaders,
  type RequestNeeds,
  SESSION_SCRIPT,
} from '../../loopback-page/loopback-page.ts';
import { createServer } from '../../process/http.ts';
import { newRequestId, readBodyText, SpeechApiError } from '../api/api-error.ts';
import { faultsAsJson, faultsSchema } from '../api/faults.ts';
import type { ServerContext } from '../api/speech.ts';
import {
  checkNameIsFree,
  checkReplaceable,
  confirmSchema,
  createCliLogins,
  keyNameSchema,
  redeemSchema,
  refuseSchema,
} from './cli-login.ts';

const MAX_BODY_BYTES = 64 * 1024;
/** Rows of the history. */
const HISTORY_LENGTH = 50;

interface DashboardOptions extends ServerContext {
  /** Whether the switches can be reached over HTTP. */
  faultsOverHttp: boolean;
  /** Only known once the API listens. */
  apiUrl: () => string;
  access: PageAccess;
}

interface Call {
  params: readonly string[];
  body: unknown;
}
interface Route {
  method: 'GET' | 'POST' | 'PUT';
  path: RegExp;
  needs: RequestNeeds;
  handle(call: Call): unknown;
}

const nameSchema = z.strictObject({ name: keyNameSchema });
const signInSchema = z.strictObject({ token: z.string().max(128) });

/** The operator's page: opened by a name of this machine alone, on whatever address the API listens. */
export function createDashboardServer(options: DashboardOptions): Server {
  const { keys, faults, log, access } = options;
  const guard = createGuard({ access, port: () => (server.address() as AddressInfo).port });
  const page = loadPage();
  const logins = createCliLogins({ keys });

  const routes: Route[] = [
    { method: 'GET', path: /^\/api\/state$/, needs: 'session', handle: () => state(options) },
    {
      ...change(/^\/api\/sign-in$/, ({ body }) => {
        const session = access.signIn(parse(signInSchema, body).token);
        if (session !== undefined) return { session };
        throw new SpeechApiError('invalid_request', 'This address is wrong or was used before: take the next one.');
      }),
      needs: 'origin',
    },
    change(/^\/api\/keys$/, ({ body }) => {
      const { name } = parse(nameSchema, body);
      checkNameIsFree(keys, name);
      return keys.create(name);
    }),
    change(/^\/api\/keys\/([\w-]+)\/rotate$/, ({ params: [id = ''] }) => {
      checkReplaceable(keys, id);
      return found(keys.rotate(id));
    }),
    change(/^\/api\/keys\/([\w-]+)\/revoke$/, ({ params: [id = ''] }) => {
      checkReplaceable(keys, id);
      return found(keys.revoke(id) || undefined);
    }),
    change(/^\/api\/cli-login\/confirm$/, ({ body }) => logins.confirm(parse(confirmSchema, body))),
    change(/^\/api\/cli-login\/refuse$/, ({ body }) => logins.refuse(parse(refuseSchema, body))),
    // For the command line, which has no page: its one-time token and its secret authenticate it.
    {
      ...change(/^\/cli-login\/redeem$/, ({ body }) => logins.redeem(parse(redeemSchema, body))),
      needs: 'nothing',
    },
  ];
  // For tools and tests, which have no page to take a token from; the guard still keeps other sites' pages out.
  if (options.faultsOverHttp) {
    const faultsRoute = { path: /^\/faults$/, needs: 'nothing' } as const;
    routes.push(
      { ...faultsRoute, method: 'GET', handle: () => faultsAsJson(faults) },
      {
        ...faultsRoute,
        method: 'PUT',
        handle: ({ body }) => faultsAsJson(Object.assign(faults, parse(faultsSchema, body))),
      },
    );
  }

  const server = createServer((request, response) => {
    const requestId = newRequestId();
    const headers = pageHeaders({
      media: ["'none'"],
      // Whether the command line still waits.
      connections: pathOf(request) === '/cli-login' ? ['http://127.0.0.1:*'] : [],
    });
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    response.setHeader('request-id', requestId);
    answer(request, response).catch((error: unknown) => {
      if (response.headersSent || response.destroyed) return;
      if (error instanceof SpeechApiError) return sendJson(response, error.status, error.body());
      log.error({ requestId, err: error }, 'dashboard request failed');
      sendJson(response, 500, new SpeechApiError('server_error', 'Something went wrong: see the log.').body());
    });
  });

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = pathOf(request);
    const route = routes.find((candidate) => candidate.method === request.method && candidate.path.test(path));
    const refused = guard.refuse(request, route?.needs ?? 'nothing');
    if (refused !== undefined) return sendJson(response, 403, { error: refused });
    if (route !== undefined) {
      const body = route.method === 'GET' ? undefined : await readJson(request);
      const params = route.path.exec(path)?.slice(1) ?? [];
      return sendJson(response, 200, await route.handle({ params, body }));
    }
    const file = request.method === 'GET' ? page[path] : undefined;
    if (file === undefined) throw new SpeechApiError('not_found', 'There is no such page.');
    response.writeHead(200, { 'Content-Type': file.type });
    response.end(file.bytes);
  };
  return server;
}

const pathOf = ({ url = '/' }: IncomingMessage) => url.replace(/[?#].*$/, '');

/** A change made by the page itself. */
function change(path: RegExp, handle: Route['handle']): Route {
  return { method: 'POST', path, needs: 'session-and-origin', handle };
}

function state({ ledger, keys, engines, apiUrl }: DashboardOptions) {
  const history = [
    ...ledger.topUps(HISTORY_LENGTH).map((topUp) => ({
      at: topUp.created_at,
      what: topUp.description,
      amount: topUp.amount,
      state: 'settled',
      isLost: false,
      requestId: null,
      key: null,
    })),
    ...ledger.charges(HISTORY_LENGTH).map((charge) => ({
      at: charge.createdAt,
      what: `${charge.voice} (${charge.model})`,
      amount: -charge.amount,
      state: charge.state,
      isLost: charge.isLost,
      requestId: charge.requestId,
      key: charge.keyName,
    })),
  ];
  return {
    account: ledger.account(),
    history: history.toSorted((a, b) => b.at.localeCompare(a.at)).slice(0, HISTORY_LENGTH),
    keys: keys.list(),
    costsMoney: engines.costMoney,
    engine: { name: engines.describe(), problem: engines.problem() ?? null },
    apiUrl: apiUrl(),
  };
}

function parse<T>(schema: z.ZodType<T>, body: unknown): T {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw new SpeechApiError('invalid_request', issue?.message ?? 'Invalid.', { param: issue?.path.join('.') || null });
}

function found<T>(value: T | undefined): T {
  if (value === undefined) throw new SpeechApiError('not_found', 'There is no such key, or it is revoked.');
  return value;
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  // Other types can be sent by a page of another site without asking first.
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
    throw new SpeechApiError('invalid_request', 'Send application/json.');
  }
  const body = await readBodyText(request, MAX_BODY_BYTES, 'The request is too large.');
  try {
    return JSON.parse(body || '{}');
  } catch {
    throw new SpeechApiError('invalid_request', 'This is not JSON.');
  }
}

/** Without anything secret: it is handed to every program on this machine that asks for it. */
function loadPage(): Record<string, { type: string; bytes: Buffer }> {
  const read = (name: string) => readFileSync(new URL(`./page/${name}`, import.meta.url));
  const html = (name: string) => ({ type: 'text/html; charset=utf-8', bytes: read(name) });
  const script = (name: string) => ({ type: 'text/javascript; charset=utf-8', bytes: read(name) });
  const index = html('index.html');
  return {
    '/': index,
    '/dashboard': index,
    '/dashboard.js': script('dashboard.js'),
    '/cli-login': html('cli-login.html'),
    '/cli-login.js': script('cli-login.js'),
    '/session.js': { type: 'text/javascript; charset=utf-8', bytes: SESSION_SCRIPT },
    '/dashboard.css': { type: 'text/css; charset=utf-8', bytes: read('dashboard.css') },
    '/icon.svg': { type: 'image/svg+xml', bytes: read('icon.svg') },
  };
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(body ?? null));
}
