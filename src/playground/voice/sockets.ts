import { randomUUID } from 'node:crypto';
import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import { generate } from 'selfsigned';

const LIFETIME_MS = 30 * 24 * 3_600_000;
let made: ReturnType<typeof makeCertificate> | undefined;

/** The certificate for localhost and 127.0.0.1, made once a process: several servers share it. */
export function loopbackCertificate() {
  made ??= makeCertificate();
  return made;
}

/** A key and the certificate that is its own authority, both PEM. */
async function makeCertificate() {
  const now = Date.now();
  // Authorities of one name are taken for one another, where a process has several.
  const name = [
    { name: 'commonName', value: 'localhost' },
    { name: 'organizationName', value: randomUUID() },
  ];
  const made = await generate(name, {
    keyType: 'ec',
    algorithm: 'sha256',
    // An hour back: the clocks of containers differ.
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

// https://discord.com/developers/docs/topics/voice-connections#ip-discovery
const DISCOVERY_BYTES = 74;
const DISCOVERY_REQUEST = 1;
const DISCOVERY_RESPONSE = 2;
const DISCOVERY_LENGTH = 70;
/** A counter in a datagram of 8 bytes every few seconds, which keeps a NAT's mapping alive. */
const KEEP_ALIVE_BYTES = 8;

interface UdpHandlers {
  /** Nothing that comes is taken, and nothing answered. */
  isSilent(): boolean;
  /** True when the client of this SSRC is to get its address. */
  discovers(ssrc: number, from: RemoteInfo): boolean;
  /** Whether keep-alives are sent back. */
  echoes(): boolean;
  /** Anything that is neither discovery nor keep-alive. */
  datagram(bytes: Buffer, from: RemoteInfo): void;
}

/** The voice server's UDP side on a free port. */
export async function startUdp(host: string, handlers: UdpHandlers) {
  const socket = createSocket({ type: 'udp4', recvBufferSize: 1 << 20 });
  socket.on('message', (bytes, from) => {
    if (handlers.isSilent()) return;
    if (bytes.length === DISCOVERY_BYTES && bytes.readUInt16BE(0) === DISCOVERY_REQUEST) {
      if (bytes.readUInt16BE(2) === DISCOVERY_LENGTH && handlers.discovers(bytes.readUInt32BE(4), from)) {
        socket.send(discoveryAnswer(bytes, from), from.port, from.address);
      }
    } else if (bytes.length === KEEP_ALIVE_BYTES) {
      if (handlers.echoes()) socket.send(bytes, from.port, from.address);
    } else handlers.datagram(bytes, from);
  });
  socket.bind(0, host);
  await once(socket, 'listening');
  return {
    port: socket.address().port,
    send: (bytes: Uint8Array, { port, address }: Pick<RemoteInfo, 'port' | 'address'>) =>
      socket.send(bytes, port, address),
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
