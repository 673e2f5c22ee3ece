import { expect, test, vi } from 'vitest';
import { type Hearing, waitForUtterance } from '../../../../src/playground/voice/listening/hearing.ts';
import type { HeardPacket } from '../../../../src/playground/voice/protocol.ts';

test('an utterance continues after a stall of its sender, and ends with the frames of silence', async () => {
  vi.useFakeTimers();
  let callback: (packet: HeardPacket) => void = () => undefined;
  const packets: HeardPacket[] = [];
  const hearing = {
    heard: () => ({ packets: [...packets] }),
    onFrame(watch: (frame: { packet: HeardPacket }) => void) {
      callback = (packet) => watch({ packet });
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
