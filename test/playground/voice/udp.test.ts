import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Listener } from '../../../src/playground/voice/listening/listener.ts';
import type { EncryptionMode } from '../../../src/playground/voice/protocol.ts';
import { startVoiceServer, type VoiceServer } from '../../../src/playground/voice/server.ts';
import { ALICE, CHANNEL, GUILD } from './parties.ts';
import { sealedSilence, selected } from './raw-client.ts';

let server: VoiceServer;
let alice: Listener;

beforeEach(async () => {
  server = await startVoiceServer();
  server.settings.dave = false;
  alice = server.addListener({ guildId: GUILD, channelId: CHANNEL, userId: ALICE, dave: true });
});

afterEach(() => server.close());

test.each<EncryptionMode>(['aead_aes256_gcm_rtpsize', 'aead_xchacha20_poly1305_rtpsize'])(
  'RTP of %s is dropped when forged',
  async (mode) => {
    const client = await selected(server, mode);
    client.send(5, { speaking: 1, delay: 0, ssrc: client.ssrc });
    const [forged, genuine] = [sealedSilence(client, 1), sealedSilence(client, 2)];
    forged[3] = 9;
    const heard = new Promise<void>((resolve) => void alice.onFrame(() => resolve()));
    for (const datagram of [forged, genuine]) client.udp.send(datagram, client.port, '127.0.0.1');
    await heard;
    expect(alice.heard().packets.map(({ sequence }) => sequence)).toEqual([2]);
  },
);

test.each([
  ['leaves', () => alice.leave()],
  ['is closed with the server', () => server.close()],
])('waiting for audio ends when the listener %s', async (_name, end) => {
  const waiting = expect(alice.utterance({ timeoutMs: 10_000 })).rejects.toThrow('has left the channel');
  await end();
  await waiting;
});
