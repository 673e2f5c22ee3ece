import type { Server } from 'node:http';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import type { Hub } from '../state/hub.ts';
import { Connection, RESUME_PATH } from './connection.ts';
import { createGatewayState } from './sessions.ts';

/** Discord's size limit for an event that a bot sends: https://discord.com/developers/docs/events/gateway#sending-events */
const MAX_PAYLOAD_BYTES = 4_096;

export type GatewayServer = ReturnType<typeof createGatewayServer>;

export function createGatewayServer(http: Server, hub: Hub, heartbeatIntervalMs: number, strictIdentify: boolean) {
  const state = createGatewayState(hub, heartbeatIntervalMs, strictIdentify);
  const { sessions, faults } = state;
  const connections = new Set<Connection>();
  const upgrades = new WebSocketServer({ noServer: true });
  hub.deliver = (event) => {
    if (faults.lostEvents.has(event.name)) return;
    const delayMs = faults.delayedEvents.get(event.name);
    if (faults.repeatedEvents.has(event.name)) sessions.deliver(event);
    if (delayMs === undefined) sessions.deliver(event);
    else setTimeout(() => sessions.deliver(event), delayMs).unref();
  };
  http.on('upgrade', (request, socket, head) => {
    // On an upgrade to WebSocket, Node removes its own error handler: an unhandled socket error would end the process.
    socket.on('error', () => socket.destroy());
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const isRefused = faults.refuseConnections;
    if (isRefused || !['/', RESUME_PATH].includes(url.pathname)) {
      socket.end(`HTTP/1.1 ${isRefused ? '503 Service Unavailable' : '404 Not Found'}\r\nConnection: close\r\n\r\n`);
      return;
    }
    upgrades.handleUpgrade(request, socket, head, (ws: WebSocket) => accept(ws, url.searchParams));
  });

  function accept(ws: WebSocket, query: URLSearchParams) {
    if ((query.get('v') ?? '10') !== '10') return ws.close(4012, 'Invalid API version');
    if ((query.get('encoding') ?? 'json') !== 'json') return ws.close(4002, 'Error while decoding payload.');
    if (query.has('compress')) return ws.close(4002, 'Compression is not offered here.');
    const connection = new Connection(ws, state);
    connections.add(connection);
    ws.on('message', (data: RawData, isBinary: boolean) => {
      const bytes = Buffer.isBuffer(data)
        ? data
        : Buffer.concat([data as ArrayBuffer].flat().map((part) => Buffer.from(part)));
      if (isBinary || bytes.length > MAX_PAYLOAD_BYTES) ws.close(4002, 'Error while decoding payload.');
      else connection.receive(bytes.toString('utf8'));
    });
    ws.on('close', (code: number) => {
      connections.delete(connection);
      connection.closed(code);
    });
    // After an error of a gateway socket, the event `close` follows, and its handler cleans up.
    ws.on('error', () => ws.terminate());
  }

  return {
    ...state,
    connections,
    async close(): Promise<void> {
      // The WebSocket server closes only when all its sockets are closed. A rejected client's socket is not in `connections`.
      for (const socket of upgrades.clients) socket.terminate();
      state.close();
      await new Promise<void>((resolve) => upgrades.close(() => resolve()));
    },
  };
}
