import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { checkUdp } from '../../src/doctor/udp.ts';

/** A name server that knows one address, or never answers. */
async function nameServer(answers: boolean): Promise<string> {
  const socket = createSocket('udp4', (query: Buffer, from: RemoteInfo) => {
    if (!answers) return;
    // RFC 1035, section 4.1: the question comes back with one answer, whose name is a pointer to the question's.
    const question = query.subarray(12, query.indexOf(0, 12) + 5);
    const header = Buffer.from([...query.subarray(0, 2), 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0]);
    const answer = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1]);
    socket.send(Buffer.concat([header, question, answer]), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  onTestFinished(() => void socket.close());
  return `127.0.0.1:${socket.address().port}`;
}

const HAS_ROUTE = async () => undefined;

test('UDP that comes back is good', async () => {
  expect(await checkUdp(await nameServer(true), HAS_ROUTE)).toMatchObject({ subject: 'UDP', verdict: 'good' });
});

test('a machine without an IPv4 route is told that voice needs one', async () => {
  const findRoute = () => Promise.reject(Object.assign(new Error('connect ENETUNREACH'), { code: 'ENETUNREACH' }));
  expect(await checkUdp('127.0.0.1', findRoute)).toMatchObject({
    subject: 'UDP',
    verdict: 'blocking',
    found: 'this machine has no IPv4 route (ENETUNREACH)',
  });
});

test('UDP that does not come back needs attention, with what follows and what to do', async () => {
  expect(await checkUdp(await nameServer(false), HAS_ROUTE)).toMatchObject({
    subject: 'UDP',
    verdict: 'attention',
    found: 'the name server of discord.com gave no answer (ETIMEOUT)',
    means: expect.stringContaining('join timeout ip-discovery'),
    remedy: expect.stringContaining('UDP'),
  });
});
