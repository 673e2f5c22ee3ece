import { Buffer } from 'node:buffer';
import { readyTransport } from './ready-transport.ts';
import { createSeal, type Seal, TAG_BYTES } from './transport-cipher.ts';
import type { ConnectionData, VoiceConnection } from './voice-library.ts';

const HEADER_BYTES = 12;
const NONCE_BYTES = 4;
/** 20 ms of RTP's 48 kHz clock. */
const TICKS = 960;
/** Far more than a day of speech under one key; a nonce that came twice would give the key away. */
const LAST_NONCE = 0xffff_ffff;

/** Sends Opus packets of 20 ms over one connection. */
export interface PacketSender {
  /** False: the connection takes none now. Throws when encrypting fails. */
  send(opus: Buffer): boolean;
}

/**
 * Does what VoiceConnection.playOpusPacket() does, on the library's own counters, socket and DAVE session, for a third of
 * its CPU: one buffer a packet, keys prepared once. What it cannot seal it leaves to the library.
 */
export function createPacketSender(connection: VoiceConnection): PacketSender {
  let sealedFor: Uint8Array | undefined;
  let seal: Seal | undefined;
  const transport = readyTransport(connection);
  const header = Buffer.alloc(HEADER_BYTES);
  // Version 2, nothing optional, payload type 120: Opus.
  header.writeUInt16BE(0x8078, 0);

  function sealFor({ encryptionMode, secretKey }: ConnectionData): Seal | undefined {
    if (sealedFor !== secretKey) {
      sealedFor = secretKey;
      seal = createSeal(encryptionMode, secretKey);
    }
    return seal;
  }

  return {
    send(opus) {
      const ready = transport();
      if (!ready) return false;
      const { connectionData: data, dave, udp } = ready.state;
      const sealing = sealFor(data);
      if (!sealing || data.nonce >= LAST_NONCE) return connection.playOpusPacket(opus) === true;

      const frame = dave?.encrypt(opus) ?? opus;
      const end = HEADER_BYTES + frame.length + TAG_BYTES;
      const packet = Buffer.allocUnsafe(end + NONCE_BYTES);
      header.writeUInt16BE(data.sequence, 2);
      header.writeUInt32BE(data.timestamp, 4);
      header.writeUInt32BE(data.ssrc, 8);
      header.copy(packet);
      data.nonce += 1;
      data.nonceBuffer.writeUInt32BE(data.nonce, 0);
      packet.writeUInt32BE(data.nonce, end);
      sealing(packet.subarray(HEADER_BYTES, end), frame, header, data.nonceBuffer);

      data.packetsPlayed += 1;
      data.sequence = (data.sequence + 1) & 0xffff;
      data.timestamp = (data.timestamp + TICKS) >>> 0;
      if (!data.speaking) ready.networking.setSpeaking(true);
      udp.send(packet);
      return true;
    },
  };
}
