import { Buffer } from 'node:buffer';
import { crc32 } from 'node:zlib';

/**
 * A clip as one piece of bytes: magic, version, number of packets, checksum of what follows; then the length of each packet
 * (16 bits, an Opus packet has at most 1275 bytes); then the packets. Numbers are little-endian.
 */
const MAGIC = 'CrCl';
const VERSION = 1;
const HEADER_BYTES = 16;

export function packClip(packets: readonly Uint8Array[]): Buffer {
  const payloadAt = HEADER_BYTES + 2 * packets.length;
  const bytes = Buffer.allocUnsafeSlow(packets.reduce((sum, { length }) => sum + length, payloadAt));
  bytes.write(MAGIC, 'latin1');
  bytes.writeUInt32LE(VERSION, 4);
  bytes.writeUInt32LE(packets.length, 8);
  let at = payloadAt;
  for (const [index, packet] of packets.entries()) {
    bytes.writeUInt16LE(packet.length, HEADER_BYTES + 2 * index);
    bytes.set(packet, at);
    at += packet.length;
  }
  bytes.writeUInt32LE(crc32(bytes.subarray(HEADER_BYTES)), 12);
  return bytes;
}

/** The packets, which share the memory of `bytes`; undefined when they are damaged, cut off or of another version. */
export function unpackClip(bytes: Uint8Array): Buffer[] | undefined {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (whole.length < HEADER_BYTES || whole.toString('latin1', 0, 4) !== MAGIC) return undefined;
  if (whole.readUInt32LE(4) !== VERSION) return undefined;
  const count = whole.readUInt32LE(8);
  let at = HEADER_BYTES + 2 * count;
  if (at > whole.length || whole.readUInt32LE(12) !== crc32(whole.subarray(HEADER_BYTES))) return undefined;
  const packets: Buffer[] = [];
  for (let index = 0; index < count; index++) {
    const end = at + whole.readUInt16LE(HEADER_BYTES + 2 * index);
    packets.push(whole.subarray(at, end));
    at = end;
  }
  return at === whole.length ? packets : undefined;
}
