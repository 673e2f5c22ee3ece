import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Hearing, waitForUtterance } from '../../../../src/playground/voice/listening/hearing.ts';
import type { HeardPacket } from '../../../../src/playground/voice/types.ts';

/** Every datagram that comes is a packet with sound. */
async function hearingOverUdp() {
  const listening = createSocket('udp4').bind(0, '127.0.0.1');
  const speaking = createSocket('udp4');
  onTestFinished(() => {
    listening.close();
    speaking.close();
  });
  await once(listening, 'listening');
  speaking.connect(listening.address().port, '127.0.0.1');
  await once(speaking, 'connect');
  const packets: HeardPacket[] = [];
  const hearing = {
    heard: () => ({ packets: [...packets] }),
    onPacket(callback: (packet: HeardPacket) => void) {
      const take = () => {
        const packet = { atMs: performance.now(), audible: true, silence: false } as HeardPacket;
        packets.push(packet);
        callback(packet);
      };
      listening.on('message', take);
      return () => listening.off('message', take);
    },
  } as unknown as Hearing;
  return { hearing, packets, speak: () => speaking.send('sound') };
}

const blockFor = (ms: number) => {
  const endsAtMs = performance.now() + ms;
  while (performance.now() < endsAtMs);
};

test('an utterance does not end while packets of a stall wait to be read', async () => {
  const { hearing, packets, speak } = await hearingOverUdp();
  const utterance = waitForUtterance(hearing, { quietMs: 100, timeoutMs: 5_000 });
  speak();
  await expect.poll(() => packets, { interval: 1 }).toHaveLength(1);
  await new Promise<void>((resolve) => {
    // After the sockets' turn and before that of the timers.
    setImmediate(() => {
      speak();
      // Only the packets from before the end of this turn are sent.
      process.nextTick(() => {
        blockFor(150);
        resolve();
      });
    });
  });
  expect((await utterance).packets).toHaveLength(2);
});

test('an utterance continues after a stall of its sender, and ends with the frames of silence', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let callback: (packet: HeardPacket) => void = () => undefined;
  const packets: HeardPacket[] = [];
  const hearing = {
    heard: () => ({ packets: [...packets] }),
    onPacket(watch: (packet: HeardPacket) => void) {
      callback = watch;
      return () => undefined;
    },
  } as unknown as Hearing;
  const send = (silence: boolean) => {
    const packet = { atMs: performance.now(), audible: !silence, silence } as HeardPacket;
    packets.push(packet);
    callback(packet);
  };
  let endedAtMs: number | undefined;
  const startedAtMs = performance.now();
  const utterance = waitForUtterance(hearing, { timeoutMs: 10_000 }).then(() => {
    endedAtMs = performance.now() - startedAtMs;
  });
  send(false);
  await vi.advanceTimersByTimeAsync(900);
  send(false);
  await vi.advanceTimersByTimeAsync(20);
  send(true);
  await vi.advanceTimersByTimeAsync(250);
  expect(endedAtMs).toBeUndefined();
  await vi.advanceTimersByTimeAsync(100);
  await utterance;
  expect(endedAtMs).toBeCloseTo(1_200, -2);
});
