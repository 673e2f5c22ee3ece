import tls from 'node:tls';
import type { VoiceServer } from '../../../src/playground/voice/server.ts';

export const GUILD = '100000000000000001';
export const CHANNEL = '200000000000000001';
export const BOT = '300000000000000001';
export const ALICE = '400000000000000001';
export const BOB = '400000000000000002';

/** Lets TLS clients of this process trust the server, as NODE_EXTRA_CA_CERTS does at a process's start. */
export function trust(server: VoiceServer): void {
  const trusted = tls.getCACertificates('default');
  if (!trusted.includes(server.caCertificatePem)) tls.setDefaultCACertificates([...trusted, server.caCertificatePem]);
}
