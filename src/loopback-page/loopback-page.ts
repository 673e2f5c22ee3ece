import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';

/** Maximum number of signed-in browsers. A further browser signs out the one that signed in first. */
const MAX_SESSIONS = 20;

/** Access to a page: a one-time token in its address, and the sessions of browsers. Both end with the process. */
export interface PageAccess {
  /** The token that the page's next browser needs. A new token replaces it as soon as a browser has used it. */
  readonly token: () => string;
  /** Returns a session for the browser, or undefined if the one-time token is wrong or used. */
  readonly signIn: (token: string) => string | undefined;
  readonly isSignedIn: (session: unknown) => boolean;
}

/** `onUsed` gets the next one-time token after a browser has used the current one. */
export function createPageAccess({ onUsed = () => {} }: { onUsed?: (next: string) => void } = {}): PageAccess {
  let token = newSecret();
  /** Sessions are stored as hashes, so that the time of a look-up tells nothing about a guessed session. */
  const sessions = new Set<string>();

  return {
    token: () => token,
    signIn(given) {
      if (hashOf(given) !== hashOf(token)) return undefined;
      token = newSecret();
      const session = newSecret();
      sessions.add(hashOf(session));
      const [oldest] = sessions;
      if (sessions.size > MAX_SESSIONS && oldest !== undefined) sessions.delete(oldest);
      onUsed(token);
      return session;
    },
    isSignedIn: (session) => typeof session === 'string' && sessions.has(hashOf(session)),
  };
}

const newSecret = () => randomBytes(24).toString('base64url');

const hashOf = (secret: string) => createHash('sha256').update(secret).digest('base64url');

const SESSION_HEADER = 'x-crier-session';

export type RequestNeeds = 'nothing' | 'origin' | 'session' | 'session-and-origin';

/** Why a request is rejected with status 403. After the code `signed_out`, the page asks for its one-time address. */
interface Refusal {
  readonly code: 'forbidden' | 'signed_out';
  readonly message: string;
}

/**
 * Protects a page on this machine from other web sites and other accounts of the machine. Each request must name this
 * machine as its host (against DNS rebinding).
 */
export function createGuard(access: PageAccess) {
  return {
    refuse(request: IncomingMessage, needs: RequestNeeds): Refusal | undefined {
      const { host, origin } = request.headers;
      const hosts = ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${request.socket.localPort}`);
      if (host === undefined || !hosts.includes(host.toLowerCase()))
        return forbidden('This page only works on this machine.');
      if (origin !== undefined && origin !== `http://${host}`)
        return forbidden('Requests from other sites are refused.');
      const site = request.headers['sec-fetch-site'];
      const isForeign = site !== undefined && site !== 'same-origin' && site !== 'none';
      if (isForeign && !(needs === 'nothing' && isOpenedInWindow(request)))
        return forbidden('Requests from other sites are refused.');
      if (needs === 'nothing') return undefined;
      if (needs !== 'session' && origin === undefined) return forbidden('A change must come from the page.');
      if (needs === 'origin' || access.isSignedIn(request.headers[SESSION_HEADER])) return undefined;
      return { code: 'signed_out', message: 'Open the page with its one-time address.' };
    },
  };
}

/** True if a request opens the page in a window. Links on other sites may do so, because a site cannot read that window. */
const isOpenedInWindow = ({ method, headers }: IncomingMessage) =>
  method === 'GET' && headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';

const forbidden = (message: string): Refusal => ({ code: 'forbidden', message });

interface PageSources {
  readonly media: readonly string[];
  readonly images: readonly string[];
  readonly connections: readonly string[];
  readonly wasm: boolean;
}

export const pageHeaders = ({ media, images, connections, wasm }: PageSources): Record<string, string> => ({
  'Content-Security-Policy': [
    "default-src 'none'",
    `script-src 'self'${wasm ? " 'wasm-unsafe-eval'" : ''}`,
    "style-src 'self'",
    ['img-src', "'self'", ...images].join(' '),
    ['connect-src', "'self'", ...connections].join(' '),
    ['media-src', ...media].join(' '),
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
});

export const SESSION_SCRIPT = readFileSync(new URL('./session.js', import.meta.url));
