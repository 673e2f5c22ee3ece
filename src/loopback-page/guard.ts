import type { IncomingMessage } from 'node:http';
import type { PageAccess } from './access.ts';

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
export function createGuard({ access, port }: { access: Pick<PageAccess, 'isSignedIn'>; port: () => number }) {
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
