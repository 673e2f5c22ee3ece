import type { VoiceConnection } from '@discordjs/voice';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startVoiceServer, type VoiceServer } from '../../../src/playground/voice/server.ts';
import { ALICE, CHANNEL, encrypted, GUILD, join, speak, tone, trust } from './client.ts';

let server: VoiceServer;
let connections: VoiceConnection[] = [];

beforeEach(async () => {
  server = await startVoiceServer();
  trust(server);
});

afterEach(async () => {
  for (const connection of connections) connection.destroy();
  connections = [];
  await server.close();
});

function bot(...args: Parameters<typeof join> extends [VoiceServer, ...infer Rest] ? Rest : never): VoiceConnection {
  const connection = join(server, ...args);
  connections.push(connection);
  return connection;
}

describe('a voice connection of the real library', () => {
  test('reaches a member who decrypts and decodes what it says', async () => {
    const alice = server.addListener({ guildId: GUILD, channelId: CHANNEL, userId: ALICE });
    const connection = bot();
    await encrypted(connection);
    const { packets, pcm } = await tone(25);
    await speak(connection, packets);
    const heard = await alice.utterance({ timeoutMs: 2_000 });
    expect(heard).toMatchObject({
      endToEndEncrypted: true,
      unencryptedFrames: 0,
      undecryptableFrames: 0,
      lostPackets: 0,
    });
    expect(heard.seconds).toBeCloseTo(0.5);
    expect(heard.pcm.length).toBe(pcm.length);
  });
});
