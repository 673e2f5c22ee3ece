import { createSocket } from 'node:dgram';
import { parentPort } from 'node:worker_threads';

// A worker: a UDP socket that is bound and that nobody ever reads. What is sent there goes through the kernel as
// everything else does, and is dropped when the socket's buffer is full.

const socket = createSocket('udp4');
socket.bind(0, '127.0.0.1', () => {
  parentPort?.postMessage(socket.address().port);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});
