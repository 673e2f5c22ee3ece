import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A service that answers every request with 200 and the same body. */
export async function startAnsweringServer() {
  let body = Buffer.alloc(0);
  const server = createServer((request, response) => {
    request.resume();
    response.setHeader('content-type', 'application/json').end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answerWith(next: Buffer) {
      body = Buffer.from(next);
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
