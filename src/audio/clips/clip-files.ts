import { Buffer } from 'node:buffer';
import { crc32 } from 'node:zlib';
import { asBuffer, PACKET_MS } from './clip.ts';

/** A stored clip is: magic bytes, version, number of packets, checksum of the rest, lengths, packets. */
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

/** The packets share the memory of `bytes`. Returns undefined if the bytes are damaged or of another version. */
export function unpackClip(bytes: Uint8Array): Buffer[] | undefined {
  const whole = asBuffer(bytes);
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

/** Ogg files count Opus audio in samples at 48 kHz, whatever rate was encoded; RFC 7845, section 4. */
const SAMPLES_PER_PACKET = (48_000 * PACKET_MS) / 1000;
/** libopus delays audio by 6.5 ms, which players must skip at the start of a file (RFC 7845, section 4.2). */
const PRE_SKIP_SAMPLES = 312;
/**
 * An Ogg page has up to 255 segments of up to 255 bytes (RFC 3533, section 6). The longest Opus packet takes 6 segments,
 * so 42 packets always fit. Their 840 ms are within the second of audio that a page should not exceed (RFC 7845, section 4).
 */
const PACKETS_PER_PAGE = 42;

const FIRST_PAGE = 0x02;
const LAST_PAGE = 0x04;

/** Writes a mono Ogg Opus file (RFC 7845), which Discord accepts as a voice message. */
export function oggOpusFile(packets: readonly Uint8Array[]): Buffer {
  // The serial number of an Ogg stream may be any number that no other stream in the file has.
  const serial = packets[0] ? crc32(packets[0]) : 0;
  const pages: Buffer[] = [];
  const add = (content: readonly Uint8Array[], granule: number, flags: number) => {
    pages.push(page(content, granule, flags, serial, pages.length));
  };
  add([OPUS_HEAD], 0, FIRST_PAGE);
  add([OPUS_TAGS], 0, packets.length === 0 ? LAST_PAGE : 0);
  for (let start = 0; start < packets.length; start += PACKETS_PER_PAGE) {
    const end = Math.min(start + PACKETS_PER_PAGE, packets.length);
    add(packets.slice(start, end), end * SAMPLES_PER_PACKET, end === packets.length ? LAST_PAGE : 0);
  }
  return Buffer.concat(pages);
}

const OPUS_HEAD = Buffer.from('OpusHead\x01\x01'.padEnd(19, '\0'), 'latin1');
OPUS_HEAD.writeUInt16LE(PRE_SKIP_SAMPLES, 10);
OPUS_HEAD.writeUInt32LE(48_000, 12);
const OPUS_TAGS = Buffer.from('OpusTags\x05\0\0\0Crier\0\0\0\0', 'latin1');

function page(packets: readonly Uint8Array[], granule: number, flags: number, serial: number, sequence: number) {
  const lacing = packets.flatMap((packet) => [
    ...new Array<number>(Math.floor(packet.length / 255)).fill(255),
    packet.length % 255,
  ]);
  const header = Buffer.alloc(27 + lacing.length);
  header.write('OggS', 'latin1');
  header.writeUInt8(flags, 5);
  header.writeBigUInt64LE(BigInt(granule), 6);
  header.writeUInt32LE(serial, 14);
  header.writeUInt32LE(sequence, 18);
  header.writeUInt8(lacing.length, 26);
  header.set(lacing, 27);
  const bytes = Buffer.concat([header, ...packets]);
  bytes.writeUInt32LE(oggChecksum(bytes), 22);
  return bytes;
}

/** The checksum of Ogg pages (RFC 3533, section 6) differs from zlib's CRC-32, so it is computed here. */
const CHECKSUM_TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index << 24;
  for (let bit = 0; bit < 8; bit++) value = value & 0x8000_0000 ? (value << 1) ^ 0x04c1_1db7 : value << 1;
  return value >>> 0;
});

function oggChecksum(bytes: Uint8Array): number {
  let value = 0;
  for (const byte of bytes) value = ((value << 8) ^ (CHECKSUM_TABLE[((value >>> 24) ^ byte) & 0xff] as number)) >>> 0;
  return value;
}
