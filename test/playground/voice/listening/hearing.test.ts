import { expect, test, vi } from 'vitest';
import { Hearing, waitForUtterance } from '../../../../src/playground/voice/listening/hearing.ts';

test('an utterance continues after a stall of its sender, and ends with the frames of silence', async () => {
  vi.useFakeTimers();
  const hearing = new Hearing(false);
  const origin = { userId: 'bot', ssrc: 1, sequence: 0, timestamp: 0, bytes: 60 };
  const send = (silence: boolean) => {
    const packet = { ...origin, atMs: performance.now(), silence, encrypted: true, audible: false };
    hearing.frame({ packet, opus: Buffer.of(1), refused: undefined });
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
