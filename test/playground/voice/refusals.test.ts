import { once } from 'node:events';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startVoiceServer, type VoiceServer } from '../../../src/playground/voice/server.ts';
import { ALICE, CHANNEL, GUILD } from './parties.ts';
import { connectRaw, expectClient, identified, sealedSilence, selected } from './raw-client.ts';

let server: VoiceServer;

beforeEach(async () => {
  server = await startVoiceServer();
});

afterEach(() => server.close());

type Identity = ReturnType<typeof expectClient>;

/** Connects, sends one message after hello, and tells how the server closed. */
async function closeCodeAfter(message: Buffer | string): Promise<number> {
  const client = connectRaw(server);
  await client.next(8);
  client.socket.send(message);
  return client.closed();
}

const says = (op: number, d: unknown) => JSON.stringify({ op, d });
const identifies = (identity: object) => says(0, identity);
const udp = { address: '127.0.0.1', port: 1, mode: 'aead_aes256_gcm_rtpsize' };
const selects = (change: object, protocol = 'udp') => says(1, { protocol, data: { ...udp, ...change } });
const resumes = ({ server_id, session_id, token }: Identity) => says(7, { server_id, session_id, token, seq_ack: -1 });

// https://discord.com/developers/docs/topics/opcodes-and-status-codes#voice-voice-close-event-codes
test.each<[what: string, message: (own: Identity) => Buffer | string]>([
  ['4002: an identify without its server', (own) => identifies({ ...own, server_id: undefined })],
  ['4003: select protocol before identify', () => selects({})],
  ['4003: a key package before identify', () => Buffer.of(26, 0)],
  ['4004: a wrong token', (own) => identifies({ ...own, token: 'wrong' })],
  ['4004: a user that is not in a channel of the server', (own) => identifies({ ...own, user_id: ALICE })],
  ['4006: nothing to resume', resumes],
  ['4011: a server that has no voice here', (own) => identifies({ ...own, server_id: '999' })],
  ['4017: a client of DAVE version 0', (own) => identifies({ ...own, max_dave_protocol_version: 0 })],
])('%s', async (what, message) => {
  expect(await closeCodeAfter(message(expectClient(server)))).toBe(Number(what.slice(0, 4)));
});

test.each<[what: string, message: Buffer | string]>([
  ['4001: a server’s opcode from a client', says(4, {})],
  ['4001: an unknown binary opcode', Buffer.of(29, 0, 0)],
  ['4002: not JSON', '{"op":'],
  ['4012: a protocol other than udp', selects({}, 'carrier-pigeon')],
  ['4016: xsalsa20_poly1305', selects({ mode: 'xsalsa20_poly1305' })],
  ['4020: a select protocol without an address', selects({ address: undefined })],
  ['4020: a heartbeat that is a number, as before version 8', says(3, 1_501_184_119_561)],
  ['4020: a speaking flag that does not exist', says(5, { speaking: 8, delay: 0, ssrc: 1 })],
  ['4020: the SSRC of another client', says(5, { speaking: 1, delay: 0, ssrc: 999 })],
])('%s, once identified', async (what, message) => {
  const client = await identified(server);
  client.socket.send(message);
  expect(await client.closed()).toBe(Number(what.slice(0, 4)));
});

test('4004: the token of an earlier voice server update, and 4005: a second identify', async () => {
  const earlier = expectClient(server);
  const identity = expectClient(server);
  expect(await closeCodeAfter(identifies(earlier))).toBe(4004);
  const client = await identified(server, identity);
  client.socket.send(identifies(identity));
  expect(await client.closed()).toBe(4005);
});

test('4009: no heartbeat, and no identify', async () => {
  // Long enough for a busy machine to identify first.
  server.settings.heartbeatIntervalMs = 1_000;
  const [client, silent] = [await identified(server), connectRaw(server)];
  expect([await client.closed(), await silent.closed()]).toEqual([4009, 4009]);
});

// https://discord.com/developers/docs/topics/voice-connections#voice-gateway-versioning
test.each(['', '?v=3', '?v=9'])('a connection with %j instead of version 8 is rejected', async (query) => {
  const { socket } = connectRaw(server, query);
  const [error] = (await once(socket, 'error')) as [Error];
  expect(error.message).toContain('400');
});

// https://discord.com/developers/docs/topics/voice-connections#speaking
test('audio that no op 5 ever announced ends the connection', async () => {
  server.settings.speakingGraceMs = 0;
  const client = await selected(server);
  client.udp.send(sealedSilence(client, 1), client.port, '127.0.0.1');
  expect(await client.closed()).toBe(4020);
});

// https://discord.com/developers/docs/topics/voice-connections#resuming-voice-connection
test('acknowledged messages are not kept: a resume from before them ends with 4006', async () => {
  const identity = expectClient(server);
  const client = await identified(server, identity);
  server.addListener({ guildId: GUILD, channelId: CHANNEL, userId: ALICE, dave: true });
  const { seq } = await client.next(11);
  client.send(3, { t: 7, seq_ack: seq });
  expect((await client.next(6)).d).toEqual({ t: 7 });
  client.socket.terminate();
  expect(await closeCodeAfter(resumes(identity))).toBe(4006);
});

test('a resume ends with 4004 after a wrong token, and with 4006 once its client was away for too long and has left', async () => {
  const identity = expectClient(server);
  const other = await identified(server, expectClient(server, { userId: ALICE }));
  const client = await identified(server, identity);
  expect(await closeCodeAfter(resumes({ ...identity, token: 'wrong' }))).toBe(4004);
  server.settings.resumeWindowMs = 0;
  client.socket.terminate();
  await other.next(13);
  expect(await closeCodeAfter(resumes(identity))).toBe(4006);
});
