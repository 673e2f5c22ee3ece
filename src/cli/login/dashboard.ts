import { hostname } from 'node:os';
import { request } from 'undici';
import { failure, usageError } from '../terminal/exit.ts';
import type { CallbackServer } from './callback-server.ts';

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

/** The page on which the person says yes. */
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

/** Exchanges the one-time token for the key. */
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
