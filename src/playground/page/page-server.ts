import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, extname, join, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type WebSocket, WebSocketServer } from 'ws';
import * as z from 'zod';
import { createGuard, createPageAccess, pageHeaders, SESSION_SCRIPT } from '../../loopback-page/loopback-page.ts';
import { type PageSource, serveConnection } from './connection.ts';

/** The maximum size of a request from the page: a file of 10 MiB in base64, plus the rest of the request. */
const MAX_REQUEST_BYTES = 16 * 1024 * 1024;
const MAX_TOKEN_BYTES = 1_024;
const HELLO_TIMEOUT_MS = 5_000;
/** The WebSocket close code for a browser that is not signed in: the page then asks its user for the one-time address. */
const SIGNED_OUT = 4401;
const GOING_AWAY = 1001;
/** How long the shutdown waits for open pages. A suspended browser never closes its connection. */
const FAREWELL_TIMEOUT_MS = 500;

const signInSchema = z.strictObject({ token: z.string().max(128) });
const helloSchema = z.strictObject({ session: z.string().max(64) });

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

function filesBelow(folder: string, at: string) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => TYPES[extname(name)] !== undefined)
    .map((name): [string, { type: string; bytes: Buffer }] => [
      `${at}${name.split(sep).join('/')}`,
      { type: TYPES[extname(name)] ?? '', bytes: readFileSync(join(folder, name)) },
    ]);
}

/** Loads the page's files, by path. No file may contain a secret: every program on the machine can request them. */
function loadFiles() {
  const own = filesBelow(fileURLToPath(new URL('./client', import.meta.url)), '/');
  const libopus = filesBelow(dirname(fileURLToPath(import.meta.resolve('libopus-wasm'))), '/libopus/');
  const files = new Map([...own, ...libopus]);
  files.set('/session.js', { type: TYPES['.js'] ?? '', bytes: SESSION_SCRIPT });
  const index = files.get('/index.html');
  if (index) files.set('/', index);
  return files;
}

export type PlaygroundPage = Awaited<ReturnType<typeof startPlaygroundPage>>;

export async function startPlaygroundPage(source: PageSource, port: number) {
  const access = createPageAccess();
  const guard = createGuard(access);
  const files = loadFiles();
  const headers = Object.entries(pageHeaders({ media: ['blob:'], images: ['blob:'], connections: [], wasm: true }));
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_REQUEST_BYTES });

  const http = createServer((request, response) => {
    for (const [name, value] of headers) response.setHeader(name, value);
    answer(request, response).catch(() => sendJson(response, 400, problem('This is not a request of this page.')));
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '/').replace(/[?#].*$/, '');
    const isSignIn = request.method === 'POST' && path === '/api/sign-in';
    const isSession = request.method === 'GET' && path === '/api/session';
    const refused = guard.refuse(request, isSignIn ? 'origin' : isSession ? 'session' : 'nothing');
    if (refused !== undefined) return sendJson(response, 403, { error: refused });
    if (isSession) return sendJson(response, 200, {});
    if (isSignIn) {
      const session = access.signIn(signInSchema.parse(JSON.parse(await readText(request))).token);
      if (session !== undefined) return sendJson(response, 200, { session });
      return sendJson(response, 400, problem('This address is wrong or was used before: take the next one.'));
    }
    const file = request.method === 'GET' ? files.get(path) : undefined;
    if (file === undefined) return sendJson(response, 404, problem('There is no such page.'));
    response.writeHead(200, { 'Content-Type': file.type });
    response.end(file.bytes);
  }

  http.on('upgrade', (request, stream, head) => {
    // On an upgrade to WebSocket, Node removes its own error handler: an unhandled socket error would end the process.
    stream.on('error', () => stream.destroy());
    if (request.url !== '/live' || guard.refuse(request, 'origin') !== undefined) {
      stream.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n');
      return;
    }
    sockets.handleUpgrade(request, stream, head, greet);
  });

  /** The browser's first message contains the secret of its sign-in, because a browser cannot set headers on a WebSocket. */
  function greet(socket: WebSocket): void {
    const late = setTimeout(() => socket.close(SIGNED_OUT), HELLO_TIMEOUT_MS);
    socket.on('error', () => socket.terminate());
    socket.once('close', () => clearTimeout(late));
    socket.once('message', (data: Buffer) => {
      clearTimeout(late);
      const hello = helloSchema.safeParse(parseJson(data.toString('utf8')));
      if (hello.success && access.isSignedIn(hello.data.session)) {
        serveConnection(socket, source);
      } else socket.close(SIGNED_OUT);
    });
  }

  const address = () => `http://127.0.0.1:${(http.address() as AddressInfo).port}/#token=${access.token()}`;
  http.listen({ host: '127.0.0.1', port });
  await once(http, 'listening');

  let closing: Promise<void> | undefined;
  async function close(): Promise<void> {
    const open = [...sockets.clients];
    for (const socket of open) socket.close(GOING_AWAY);
    const late = setTimeout(() => {
      for (const socket of open) socket.terminate();
    }, FAREWELL_TIMEOUT_MS);
    http.closeAllConnections();
    await new Promise<void>((resolve) => http.close(() => resolve()));
    clearTimeout(late);
  }
  return {
    address,
    close: () => (closing ??= close()),
  };
}

const problem = (message: string) => ({ error: { code: 'invalid_request', message } });

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  if (response.headersSent) return;
  response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(body));
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_TOKEN_BYTES) throw new Error('The request is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const escaped = (text: string) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/**
 * The page's address contains a secret, and other accounts of the machine can see a program's arguments. The browser
 * therefore opens a private file that redirects to the address. Returns the function that removes the file.
 */
export async function openBrowser(address: string, folder: string): Promise<() => void> {
  const file = resolve(folder, `open-page-${process.pid}.html`);
  const page = `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=${escaped(address)}">\n`;
  writeFileSync(file, page, { mode: 0o600 });
  const { default: open } = await import('open');
  try {
    const browser = await open(pathToFileURL(file).href);
    // Without an error listener on the child process, a missing browser would end the playground.
    browser.on('error', () => undefined);
  } catch {
    // If no browser starts, the user can open the address that the playground prints.
  }
  return () => rmSync(file, { force: true });
}
