import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as read } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** The address of a server on loopback that answers so until the test ends. */
export async function serverThat(answers: RequestListener): Promise<string> {
  const server = createServer(answers).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A request of raw HTTP to this machine, in which Host and Origin can be anything. */
export async function rawRequest(
  address: string,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: unknown,
) {
  const { port } = new URL(address);
  const request = httpRequest({ host: '127.0.0.1', port, method, path, headers });
  request.end(body === undefined ? undefined : JSON.stringify(body));
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, text: await read(response) };
}
