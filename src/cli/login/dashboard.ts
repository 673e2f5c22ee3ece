import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { request } from 'undici';
import { failure, usageError } from '../terminal/exit.ts';

/** The dashboard refused, or another site sent the browser here. */
export class LoginRefusedError extends Error {
  override readonly name = 'LoginRefusedError';
}

type CallbackServer = Awaited<ReturnType<typeof startCallbackServer>>;

/** Waits on loopback for the browser to come back from the dashboard. */
export async function startCallbackServer() {
  /** The dashboard gets it and has to return it: a callback without it comes from elsewhere. */
  const state = randomBytes(32).toString('base64url');
  /** Only its hash goes through the browser; redeeming the token needs the secret itself. */
  const verifier = randomBytes(32).toString('base64url');
  const { promise: token, resolve, reject } = Promise.withResolvers<string>();
  // It may settle before it is awaited: no unhandled rejection.
  token.catch(() => undefined);

  // The first answer counts, whatever else the browser may send.
  let isOver = false;
  const server = createServer((request, response) => {
    const { port } = server.address() as AddressInfo;
    const url = URL.parse(request.url ?? '/', `http://127.0.0.1:${port}`);
    const isOurs = request.headers.host === `127.0.0.1:${port}` && request.method === 'GET';
    if (!isOurs || url?.pathname !== '/callback') return answer(response, 404, 'There is nothing here.');
    if (!isSame(url.searchParams.get('state') ?? '', state)) {
      return answer(response, 400, 'This is not the login that is waiting. Start it again in the terminal.');
    }
    if (isOver) return answer(response, 410, 'This login is over. You can close this window.');
    isOver = true;
    const given = url.searchParams.get('token');
    if (given === null || given === '') {
      answer(response, 200, 'No key was given. You can close this window.');
      reject(new LoginRefusedError('The dashboard gave no key: the request was declined there.'));
      return;
    }
    answer(response, 200, 'The voice command line has its key. You can close this window.');
    resolve(given);
  });
  server.listen({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    state,
    verifier,
    challenge: createHash('sha256').update(verifier).digest('base64url'),
    /** The one-time token; rejects when the person refused. */
    token,
    close(): void {
      server.close();
      // The answer is on its way; a browser that keeps the connection must not keep the program.
      setTimeout(() => server.closeAllConnections(), 500).unref();
    },
  };
}

function isSame(a: string, b: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(a), hash(b));
}

function answer(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    Connection: 'close',
  });
  response.end(
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>voice login</title>` +
      `<body style="font-family:system-ui,sans-serif;margin:4rem auto;max-width:32rem;padding:0 1rem"><h1>voice login</h1><p>${text}</p></body></html>\n`,
  );
}

const TIMEOUT_MS = 10_000;

/**
 * The dashboard of a service: the given address, or `/dashboard` below the service's, which may answer with another
 * location. Undefined when there is none; rejects when the service is not reached.
 */
export async function findDashboard(
  baseUrl: URL,
  given: string | undefined,
  signal: AbortSignal,
): Promise<URL | undefined> {
  if (given !== undefined) {
    const url = URL.parse(given);
    if (url === null || !/^https?:$/.test(url.protocol))
      throw usageError('--dashboard-url must begin with https:// or http://.');
    return url;
  }
  const guess = new URL(`${baseUrl.href.replace(/\/+$/, '')}/dashboard`);
  const { statusCode, headers, body } = await request(guess, {
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    headers: { 'user-agent': 'crier-voice' },
  });
  await body.dump();
  if (statusCode === 200) return guess;
  const { location } = headers;
  const isRedirect = statusCode >= 300 && statusCode < 400 && location !== undefined;
  const target = isRedirect ? URL.parse(String(location), guess.href) : null;
  return target !== null && isTrustworthy(target, guess) ? target : undefined;
}

/** A key will come from there: over https, or on the machine the service itself is on. */
function isTrustworthy(target: URL, from: URL): boolean {
  return target.protocol === 'https:' || (target.protocol === 'http:' && from.protocol === 'http:');
}

export function loginPage(dashboard: URL, callback: CallbackServer): URL {
  const page = new URL(dashboard);
  page.pathname = `${page.pathname.replace(/\/+$/, '').replace(/\/dashboard$/, '')}/cli-login`;
  page.search = new URLSearchParams({
    port: String(callback.port),
    state: callback.state,
    challenge: callback.challenge,
    name: `voice on ${hostname()}`.slice(0, 60),
  }).toString();
  page.hash = '';
  return page;
}

export async function redeem(page: URL, token: string, verifier: string, signal: AbortSignal): Promise<string> {
  const url = new URL(`${page.pathname}/redeem`, page);
  const { statusCode, body } = await request(url, {
    method: 'POST',
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    headers: { 'user-agent': 'crier-voice', 'content-type': 'application/json' },
    body: JSON.stringify({ token, verifier }),
  });
  const answer = (await body.json().catch(() => undefined)) as { key?: unknown } | undefined;
  if (statusCode === 200 && typeof answer?.key === 'string' && answer.key !== '') return answer.key;
  throw failure(
    `The dashboard did not give the key (${statusCode}).`,
    'Start voice login again: what the browser sends works once, for five minutes.',
  );
}
