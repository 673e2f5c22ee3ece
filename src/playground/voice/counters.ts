import { NONCE_SUFFIX_BYTES, type RtpPacket } from './rtp.ts';

/** More than any client's network can reorder. */
const KEPT_NONCES = 4_096;
const TICKS_A_MS = 48;
const TICKS_A_PACKET = 960;
/** A pause, or lost packets, beyond what the time that passed and the sequence explain. */
const SLACK_TICKS = 10_000 * TICKS_A_MS;

/** A client's counters of its packets, each of which has to run on: Discord documents the nonce as increasing. */
export function createCounterCheck() {
  let nonces = new Set<number>();
  let last: { sequence: number; timestamp: number; atMs: number } | undefined;

  function isRepeated(nonce: number): boolean {
    if (nonces.has(nonce)) return true;
    nonces.add(nonce);
    const [oldest] = nonces;
    if (nonces.size > KEPT_NONCES && oldest !== undefined) nonces.delete(oldest);
    return false;
  }

  return {
    /** What is wrong with an authentic packet; undefined when nothing is. */
    problem(datagram: Buffer, { sequence, timestamp }: RtpPacket, atMs: number): string | undefined {
      if (isRepeated(datagram.readUInt32BE(datagram.length - NONCE_SUFFIX_BYTES))) return 'Repeated nonce';
      const before = last;
      last = { sequence, timestamp, atMs };
      if (before === undefined) return undefined;
      const packets = ((sequence - before.sequence) << 16) >> 16;
      if (packets <= 0) return 'Sequence goes back';
      const ticks = (timestamp - before.timestamp) | 0;
      const explained = packets * TICKS_A_PACKET + (atMs - before.atMs) * TICKS_A_MS;
      return ticks < 0 || ticks > explained + SLACK_TICKS ? 'Timestamp jumps' : undefined;
    },
    /** The next packet may have any counters, as the first. */
    forget() {
      nonces = new Set();
      last = undefined;
    },
  };
}

export type CounterCheck = ReturnType<typeof createCounterCheck>;
