import type { Server } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Duplex } from 'node:stream';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import type { GatewayEvent, Hub } from '../state/hub.ts';
import {
  type Connection,
  createConnection,
  type GatewayCounts,
  type GatewayFaults,
  RESUME_PATH,
} from './connection.ts';
import { createIdentifyLimits, createSessions, type Sessions } from './sessions.ts';

export interface GatewayServer {
  readonly sessions: Sessions;
  readonly counts: GatewayCounts;
  readonly faults: GatewayFaults;
  connections(): readonly Connection[];
  close(): Promise<void>;
}

interface GatewayOptions {
  /** Counts sessions that have ended, too. */
  readonly strictIdentify: boolean;
  readonly heartbeatIntervalMs: number;
}

/** How often it is looked at how late this process is. */
const LAG_RESOLUTION_MS = 20;
/** A frame may hold 4096 bytes: https://discord.com/developers/docs/events/gateway#sending-events */
const MAX_PAYLOAD_BYTES = 4_096;

/** Adds the main gateway, version 10 in JSON, to the HTTP server. */
export function attachGateway(http: Server, hub: Hub, options: GatewayOptions): GatewayServer {
  const sessions = createSessions(hub);
  const counts: GatewayCounts = { resumes: 0, refusedIdentifies: 0 };
  const lag = monitorEventLoopDelay({ resolution: LAG_RESOLUTION_MS });
  lag.enable();
  const lagMs = () => {
    const ms = Math.max(0, lag.max / 1e6 - LAG_RESOLUTION_MS);
    lag.reset();
    return ms;
  };
  const identifyLimits = createIdentifyLimits(hub, { strict: options.strictIdentify, lagMs });
  const faults: GatewayFaults = {
    answerHeartbeats: true,
    identifiesToRefuse: 0,
    refuseConnections: false,
    refuseResumes: false,
    delayedEvents: new Map(),
    lostEvents: new Set(),
    repeatedEvents: new Set(),
  };
  const connections = new Set<Connection>();
  const upgrades = new WebSocketServer({ noServer: true });

  hub.deliver = (event: GatewayEvent) => {
    if (faults.lostEvents.has(event.name)) return;
    const delayMs = faults.delayedEvents.get(event.name);
    if (faults.repeatedEvents.has(event.name)) sessions.deliver(event);
    if (delayMs === undefined) sessions.deliver(event);
    else setTimeout(() => sessions.deliver(event), delayMs).unref();
  };

  http.on('upgrade', (request, socket: Duplex, head) => {
    // Until the upgrade is done the socket has no other error listener.
    socket.on('error', () => socket.destroy());
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const isRefused = faults.refuseConnections || (faults.refuseResumes && url.pathname === RESUME_PATH);
    if (isRefused || !['/', RESUME_PATH].includes(url.pathname)) {
      socket.end(`HTTP/1.1 ${isRefused ? '503 Service Unavailable' : '404 Not Found'}\r\nConnection: close\r\n\r\n`);
      return;
    }
    upgrades.handleUpgrade(request, socket, head, (ws: WebSocket) => accept(ws, url.searchParams));
  });

  const accept = (ws: WebSocket, query: URLSearchParams) => {
    // Version 10 is the one this Discord speaks; no encoding but JSON and no compression.
    if ((query.get('v') ?? '10') !== '10') return ws.close(4012, 'Invalid API version');
    if ((query.get('encoding') ?? 'json') !== 'json') return ws.close(4002, 'Error while decoding payload.');
    if (query.has('compress')) return ws.close(4002, 'Compression is not offered here.');
    const connection = createConnection(ws, {
      hub,
      sessions,
      counts,
      faults,
      identifyLimits,
      heartbeatIntervalMs: options.heartbeatIntervalMs,
    });
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
    // A broken connection emits `close` right after, which handles it.
    ws.on('error', () => ws.terminate());
  };

  return {
    sessions,
    counts,
    faults,
    connections: () => [...connections],
    async close() {
      // Those just refused are no connections of ours any more, but would be waited for.
      for (const socket of upgrades.clients) socket.terminate();
      sessions.close();
      lag.disable();
      await new Promise<void>((resolve) => upgrades.close(() => resolve()));
    },
  };
}
