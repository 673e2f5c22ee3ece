import { createSocket } from 'node:dgram';
import { parentPort } from 'node:worker_threads';

// A worker: a bound UDP socket that is never read. Its datagrams go through the kernel as all others do, and are
// dropped when the socket's buffer is full.

const socket = createSocket('udp4');
socket.bind(0, '127.0.0.1', () => {
  parentPort?.postMessage(socket.address().port);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});
