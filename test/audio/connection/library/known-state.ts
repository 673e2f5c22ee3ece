import { createSocket } from 'node:dgram';
import { EventEmitter } from 'node:events';
import { onTestFinished } from 'vitest';
import { NetworkingStatusCode } from '../../../../src/audio/connection/library/voice-library.ts';

/** The library's state of a call with Alice, with every field that is borrowed of it. */
export function knownState() {
  const socket = createSocket('udp4');
  onTestFinished(() => void socket.close());
  const nothing = () => undefined;
  const ws = Object.assign(new EventEmitter().on('packet', nothing).on('binary', nothing), { onMessage: nothing });
  return {
    code: NetworkingStatusCode.Ready,
    connectionOptions: { userId: 'bot' },
    connectionData: {
      sequence: 0,
      timestamp: 0,
      ssrc: 1,
      nonce: 0,
      packetsPlayed: 0,
      speaking: false,
      secretKey: new Uint8Array(32),
      encryptionMode: 'aead_aes256_gcm_rtpsize',
      connectedClients: new Set(['alice', 'bot']),
    },
    dave: {
      protocolVersion: 1,
      session: { ready: false },
      pendingTransitions: new Map<number, number>(),
      lastTransitionId: undefined,
      reinitializing: false,
      encrypt: nothing,
    },
    udp: { socket, remote: { ip: '127.0.0.1', port: 50_000 }, send: nothing, keepAlive: nothing },
    ws,
  };
}
