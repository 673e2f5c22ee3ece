import type { Heard, HeardPacket } from '../protocol/types.ts';
import type { Hearing } from './hearing.ts';

interface Wait {
  timeoutMs: number;
  signal?: AbortSignal;
}

const QUIET_MS = 300;
/** Senders that stop speaking send frames of silence; a shorter gap without them may be a stall of a busy machine. */
const STALLED_MS = 1_000;

/**
 * Resolves with the heard audio after something audible and then silence only, or, for longer than a stall, no packet;
 * where `quietMs` is given, it holds for both.
 */
export function waitForUtterance(hearing: Hearing, { quietMs, ...wait }: Wait & { quietMs?: number }): Promise<Heard> {
  let audible = false;
  let soundAtMs = 0;
  let quiet: NodeJS.Timeout | undefined;
  let nothingLeft: NodeJS.Immediate | undefined;
  const stopTimer = () => {
    clearTimeout(quiet);
    clearImmediate(nothingLeft);
  };
  const consider = (packet: HeardPacket, sinceMs: number, done: () => void) => {
    audible ||= packet.audible;
    if (!audible) return;
    const nowMs = performance.now();
    if (!packet.silence) soundAtMs = nowMs - sinceMs;
    stopTimer();
    // After a stall Node runs due timers before it reads the datagrams of the meantime: those are read first.
    const passed = () => {
      nothingLeft = setImmediate(done);
    };
    const endsAtMs = soundAtMs + (quietMs ?? (packet.silence ? QUIET_MS : STALLED_MS));
    quiet = setTimeout(passed, Math.max(0, endsAtMs - nowMs));
  };
  return onPackets(hearing, wait, consider)
    .then(() => hearing.heard())
    .finally(stopTimer);
}

/** Resolves once `packets` audible ones were heard. */
export function waitForAudible(hearing: Hearing, packets: number, wait: Wait): Promise<void> {
  let left = packets;
  return onPackets(hearing, wait, (packet, _sinceMs, done) => {
    if (packet.audible) left -= 1;
    if (left <= 0) done();
  });
}

/** Shows `consider` every packet, past (with its age) and coming, until it calls `done` or the wait ends. */
function onPackets(
  hearing: Hearing,
  { timeoutMs, signal }: Wait,
  consider: (packet: HeardPacket, sinceMs: number, done: () => void) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void) => {
      stop();
      clearTimeout(deadline);
      signal?.removeEventListener('abort', aborted);
      finish();
    };
    const done = () => settle(resolve);
    const aborted = () => settle(() => reject(signal?.reason));
    const deadline = setTimeout(
      () => settle(() => reject(new Error(waitedInVain(hearing.heard(), timeoutMs)))),
      timeoutMs,
    );
    const stop = hearing.onPacket((packet) => consider(packet, 0, done));
    const nowMs = performance.now();
    for (const packet of hearing.heard().packets) consider(packet, nowMs - packet.atMs, done);
    signal?.addEventListener('abort', aborted);
    if (signal?.aborted) aborted();
  });
}

function waitedInVain({ packets, unencryptedFrames, undecryptableFrames, firstAudibleAtMs }: Heard, timeoutMs: number) {
  const outcome = firstAudibleAtMs === undefined ? 'Nothing was heard' : 'What was heard did not end the wait';
  return `${outcome} within ${timeoutMs} ms: ${packets.length} packets, ${unencryptedFrames} not encrypted, ${undecryptableFrames} not decryptable`;
}
