import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import * as z from 'zod';
import {
  createGuard,
  type PageAccess,
  pageHeaders,
  type RequestNeeds,
  SESSION_SCRIPT,
} from '../../loopback-page/loopback-page.ts';
import { createServer } from '../../process/http.ts';
import { nameWithModel, parseJson, soundOf, variantsIn } from '../../speech/interface/schemas.ts';
import { newRequestId, readBodyText, SpeechApiError, sendJson } from '../api/api-error.ts';
import { faultsSchema, type ServerContext } from '../api/speech.ts';
import type { KeyStore } from '../store/account.ts';

const MAX_BODY_BYTES = 64 * 1024;
const HISTORY_LENGTH = 50;
const USAGE_DAYS = 14;

interface DashboardOptions extends ServerContext {
  faultsOverHttp: boolean;
  apiUrl: string;
  access: PageAccess;
}

interface Route {
  needs: RequestNeeds;
  handle(body: unknown): unknown;
}

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
const signInSchema = z.strictObject({ token: z.string().max(128) });

/** The dashboard only opens under a name of this machine, such as localhost, whatever address the API listens on. */
export function createDashboardServer(options: DashboardOptions): Server {
  const { keys, ledger, engines, faults, log, access, apiUrl, faultsOverHttp } = options;
  const guard = createGuard(access);
  const page = loadPage();
  const logins = createCliLogins(keys);
  const own = 'session-and-origin';
  // Tests switch on faults without a browser, so they need no session. Pages of other sites are still rejected.
  const faultRoutes: Record<string, Route> = {
    'PUT /faults': route('nothing', faultsSchema, (changed) => void Object.assign(faults, changed)),
  };
  const routes: Record<string, Route> = {
    'GET /api/state': {
      needs: 'session',
      handle: () => ({
        account: ledger.account(),
        usage: ledger.usageByDay(USAGE_DAYS),
        charges: labeledCharges(options),
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
    // The command line has no session: a one-time token and a secret authenticate its request for an API key.
    'POST /cli-login/redeem': route('nothing', redeemSchema, logins.redeem),
    ...(faultsOverHttp ? faultRoutes : undefined),
  };

  const server = createServer((request, response) => {
    const requestId = newRequestId();
    const path = (request.url ?? '/').replace(/[?#].*$/, '');
    // The login page may connect to ports of this machine, to check if the command line still waits for the answer.
    const connections = path === '/cli-login' ? ['http://127.0.0.1:*'] : [];
    const headers = pageHeaders({ media: ["'none'"], images: [], connections, wasm: false });
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    response.setHeader('request-id', requestId);
    answer(request, response, path).catch((error: unknown) => {
      if (response.headersSent || response.destroyed) return;
      if (error instanceof SpeechApiError) return sendJson(response, error.status, error.body());
      log.error({ requestId, err: error }, 'Dashboard request failed: the page shows an error');
      sendJson(response, 500, new SpeechApiError('server_error', 'Something went wrong: see the log.').body());
    });
  });

  const answer = async (request: IncomingMessage, response: ServerResponse, path: string): Promise<void> => {
    const found = routes[`${request.method} ${path}`];
    const refused = guard.refuse(request, found?.needs ?? 'nothing');
    if (refused !== undefined) return sendJson(response, 403, { error: refused });
    if (found !== undefined) {
      const body = request.method === 'GET' ? undefined : await readJson(request);
      return sendJson(response, 200, found.handle(body) ?? null);
    }
    const file = request.method === 'GET' ? page[path] : undefined;
    if (file === undefined) throw new SpeechApiError('not_found', 'There is no such page.');
    response.writeHead(200, { 'Content-Type': file.type });
    response.end(file.bytes);
  };
  return server;
}

/** Labels voices as the bot does, 'aria · female, American', with the model if labels would be equal. */
function labeledCharges({ ledger, engines }: ServerContext) {
  const voices = engines.voices();
  const variants = variantsIn(voices);
  return ledger.charges(HISTORY_LENGTH).map(({ model, ...charge }) => {
    const voice = voices.find((one) => one.name === charge.voice && one.model === model);
    const sound = voice ? soundOf(voice) : '';
    if (!voice || sound === '') return { ...charge, voice: nameWithModel({ name: charge.voice, model }) };
    return { ...charge, voice: `${variants.has(voice) ? nameWithModel(voice) : voice.name} · ${sound}` };
  });
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  // Only JSON is accepted: browsers let pages of other sites send other types without asking this server.
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
    throw new SpeechApiError('invalid_request', 'Send application/json.');
  }
  const body = parseJson((await readBodyText(request, MAX_BODY_BYTES, 'The request is too large.')) || '{}');
  if (body === undefined) throw new SpeechApiError('invalid_request', 'This is not JSON.');
  return body;
}

/** The dashboard's page must not contain secrets, because every program on this machine can fetch it. */
function loadPage(): Record<string, { type: string; bytes: Buffer }> {
  const bytesOf = (name: string) => readFileSync(new URL(`./page/${name}`, import.meta.url));
  const read = (name: string, type: string) => ({ type, bytes: bytesOf(name) });
  const signIn = String(bytesOf('sign-in.html'));
  const html = (name: string) => ({
    type: 'text/html; charset=utf-8',
    bytes: Buffer.from(String(bytesOf(name)).replace('<!-- sign-in -->', signIn)),
  });
  const script = 'text/javascript; charset=utf-8';
  const index = html('index.html');
  return {
    '/': index,
    '/dashboard': index,
    '/dashboard.js': read('dashboard.js', script),
    '/cli-login': html('cli-login.html'),
    '/cli-login.js': read('cli-login.js', script),
    '/session.js': { type: script, bytes: SESSION_SCRIPT },
    '/dashboard.css': read('dashboard.css', 'text/css; charset=utf-8'),
    '/icon.svg': read('icon.svg', 'image/svg+xml'),
  };
}

/*
 * `voice login` opens the login page with its loopback port, a random state and the hash of a secret. After the user's
 * confirmation, the browser sends a one-time token to the port. The command line exchanges token and secret for the
 * key, which never passes through the browser.
 */

const MAX_CHARACTERS = 60;

const keyNameSchema = z
  .string()
  .trim()
  .min(1, 'Give the key a name.')
  .max(MAX_CHARACTERS, {
    error: ({ input }) =>
      `The name of a key can have up to ${MAX_CHARACTERS} characters; this one has ${String(input).length}.`,
  });

const nameSchema = z.strictObject({ name: keyNameSchema });

/** Throws if another API key already has the name: the operator could not tell which key to revoke. */
function checkNameIsFree(keys: KeyStore, name: string): void {
  if (keys.list().some((key) => key.name === name && key.revokedAt === null))
    throw new SpeechApiError('invalid_request', `There is a key named “${name}” already: choose another name.`);
}

function mustBeThere<T>(key: T | undefined): T {
  if (key === undefined) throw new SpeechApiError('not_found', 'There is no such key, or it is revoked.');
  return key;
}

/** Throws if the API key is from SPEECH_SERVICE_KEY: the next start would make a revoked or replaced secret valid again. */
function checkReplaceable(keys: KeyStore, id: string): void {
  const key = mustBeThere(keys.list().find((one) => one.id === id && one.revokedAt === null));
  if (key.origin !== 'environment') return;
  throw new SpeechApiError(
    'invalid_request',
    'This key was given at the start, and the next start would bring it back. To replace the bot’s own, stop the bot, delete the file speech-key in its data folder, and start the bot; elsewhere, start the service with another SPEECH_SERVICE_KEY.',
  );
}

/** The lifetime of a login's one-time token in milliseconds: `voice login` waits as long for the user's answer. */
export const TOKEN_LIFETIME_MS = 5 * 60_000;
/** Maximum number of logins with an unused token: more than a person can confirm before the tokens expire. */
const MAX_PENDING = 100;

/** The error if the login page's address lacks the login's parameters, for example after the browser's Back. */
const OVER =
  'This page belongs to no login, or to one that is over: run voice login again, and answer on the page it opens.';
const random = z.string().regex(/^[\w-]{22,128}$/, OVER);
const callback = { port: z.int(OVER).min(1, OVER).max(65_535, OVER), state: random };

const confirmSchema = z.strictObject({
  ...callback,
  challenge: random,
  choice: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('create'), name: keyNameSchema }),
    z.strictObject({ kind: z.literal('rotate'), id: z.string().max(64) }),
  ]),
});
const refuseSchema = z.strictObject(callback);
const redeemSchema = z.strictObject({ token: z.string().max(128), verifier: z.string().max(128) });

type Confirmed = z.infer<typeof confirmSchema>;

export function createCliLogins(keys: KeyStore, now: () => number = Date.now) {
  const pending = new Map<string, Confirmed & { expiresAtMs: number }>();
  const forgetOld = () => {
    for (const [hash, login] of pending) if (login.expiresAtMs <= now()) pending.delete(hash);
  };

  return {
    confirm(login: Confirmed): { redirect: string } {
      const { choice } = login;
      if (choice.kind === 'rotate') checkReplaceable(keys, choice.id);
      else checkNameIsFree(keys, choice.name);
      forgetOld();
      if (pending.size >= MAX_PENDING)
        throw new SpeechApiError('invalid_request', 'Too many logins are waiting: try later.');
      const token = randomBytes(32).toString('base64url');
      pending.set(hashOf(token), { ...login, expiresAtMs: now() + TOKEN_LIFETIME_MS });
      return { redirect: backTo(login, { token }) };
    },
    refuse: (login: z.infer<typeof refuseSchema>) => ({ redirect: backTo(login, { error: 'refused' }) }),
    redeem({ token, verifier }: z.infer<typeof redeemSchema>): { key: string; name: string } {
      forgetOld();
      const login = pending.get(hashOf(token));
      // Any attempt to use a login's one-time token invalidates it, even a failed one.
      pending.delete(hashOf(token));
      // timingSafeEqual throws if the lengths differ, so they are compared first.
      const [given, wanted] = [Buffer.from(hashOf(verifier)), Buffer.from(login?.challenge ?? '')];
      if (login === undefined || given.length !== wanted.length || !timingSafeEqual(given, wanted)) {
        throw new SpeechApiError('invalid_request', 'The token is wrong, used, or older than five minutes.');
      }
      const { choice } = login;
      // The API key's name is checked a second time, because another login may have taken it since the confirmation.
      if (choice.kind === 'create') checkNameIsFree(keys, choice.name);
      const made = mustBeThere(choice.kind === 'create' ? keys.create(choice.name) : keys.rotate(choice.id));
      return { key: made.secret, name: made.key.name };
    },
  };
}

/** Returns the address that takes the user's answer to the waiting command line: always a port of this machine. */
const backTo = ({ port, state }: { port: number; state: string }, answer: Record<string, string>): string =>
  `http://127.0.0.1:${port}/callback?${new URLSearchParams({ ...answer, state })}`;

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url');
