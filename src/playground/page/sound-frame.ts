import { Buffer } from 'node:buffer';
import type { HeardPacket } from '../voice/protocol/types.ts';

const HEADER_BYTES = 20;
const SILENCE = 1;
const ENCRYPTED = 2;

/**
 * A packet on its way to the page: flags, RTP sequence, timestamp and SSRC, the speaker's id, and the Opus frame; numbers
 * are big-endian, as in RTP. `client/sound/frames.js` reads it.
 */
export function soundFrame(packet: HeardPacket, opus: Uint8Array): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt16BE((packet.silence ? SILENCE : 0) | (packet.encrypted ? ENCRYPTED : 0), 0);
  header.writeUInt16BE(packet.sequence, 2);
  header.writeUInt32BE(packet.timestamp, 4);
  header.writeUInt32BE(packet.ssrc, 8);
  header.writeBigUInt64BE(BigInt(packet.userId), 12);
  return Buffer.concat([header, opus]);
}
