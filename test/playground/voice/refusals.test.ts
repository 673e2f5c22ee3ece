import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startVoiceServer, type VoiceServer } from '../../../src/playground/voice/server.ts';
import { ALICE, CHANNEL, GUILD } from './parties.ts';
import { connectRaw, expectClient, identified, rtpHeader, sealRtp, selected } from './raw-client.ts';

let server: VoiceServer;

beforeEach(async () => {
  server = await startVoiceServer();
});

afterEach(() => server.close());

/** Connects, sends one message after hello, and tells how the server closed. */
async function closeCodeAfter(op: number, d: unknown): Promise<number> {
  const client = connectRaw(server);
  await client.next(8);
  client.send(op, d);
  return client.closed();
}

describe('https://discord.com/developers/docs/topics/opcodes-and-status-codes#voice-voice-close-event-codes', () => {
  test('4001: an unknown opcode', async () => {
    const client = await identified(server);
    client.send(42, {});
    expect(await client.closed()).toBe(4001);
  });

  test('4001: a server’s opcode from a client', async () => {
    const client = await identified(server);
    client.send(4, {});
    expect(await client.closed()).toBe(4001);
  });

  test('4001: an unknown binary opcode', async () => {
    const client = await identified(server);
    client.socket.send(Buffer.of(29, 0, 0));
    expect(await client.closed()).toBe(4001);
  });

  test('4002: an empty binary message', async () => {
    const client = await identified(server);
    client.socket.send(Buffer.alloc(0));
    expect(await client.closed()).toBe(4002);
  });

  test('4003: a key package before identify', async () => {
    const client = connectRaw(server);
    await client.next(8);
    client.socket.send(Buffer.of(26, 0));
    expect(await client.closed()).toBe(4003);
  });

  test('4002: not JSON', async () => {
    const client = connectRaw(server);
    await client.next(8);
    client.socket.send('{"op":');
    expect(await client.closed()).toBe(4002);
  });

  test.each(['server_id', 'user_id', 'session_id', 'token'])('4002: an identify without %s', async (field) => {
    expect(await closeCodeAfter(0, { ...expectClient(server), [field]: undefined })).toBe(4002);
  });

  test.each([
    ['heartbeat', 3, { t: 1, seq_ack: -1 }],
    [
      'select protocol',
      1,
      { protocol: 'udp', data: { address: '127.0.0.1', port: 1, mode: 'aead_aes256_gcm_rtpsize' } },
    ],
    ['speaking', 5, { speaking: 1, delay: 0, ssrc: 1 }],
  ])('4003: %s before identify', async (_name, op, d) => {
    expect(await closeCodeAfter(op, d)).toBe(4003);
  });

  test('4004: a wrong token', async () => {
    expect(await closeCodeAfter(0, { ...expectClient(server), token: 'wrong' })).toBe(4004);
  });

  test('4004: the token of an earlier voice server update', async () => {
    const earlier = expectClient(server);
    expectClient(server);
    expect(await closeCodeAfter(0, earlier)).toBe(4004);
  });

  test('4004: a user that is not in a channel of the server', async () => {
    expect(await closeCodeAfter(0, { ...expectClient(server), user_id: ALICE })).toBe(4004);
  });

  test('4005: a second identify', async () => {
    const identity = expectClient(server);
    const client = await identified(server, identity);
    client.send(0, identity);
    expect(await client.closed()).toBe(4005);
  });

  test('4006: the session id of another gateway session', async () => {
    expect(await closeCodeAfter(0, { ...expectClient(server), session_id: 'another' })).toBe(4006);
  });

  test('4009: no heartbeat', async () => {
    server.settings.heartbeatIntervalMs = 30;
    const client = await identified(server);
    expect(await client.closed()).toBe(4009);
  });

  test('4009: no identify', async () => {
    server.settings.heartbeatIntervalMs = 30;
    expect(await connectRaw(server).closed()).toBe(4009);
  });

  test('4011: a server that has no voice here', async () => {
    expect(await closeCodeAfter(0, { ...expectClient(server), server_id: '999' })).toBe(4011);
  });

  test('4012: a protocol other than udp', async () => {
    const client = await identified(server);
    client.send(1, {
      protocol: 'carrier-pigeon',
      data: { address: '127.0.0.1', port: 1, mode: 'aead_aes256_gcm_rtpsize' },
    });
    expect(await client.closed()).toBe(4012);
  });

  test.each(['xsalsa20_poly1305', 'aead_aes256_gcm', 'aead_aes256_gcm_rtpsize'])(
    '4016: %s where it is not offered',
    async (mode) => {
      server.settings.modes = ['aead_xchacha20_poly1305_rtpsize'];
      const client = await identified(server);
      client.send(1, { protocol: 'udp', data: { address: '127.0.0.1', port: 1, mode } });
      expect(await client.closed()).toBe(4016);
    },
  );

  test.each([0, undefined])('4017: a client without DAVE (max_dave_protocol_version %s)', async (version) => {
    expect(await closeCodeAfter(0, { ...expectClient(server), max_dave_protocol_version: version })).toBe(4017);
  });

  test.each([
    [
      'a select protocol without an address',
      1,
      { protocol: 'udp', data: { port: 1, mode: 'aead_aes256_gcm_rtpsize' } },
    ],
    ['a heartbeat that is a number, as before version 8', 3, 1_501_184_119_561],
    ['a heartbeat without what was received last', 3, { t: 1 }],
    ['a speaking flag that does not exist', 5, { speaking: 8, delay: 0, ssrc: 1 }],
    ['a transition that is not a number', 23, { transition_id: 'one' }],
  ])('4020: %s', async (_name, op, d) => {
    const client = await identified(server);
    client.send(op, d);
    expect(await client.closed()).toBe(4020);
  });
});

describe('https://discord.com/developers/docs/topics/voice-connections#voice-gateway-versioning', () => {
  test.each(['', '?v=3', '?v=9'])('a connection with %j instead of version 8 is rejected', async (query) => {
    const { socket } = connectRaw(server, query);
    const [error] = (await once(socket, 'error')) as [Error];
    expect(error.message).toContain('400');
  });
});

describe('https://discord.com/developers/docs/topics/voice-connections#speaking', () => {
  test('the SSRC of another client is refused', async () => {
    const client = await identified(server);
    client.send(5, { speaking: 1, delay: 0, ssrc: client.ssrc + 1 });
    expect(await client.closed()).toBe(4020);
    expect(server.faults).toContainEqual({ closeCode: 4020, reason: 'Invalid SSRC' });
  });

  test('audio that no op 5 ever announced ends the connection', async () => {
    server.settings.speakingGraceMs = 0;
    const client = await selected(server);
    const frame = Buffer.of(0xf8, 0xff, 0xfe);
    client.udp.send(sealRtp(rtpHeader(client.ssrc, 1), frame, client.mode, client.key, 1), client.port, '127.0.0.1');
    expect(await client.closed()).toBe(4020);
    client.udp.close();
  });
});

describe('https://discord.com/developers/docs/topics/voice-connections#resuming-voice-connection', () => {
  const resumeOf = (identity: ReturnType<typeof expectClient>, seq_ack: number) => ({
    server_id: identity.server_id,
    session_id: identity.session_id,
    token: identity.token,
    seq_ack,
  });

  test('acknowledged messages are not kept: a resume from before them ends with 4006', async () => {
    const identity = expectClient(server);
    const client = await identified(server, identity);
    server.addListener({ guildId: GUILD, channelId: CHANNEL, userId: ALICE });
    const { seq } = await client.next(11);
    client.send(3, { t: 7, seq_ack: seq });
    expect((await client.next(6)).d).toEqual({ t: 7 });
    client.socket.terminate();
    expect(await closeCodeAfter(7, resumeOf(identity, -1))).toBe(4006);
  });

  test('4006: nothing to resume', async () => {
    expect(await closeCodeAfter(7, resumeOf(expectClient(server), -1))).toBe(4006);
  });

  test('4006: a client that was away for too long has left', async () => {
    server.settings.resumeWindowMs = 0;
    const identity = expectClient(server);
    const other = await identified(server, expectClient(server, { userId: ALICE }));
    const client = await identified(server, identity);
    client.socket.terminate();
    await other.next(13);
    expect(await closeCodeAfter(7, resumeOf(identity, -1))).toBe(4006);
  });

  test('4002: a resume without the last received sequence', async () => {
    const { seq_ack: _received, ...resume } = resumeOf(expectClient(server), -1);
    expect(await closeCodeAfter(7, resume)).toBe(4002);
  });

  test('4004: a wrong token', async () => {
    const identity = expectClient(server);
    await identified(server, identity);
    expect(await closeCodeAfter(7, resumeOf({ ...identity, token: 'wrong' }, -1))).toBe(4004);
  });
});
