import { createCipheriv } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { xchacha20poly1305 } from '@noble/ciphers/chacha.js';
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import type { EncryptionMode } from '../../../src/playground/voice/protocol.ts';
import type { VoiceServer } from '../../../src/playground/voice/server.ts';
import { until } from '../inbox.ts';
import { BOT, CHANNEL, GUILD } from './parties.ts';

interface Message {
  op: number;
  d?: unknown;
  seq?: number;
  payload?: Buffer;
}

/** A voice gateway client without any library. */
export function connectRaw(server: VoiceServer, query = '?v=8') {
  const socket = new WebSocket(`wss://${server.endpoint}/${query}`, { ca: server.caCertificatePem });
  let code: number | undefined;
  const messages: Message[] = [];
  const came = () => `${messages.map(({ op }) => op).join(', ')}, close code ${code}`;
  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary) messages.push({ seq: data.readUInt16BE(0), op: data.readUInt8(2), payload: data.subarray(3) });
    else messages.push(JSON.parse(data.toString()) as Message);
  });
  socket.on('close', (closeCode) => {
    code = closeCode;
  });
  return {
    socket,
    send: (op: number, d: unknown) => socket.send(JSON.stringify({ op, d })),
    /** Resolves with the first message of this opcode, also one that came before. */
    next: (op: number) => until(() => messages.find((one) => one.op === op), came),
    /** Resolves with the close code. */
    closed: () => until(() => code, came),
  };
}

/** The identify payload of a client that the main gateway has just put into the channel. */
export function expectClient(server: VoiceServer, { userId = BOT } = {}) {
  const sessionId = `session-of-${userId}`;
  const { token } = server.expect({ guildId: GUILD, channelId: CHANNEL, userId, sessionId, dave: true });
  return { server_id: GUILD, user_id: userId, session_id: sessionId, token, max_dave_protocol_version: 1 };
}

/** Connects and identifies. */
export async function identified(server: VoiceServer, identity = expectClient(server)) {
  const client = connectRaw(server);
  await client.next(8);
  client.send(0, identity);
  const ready = await client.next(2);
  return { ...client, ssrc: (ready.d as { ssrc: number }).ssrc };
}

/** Connects, identifies and selects a protocol; audio can be sent over `udp`, until the test ends. */
export async function selected(
  server: VoiceServer,
  mode: EncryptionMode = 'aead_aes256_gcm_rtpsize',
  identity = expectClient(server),
) {
  const client = await identified(server, identity);
  const { port } = (await client.next(2)).d as { port: number };
  const udp = createSocket('udp4');
  onTestFinished(() => void udp.close());
  udp.bind(0, '127.0.0.1');
  await once(udp, 'listening');
  client.send(1, { protocol: 'udp', data: { address: '127.0.0.1', port: udp.address().port, mode } });
  const { secret_key } = (await client.next(4)).d as { secret_key: number[] };
  return { ...client, key: Uint8Array.from(secret_key), udp, port, mode };
}

type Selected = Awaited<ReturnType<typeof selected>>;

/** A frame of silence behind an RTP header, sealed as the mode says. */
export function sealedSilence({ ssrc, mode, key }: Selected, count: number): Buffer {
  const header = Buffer.alloc(12);
  header.writeUInt16BE(0x8078);
  header.writeUInt16BE(count, 2);
  header.writeUInt32BE(count * 960, 4);
  header.writeUInt32BE(ssrc, 8);
  const silence = Buffer.of(0xf8, 0xff, 0xfe);
  const suffix = Buffer.alloc(4);
  suffix.writeUInt32BE(count);
  if (mode === 'aead_xchacha20_poly1305_rtpsize') {
    const nonce = Buffer.concat([suffix, Buffer.alloc(20)]);
    return Buffer.concat([header, xchacha20poly1305(key, nonce, header).encrypt(silence), suffix]);
  }
  const cipher = createCipheriv('aes-256-gcm', key, Buffer.concat([suffix, Buffer.alloc(8)]));
  cipher.setAAD(header);
  return Buffer.concat([header, cipher.update(silence), cipher.final(), cipher.getAuthTag(), suffix]);
}
