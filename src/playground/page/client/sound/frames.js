/* Packets as `sound-frame.ts` writes them. */

const HEADER_BYTES = 20;

export function readFrame(buffer) {
  const view = new DataView(buffer);
  const flags = view.getUint16(0);
  return {
    silence: (flags & 1) !== 0,
    encrypted: (flags & 2) !== 0,
    sequence: view.getUint16(2),
    timestamp: view.getUint32(4),
    ssrc: view.getUint32(8),
    userId: view.getBigUint64(12).toString(),
    opus: new Uint8Array(buffer, HEADER_BYTES),
  };
}
