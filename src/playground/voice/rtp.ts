import { createDecipheriv } from 'node:crypto';
import { xchacha20poly1305 } from '@noble/ciphers/chacha.js';
import type { EncryptionMode } from './protocol.ts';

// Parses and decrypts voice packets:
// https://discord.com/developers/docs/topics/voice-connections#transport-encryption-and-sending-voice

const TAG_BYTES = 16;
const NONCE_SUFFIX_BYTES = 4;
/** The payload type of Opus: topics/voice-connections#transport-encryption-modes-voice-packet-structure */
const OPUS_PAYLOAD_TYPE = 0x78;

type RtpPacket = NonNullable<ReturnType<typeof readRtp>>;

/** Returns undefined for a datagram that is not an RTP packet with Opus (RFC 3550 section 5.1). */
export function readRtp(datagram: Buffer) {
  if (datagram.length < 12 + TAG_BYTES + NONCE_SUFFIX_BYTES) return undefined;
  const first = datagram.readUInt8(0);
  if (first >> 6 !== 2 || (datagram.readUInt8(1) & 0x7f) !== OPUS_PAYLOAD_TYPE) return undefined;
  const fixedBytes = 12 + 4 * (first & 0x0f);
  const extended = (first & 0x10) !== 0;
  const headerBytes = fixedBytes + (extended ? 4 : 0);
  if (datagram.length < headerBytes + TAG_BYTES + NONCE_SUFFIX_BYTES) return undefined;
  return {
    sequence: datagram.readUInt16BE(2),
    timestamp: datagram.readUInt32BE(4),
    ssrc: datagram.readUInt32BE(8),
    /** Length of the unencrypted header: it includes CSRCs and the first bytes of the header extension. */
    headerBytes,
    extensionBytes: extended ? 4 * datagram.readUInt16BE(fixedBytes + 2) : 0,
    padded: (first & 0x20) !== 0,
  };
}

/** Returns undefined if the packet is forged, corrupt or encrypted with another key. */
export function openRtp(
  datagram: Buffer,
  packet: RtpPacket,
  mode: EncryptionMode,
  key: Uint8Array,
): Buffer | undefined {
  const bodyEnd = datagram.length - NONCE_SUFFIX_BYTES;
  const header = datagram.subarray(0, packet.headerBytes);
  const sealed = datagram.subarray(packet.headerBytes, bodyEnd);
  const opened = OPENERS[mode](sealed, header, datagram.subarray(bodyEnd), key);
  if (opened === undefined) return undefined;
  const padding = packet.padded ? (opened.at(-1) ?? 0) : 0;
  return opened.subarray(packet.extensionBytes, opened.length - padding);
}

type Opener = (sealed: Buffer, header: Buffer, nonceSuffix: Buffer, key: Uint8Array) => Buffer | undefined;

const OPENERS: Record<EncryptionMode, Opener> = {
  aead_aes256_gcm_rtpsize(sealed, header, nonceSuffix, key) {
    const nonce = Buffer.alloc(12);
    nonceSuffix.copy(nonce);
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(header);
    decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
    const opened = decipher.update(sealed.subarray(0, sealed.length - TAG_BYTES));
    try {
      decipher.final();
      return opened;
    } catch {
      return undefined;
    }
  },
  aead_xchacha20_poly1305_rtpsize(sealed, header, nonceSuffix, key) {
    const nonce = new Uint8Array(24);
    nonce.set(nonceSuffix);
    try {
      return Buffer.from(xchacha20poly1305(key, nonce, header).decrypt(sealed));
    } catch {
      return undefined;
    }
  },
};

/** No client's network delays a packet behind this many later packets. */
const KEPT_NONCES = 4_096;
const TICKS_A_MS = 48;
const TICKS_A_PACKET = 960;
/** How far a packet's RTP timestamp may be ahead of what the elapsed time and the sequence numbers explain. */
const SLACK_TICKS = 10_000 * TICKS_A_MS;

/** Finds a repeated nonce, an older sequence number or an implausible timestamp. */
export class CounterCheck {
  #nonces = new Set<number>();
  #last: { sequence: number; timestamp: number; atMs: number } | undefined;

  problem(datagram: Buffer, { sequence, timestamp }: RtpPacket, atMs: number): string | undefined {
    if (this.#isRepeated(datagram.readUInt32BE(datagram.length - NONCE_SUFFIX_BYTES))) return 'Repeated nonce';
    const before = this.#last;
    this.#last = { sequence, timestamp, atMs };
    if (before === undefined) return undefined;
    const packets = ((sequence - before.sequence) << 16) >> 16;
    if (packets <= 0) return 'Sequence goes back';
    const ticks = (timestamp - before.timestamp) | 0;
    const explained = packets * TICKS_A_PACKET + (atMs - before.atMs) * TICKS_A_MS;
    return ticks < 0 || ticks > explained + SLACK_TICKS ? 'Timestamp jumps' : undefined;
  }

  forget(): void {
    this.#nonces = new Set();
    this.#last = undefined;
  }

  #isRepeated(nonce: number): boolean {
    if (this.#nonces.has(nonce)) return true;
    this.#nonces.add(nonce);
    const [oldest] = this.#nonces;
    if (this.#nonces.size > KEPT_NONCES && oldest !== undefined) this.#nonces.delete(oldest);
    return false;
  }
}
