import type { VoiceServer, VoiceServerOptions } from './types.ts';

export type {
  EncryptionMode,
  ExpectedClient,
  Heard,
  HeardPacket,
  Listener,
  ListenerOptions,
  VoiceClientView,
  VoiceServer,
  VoiceServerOptions,
  VoiceServerSettings,
} from './types.ts';

/** Starts a voice server on loopback: voice gateway over TLS and UDP, each on a free port. */
export async function startVoiceServer(_options: VoiceServerOptions = {}): Promise<VoiceServer> {
  throw new Error('The voice server is being built');
}
