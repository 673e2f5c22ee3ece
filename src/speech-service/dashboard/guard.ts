import type { IncomingMessage } from 'node:http';

const TOKEN_HEADER = 'x-crier-token';

/**
 * Keeps other web sites in the same browser away from a page without a password: the request must name this machine
 * (against DNS rebinding), a change must come from the page itself, and
 * must carry the token that only a reader of the page knows.
 */
export function createGuard(options: { token: string; port: () => number }) {
  const hosts = () => ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${options.port()}`);
  return {
    token: options.token,
    /** Undefined when the request may go on; otherwise why not. */
    refuse(request: IncomingMessage, needs: 'nothing' | 'token' | 'token-and-origin'): string | undefined {
      const { host, origin } = request.headers;
      if (host === undefined || !hosts().includes(host.toLowerCase())) return 'This page answers on this machine only.';
      if (origin !== undefined && origin !== `http://${host}`) return 'Requests from other sites are refused.';
      const site = request.headers['sec-fetch-site'];
      if (site !== undefined && site !== 'same-origin' && site !== 'none')
        return 'Requests from other sites are refused.';
      if (needs === 'nothing') return undefined;
      if (request.headers[TOKEN_HEADER] !== options.token) return 'The token is missing or old: load the page again.';
      if (needs === 'token-and-origin' && origin === undefined) return 'A change must come from the page.';
      return undefined;
    },
  };
}
