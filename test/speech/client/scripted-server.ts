import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export type Answering = (response: ServerResponse, received: Received) => void;

export const REQUEST_ID = `req_test_${'0123456789abcdef'.repeat(2)}`;
export const goodSpeech = {
  url: 'https://audio.example/clip.mp3',
  credits_used: 12,
  credits_remaining: 988,
  usage: { input_characters: 12, model: 'provider-model-long-name' },
};

/** An answer with a JSON body and, unless told otherwise, a request id. */
export function json(status: number, body: unknown, headers: Record<string, string> = {}): Answering {
  return raw(status, JSON.stringify(body), {
    'content-type': 'application/json',
    'request-id': REQUEST_ID,
    ...headers,
  });
}

export function raw(status: number, body: string, headers: Record<string, string> = {}): Answering {
  return (response) => response.writeHead(status, headers).end(body);
}

export function failure(status: number, code: string, headers: Record<string, string> = {}): Answering {
  return json(status, { error: { message: 'no', type: 'some_error', param: null, code } }, headers);
}

/** Reads the request and cuts the connection without a word. */
export const dropped: Answering = (response) => response.socket?.destroy();

/** A real server on loopback that answers as it is told and remembers what it was asked. */
export async function startScriptedServer(...answers: Answering[]) {
  let script = answers;
  const received: Received[] = [];
  let connections = 0;
  const server = createServer((request: IncomingMessage, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      const entry = { method, path, headers, body: Buffer.concat(chunks).toString() };
      received.push(entry);
      const answer = script.length > 1 ? script.shift() : script[0];
      (answer ?? json(200, goodSpeech))(response, entry);
    });
  });
  server.on('connection', () => void connections++);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    /** Connections opened so far. */
    connections: () => connections,
    /** The next requests are answered by these, in order; the last one also answers all that follow. */
    script(...next: Answering[]) {
      script = next;
    },
    close,
  };
}
