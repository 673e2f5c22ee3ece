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

const resumeOf = ({ server_id, session_id, token }: Identity, seq_ack: number) => ({
  server_id,
  session_id,
  token,
  seq_ack,
});
const MODE = 'aead_aes256_gcm_rtpsize';
const select = (data: object, protocol = 'udp') => ({ protocol, data: { address: '127.0.0.1', port: 1, ...data } });
type Identity = ReturnType<typeof expectClient>;

// Each begins with the code.
describe('https://discord.com/developers/docs/topics/opcodes-and-status-codes#voice-voice-close-event-codes', () => {
  test.each<[what: string, op: number, d: (own: Identity) => unknown]>([
    ['4002: an identify without its server', 0, (own) => ({ ...own, server_id: undefined })],
    ['4003: select protocol before identify', 1, () => select({ mode: MODE })],
    ['4004: a wrong token', 0, (own) => ({ ...own, token: 'wrong' })],
    ['4004: a user that is not in a channel of the server', 0, (own) => ({ ...own, user_id: ALICE })],
    ['4011: a server that has no voice here', 0, (own) => ({ ...own, server_id: '999' })],
    ['4017: a client of DAVE version 0', 0, (own) => ({ ...own, max_dave_protocol_version: 0 })],
    ['4006: nothing to resume', 7, (own) => resumeOf(own, -1)],
  ])('%s', async (what, op, d) => {
    expect(await closeCodeAfter(op, d(expectClient(server)))).toBe(Number(what.slice(0, 4)));
  });

  test.each<[what: string, message: Buffer | object]>([
    ['4001: a server’s opcode from a client', { op: 4, d: {} }],
    ['4001: an unknown binary opcode', Buffer.of(29, 0, 0)],
    ['4002: not JSON', Buffer.from('{"op":')],
    ['4012: a protocol other than udp', { op: 1, d: select({ mode: MODE }, 'carrier-pigeon') }],
    ['4016: xsalsa20_poly1305', { op: 1, d: select({ mode: 'xsalsa20_poly1305' }) }],
    ['4020: a select protocol without an address', { op: 1, d: select({ mode: MODE, address: undefined }) }],
    ['4020: a heartbeat that is a number, as before version 8', { op: 3, d: 1_501_184_119_561 }],
    ['4020: a speaking flag that does not exist', { op: 5, d: { speaking: 8, delay: 0, ssrc: 1 } }],
    ['4020: the SSRC of another client', { op: 5, d: { speaking: 1, delay: 0, ssrc: 999 } }],
  ])('%s', async (what, message) => {
    const client = await identified(server);
    if (Buffer.isBuffer(message)) client.socket.send(message, { binary: !what.includes('JSON') });
    else client.socket.send(JSON.stringify(message));
    expect(await client.closed()).toBe(Number(what.slice(0, 4)));
  });

  test('4003: a key package before identify', async () => {
    const client = connectRaw(server);
    await client.next(8);
    client.socket.send(Buffer.of(26, 0));
    expect(await client.closed()).toBe(4003);
  });

  test('4004: the token of an earlier voice server update, and 4005: a second identify', async () => {
    const earlier = expectClient(server);
    const identity = expectClient(server);
    expect(await closeCodeAfter(0, earlier)).toBe(4004);
    const client = await identified(server, identity);
    client.send(0, identity);
    expect(await client.closed()).toBe(4005);
  });

  test('4009: no heartbeat, and no identify', async () => {
    // Long enough for a busy machine to identify first.
    server.settings.heartbeatIntervalMs = 1_000;
    const [client, silent] = [await identified(server), connectRaw(server)];
    expect([await client.closed(), await silent.closed()]).toEqual([4009, 4009]);
  });
});

describe('https://discord.com/developers/docs/topics/voice-connections#voice-gateway-versioning', () => {
  test.each(['', '?v=3', '?v=9'])('a connection with %j instead of version 8 is rejected', async (query) => {
    const { socket } = connectRaw(server, query);
    const [error] = (await once(socket, 'error')) as [Error];
    expect(error.message).toContain('400');
  });
});

// https://discord.com/developers/docs/topics/voice-connections#speaking
test('audio that no op 5 ever announced ends the connection', async () => {
  server.settings.speakingGraceMs = 0;
  const client = await selected(server);
  const frame = Buffer.of(0xf8, 0xff, 0xfe);
  client.udp.send(sealRtp(rtpHeader(client.ssrc, 1), frame, client.mode, client.key, 1), client.port, '127.0.0.1');
  expect(await client.closed()).toBe(4020);
  client.udp.close();
});

describe('https://discord.com/developers/docs/topics/voice-connections#resuming-voice-connection', () => {
  test('acknowledged messages are not kept: a resume from before them ends with 4006', async () => {
    const identity = expectClient(server);
    const client = await identified(server, identity);
    server.addListener({ guildId: GUILD, channelId: CHANNEL, userId: ALICE, dave: true });
    const { seq } = await client.next(11);
    client.send(3, { t: 7, seq_ack: seq });
    expect((await client.next(6)).d).toEqual({ t: 7 });
    client.socket.terminate();
    expect(await closeCodeAfter(7, resumeOf(identity, -1))).toBe(4006);
  });

  test('4004: a wrong token; 4006: a client that was away for too long has left', async () => {
    const identity = expectClient(server);
    const other = await identified(server, expectClient(server, { userId: ALICE }));
    const client = await identified(server, identity);
    expect(await closeCodeAfter(7, resumeOf({ ...identity, token: 'wrong' }, -1))).toBe(4004);
    server.settings.resumeWindowMs = 0;
    client.socket.terminate();
    await other.next(13);
    expect(await closeCodeAfter(7, resumeOf(identity, -1))).toBe(4006);
  });
});
