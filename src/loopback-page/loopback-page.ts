import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';

/** Browsers that may use the page at the same time; the one that signed in first is signed out by a further one. */
const MAX_SESSIONS = 20;

/** The one-time token in the page's address, and the sessions of browsers that opened it. Ends with the process. */
export interface PageAccess {
  /** Valid for one browser; another one takes its place then. */
  readonly token: () => string;
  /** The session for a token; undefined for one that is wrong or used. */
  readonly signIn: (token: string) => string | undefined;
  readonly isSignedIn: (session: unknown) => boolean;
}

/** `onUsed` gets the token that replaces a used one. */
export function createPageAccess({ onUsed = () => {} }: { onUsed?: (next: string) => void } = {}): PageAccess {
  let token = newSecret();
  /** Hashes: looking one up takes the same time however much of a guess is right. */
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

/** Refused with the status 403; `signed_out` leads the page to ask for the address again. */
interface Refusal {
  readonly code: 'forbidden' | 'signed_out';
  readonly message: string;
}

/**
 * Keeps other web sites in the same browser, and other accounts of this machine, away from the page: the request must
 * name this machine (against DNS rebinding), a change must come from the page itself, and all that it shows needs the
 * session of a browser that was given the one-time address.
 */
export function createGuard({ access, port }: { access: PageAccess; port: () => number }) {
  const hosts = () => ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${port()}`);
  return {
    /** Undefined when the request may go on; otherwise why not. */
    refuse(request: IncomingMessage, needs: RequestNeeds): Refusal | undefined {
      const { host, origin } = request.headers;
      if (host === undefined || !hosts().includes(host.toLowerCase()))
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

/** A link to the page, on another site or in a file: its window is the page's own, and the site sees nothing of it. */
const isOpenedInWindow = ({ method, headers }: IncomingMessage) =>
  method === 'GET' && headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';

const forbidden = (message: string): Refusal => ({ code: 'forbidden', message });

/** What a page on loopback may load besides its own files. */
interface PageSources {
  readonly media: readonly string[];
  readonly images?: readonly string[];
  readonly connections?: readonly string[];
  /** Programs in WebAssembly, which the browser compiles. */
  readonly wasm?: boolean;
}

/** Keeps markup of strangers from running in a page on loopback, and other sites from framing it. */
export const pageHeaders = ({
  media,
  images = [],
  connections = [],
  wasm = false,
}: PageSources): Record<string, string> => ({
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

/** The script with which a page signs in: every page on loopback serves it as `/session.js`. */
export const SESSION_SCRIPT = readFileSync(new URL('./session.js', import.meta.url));
