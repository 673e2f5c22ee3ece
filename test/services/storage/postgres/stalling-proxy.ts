import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/**
 * A way to the server of `url` that ends like one through a machine that vanished: the first connection that asks for something
 * with this text in it gets no answer from then on, and is not closed either.
 */
export async function startStallingProxy(url: string, text: string) {
  const socketPath = `${new URL(url).searchParams.get('host')}/.s.PGSQL.5432`;
  const open = new Set<Socket>();
  let hasStalled = false;
  const proxy = createServer((client) => {
    const server = connect(socketPath);
    open.add(client);
    client.once('close', () => {
      open.delete(client);
      server.destroy();
    });
    let isStalled = false;
    client.on('data', (bytes) => {
      if (!hasStalled && bytes.includes(text)) {
        hasStalled = true;
        isStalled = true;
      }
      if (!isStalled) server.write(bytes);
    });
    server.on('data', (bytes) => client.write(bytes));
    for (const socket of [client, server]) socket.on('error', () => client.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const client of open) client.destroy();
    proxy.close();
  });
  const through = new URL(url);
  through.searchParams.delete('host');
  through.hostname = '127.0.0.1';
  through.port = String((proxy.address() as AddressInfo).port);
  return { url: through.href, hasStalled: () => hasStalled, connections: () => open.size };
}
