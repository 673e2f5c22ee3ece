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
  apiUrl: string;
  access: PageAccess;
}

interface Route {
  needs: RequestNeeds;
  handle(body: unknown): unknown;
}

/** A route whose body is checked first. */
function route<T>(needs: RequestNeeds, schema: z.ZodType<T>, handle: (body: T) => unknown): Route {
  return {
    needs,
    handle(body) {
      const { data, error } = schema.safeParse(body);
      if (!error) return handle(data);
      const [issue] = error.issues;
      throw new SpeechApiError('invalid_request', issue?.message ?? 'Invalid.', {
        param: issue?.path.join('.') || null,
      });
    },
  };
}

const keyIdSchema = z.strictObject({ id: z.string().max(64) });
const nameSchema = z.strictObject({ name: keyNameSchema });
const signInSchema = z.strictObject({ token: z.string().max(128) });

/** The operator's page: opened by a name of this machine alone, on whatever address the API listens. */
export function createDashboardServer(options: DashboardOptions): Server {
  const { keys, ledger, engines, faults, log, access, apiUrl, faultsOverHttp } = options;
  const guard = createGuard({ access, port: () => (server.address() as AddressInfo).port });
  const page = loadPage();
  const logins = createCliLogins(keys);
  /** What the page itself does. */
  const own = 'session-and-origin';
  // For tools and tests, which have no page to take a token from; the guard still keeps other sites' pages out.
  const faultRoutes: Record<string, Route> = {
    'GET /faults': { needs: 'nothing', handle: () => faultsAsJson(faults) },
    'PUT /faults': route('nothing', faultsSchema, (changed) => faultsAsJson(Object.assign(faults, changed))),
  };
  const routes: Record<string, Route> = {
    'GET /api/state': {
      needs: 'session',
      handle: () => ({
        account: ledger.account(),
        charges: ledger.charges(HISTORY_LENGTH),
        keys: keys.list(),
        costsMoney: engines.costMoney,
        engine: { name: engines.describe(), problem: engines.problem() ?? null },
        apiUrl,
      }),
    },
    'POST /api/sign-in': route('origin', signInSchema, ({ token }) => {
      const session = access.signIn(token);
      if (session !== undefined) return { session };
      throw new SpeechApiError('invalid_request', 'This address is wrong or was used before: take the next one.');
    }),
    'POST /api/keys': route(own, nameSchema, ({ name }) => {
      checkNameIsFree(keys, name);
      return keys.create(name);
    }),
    'POST /api/keys/revoke': route(own, keyIdSchema, ({ id }) => {
      checkReplaceable(keys, id);
      return keys.revoke(id);
    }),
    'POST /api/cli-login/confirm': route(own, confirmSchema, logins.confirm),
    'POST /api/cli-login/refuse': route(own, refuseSchema, logins.refuse),
    // For the command line, which has no page: its one-time token and its secret authenticate it.
    'POST /cli-login/redeem': route('nothing', redeemSchema, logins.redeem),
    ...(faultsOverHttp ? faultRoutes : undefined),
  };

  const server = createServer((request, response) => {
    const requestId = newRequestId();
    const path = (request.url ?? '/').replace(/[?#].*$/, '');
    // Whether the command line still waits.
    const connections = path === '/cli-login' ? ['http://127.0.0.1:*'] : [];
    for (const [name, value] of Object.entries(pageHeaders({ media: ["'none'"], connections }))) {
      response.setHeader(name, value);
    }
    response.setHeader('request-id', requestId);
    answer(request, response, path).catch((error: unknown) => {
      if (response.headersSent || response.destroyed) return;
      if (error instanceof SpeechApiError) return sendJson(response, error.status, error.body());
      log.error({ requestId, err: error }, 'dashboard request failed');
      sendJson(response, 500, new SpeechApiError('server_error', 'Something went wrong: see the log.').body());
    });
  });

  const answer = async (request: IncomingMessage, response: ServerResponse, path: string): Promise<void> => {
    const found = routes[`${request.method} ${path}`];
    const refused = guard.refuse(request, found?.needs ?? 'nothing');
    if (refused !== undefined) return sendJson(response, 403, { error: refused });
    if (found !== undefined) {
      const body = request.method === 'GET' ? undefined : await readJson(request);
      return sendJson(response, 200, found.handle(body));
    }
    const file = request.method === 'GET' ? page[path] : undefined;
    if (file === undefined) throw new SpeechApiError('not_found', 'There is no such page.');
    response.writeHead(200, { 'Content-Type': file.type });
    response.end(file.bytes);
  };
  return server;
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
  const read = (name: string, type: string) => ({
    type,
    bytes: readFileSync(new URL(`./page/${name}`, import.meta.url)),
  });
  const html = 'text/html; charset=utf-8';
  const script = 'text/javascript; charset=utf-8';
  const index = read('index.html', html);
  return {
    '/': index,
    '/dashboard': index,
    '/dashboard.js': read('dashboard.js', script),
    '/cli-login': read('cli-login.html', html),
    '/cli-login.js': read('cli-login.js', script),
    '/session.js': { type: script, bytes: SESSION_SCRIPT },
    '/dashboard.css': read('dashboard.css', 'text/css; charset=utf-8'),
    '/icon.svg': read('icon.svg', 'image/svg+xml'),
  };
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(body ?? null));
}
