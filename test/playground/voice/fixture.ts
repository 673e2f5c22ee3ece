import './without-sodium-native.ts';
import { type VoiceConnection, VoiceConnectionStatus } from '@discordjs/voice';
import { afterEach, beforeEach } from 'vitest';
import { type Listener, startVoiceServer, type VoiceServer } from '../../../src/playground/voice/server.ts';
import { CHANNEL, encrypted, GUILD, type JoinOptions, join, trust } from './client.ts';

/** A listener's counts when it received all packets. */
export const EVERYTHING = { endToEndEncrypted: true, unencryptedFrames: 0, undecryptableFrames: 0, lostPackets: 0 };

/** A voice server for each test of the file, with its participants; all are closed with the test. */
export function voiceServerForEachTest() {
  let server: VoiceServer;
  let connections: VoiceConnection[] = [];

  beforeEach(async () => {
    server = await startVoiceServer();
    trust(server);
  });

  afterEach(async () => {
    for (const connection of connections) {
      if (connection.state.status !== VoiceConnectionStatus.Destroyed) connection.destroy();
    }
    connections = [];
    await server.close();
  });

  function bot(options: JoinOptions = {}): VoiceConnection {
    const connection = join(server, options);
    connections.push(connection);
    return connection;
  }

  return {
    server: () => server,
    bot,
    listens: (userId: string, where: { channelId?: string; guildId?: string; dave?: boolean } = {}): Listener =>
      server.addListener({ guildId: GUILD, channelId: CHANNEL, userId, ...where }),
    /** A connection whose group with the listener is established. */
    async speakingWith(listener: Listener, options: JoinOptions = {}): Promise<VoiceConnection> {
      const connection = bot(options);
      await encrypted(connection);
      await listener.ready({ timeoutMs: 2_000 });
      return connection;
    },
  };
}
