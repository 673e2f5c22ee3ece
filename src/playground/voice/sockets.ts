import { randomUUID } from 'node:crypto';
import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { generate } from 'selfsigned';
import { type WebSocket, WebSocketServer } from 'ws';
import type { VoiceServerSettings } from './protocol.ts';

const LIFETIME_MS = 30 * 24 * 3_600_000;
let made: Promise<Certificate> | undefined;

type Certificate = Awaited<ReturnType<typeof makeCertificate>>;

/** The certificate for localhost and 127.0.0.1, made once per process and used by all servers. */
export function loopbackCertificate(): Promise<Certificate> {
  made ??= makeCertificate();
  return made;
}

async function makeCertificate() {
  const now = Date.now();
  // TLS finds an authority by name: of two with the same name in a process, it could choose the wrong one.
  const name = [
    { name: 'commonName', value: 'localhost' },
    { name: 'organizationName', value: randomUUID() },
  ];
  const made = await generate(name, {
    keyType: 'ec',
    algorithm: 'sha256',
    // The certificate is valid from an hour ago, because clocks of containers differ.
    notBeforeDate: new Date(now - 3_600_000),
    notAfterDate: new Date(now + LIFETIME_MS),
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', digitalSignature: true, keyCertSign: true, critical: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
        ],
      },
    ],
  });
  return { key: made.private, cert: made.cert };
}

// The size of an IP discovery datagram: https://discord.com/developers/docs/topics/voice-connections#ip-discovery
const DISCOVERY_BYTES = 74;
const DISCOVERY_REQUEST = 1;
const DISCOVERY_RESPONSE = 2;
const DISCOVERY_LENGTH = 70;
/** A keep-alive is a counter that a client sends every few seconds, so that routers (NAT) keep the connection. */
const KEEP_ALIVE_BYTES = 8;

interface UdpHandlers {
  /** A client asks for its own address over UDP (IP discovery). It gets an answer if this function returns true. */
  discovers(ssrc: number, from: RemoteInfo): boolean;
  datagram(bytes: Buffer, from: RemoteInfo): void;
}

export async function startUdp(host: string, settings: VoiceServerSettings, handlers: UdpHandlers) {
  const socket = createSocket({ type: 'udp4', recvBufferSize: 1 << 20 });
  socket.on('message', (bytes, from) => {
    if (settings.isUdpSilent) return;
    if (bytes.length === DISCOVERY_BYTES && bytes.readUInt16BE(0) === DISCOVERY_REQUEST) {
      if (bytes.readUInt16BE(2) === DISCOVERY_LENGTH && handlers.discovers(bytes.readUInt32BE(4), from)) {
        socket.send(discoveryAnswer(bytes, from), from.port, from.address);
      }
    } else if (bytes.length === KEEP_ALIVE_BYTES) {
      if (settings.echoKeepAlives) socket.send(bytes, from.port, from.address);
    } else handlers.datagram(bytes, from);
  });
  socket.bind(0, host);
  await once(socket, 'listening');
  return {
    port: socket.address().port,
    send: (bytes: Uint8Array, to: { readonly port: number; readonly address: string }) =>
      socket.send(bytes, to.port, to.address),
    close: () => new Promise<void>((resolve) => socket.close(() => resolve())),
  };
}

function discoveryAnswer(request: Buffer, from: RemoteInfo): Buffer {
  const answer = Buffer.alloc(DISCOVERY_BYTES);
  answer.writeUInt16BE(DISCOVERY_RESPONSE, 0);
  answer.writeUInt16BE(DISCOVERY_LENGTH, 2);
  answer.writeUInt32BE(request.readUInt32BE(4), 4);
  answer.write(from.address, 8, 'ascii');
  answer.writeUInt16BE(from.port, DISCOVERY_BYTES - 2);
  return answer;
}

export async function listenForClients(
  host: string,
  tls: Certificate,
  settings: VoiceServerSettings,
  serve: (socket: WebSocket) => void,
) {
  const https = createServer(tls);
  const sockets = new WebSocketServer({ noServer: true, maxPayload: 1 << 20 });
  https.on('upgrade', (request, stream, head) => {
    // On an upgrade to WebSocket, Node removes its own error handler: an unhandled socket error would end the process.
    stream.on('error', () => stream.destroy());
    if (settings.upgradesToRefuse > 0) {
      settings.upgradesToRefuse -= 1;
      stream.end('HTTP/1.1 521 \r\nConnection: close\r\n\r\n');
      return;
    }
    const version = new URL(request.url ?? '/', 'wss://localhost').searchParams.get('v');
    // Only version 8 of the voice gateway is served: https://discord.com/developers/docs/topics/voice-connections#voice-gateway-versioning
    if (version !== '8')
      stream.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\nVoice gateway version 8 is required\n');
    else sockets.handleUpgrade(request, stream, head, serve);
  });
  https.listen(0, host);
  await once(https, 'listening');
  return {
    endpoint: `${host}:${(https.address() as AddressInfo).port}`,
    close(): Promise<unknown> {
      for (const socket of sockets.clients) socket.terminate();
      https.closeAllConnections();
      return new Promise((resolve) => https.close(resolve));
    },
  };
}
