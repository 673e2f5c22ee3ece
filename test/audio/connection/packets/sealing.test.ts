import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import {
  createSeal,
  loadSodium,
  preferredModes,
  reportCipher,
  TAG_BYTES,
} from '../../../../src/audio/connection/packets/sealing.ts';
import { openRtp, readRtp } from '../../../../src/playground/voice/rtp.ts';
import type { EncryptionMode } from '../../../../src/playground/voice/server.ts';

const MODES: readonly EncryptionMode[] = ['aead_aes256_gcm_rtpsize', 'aead_xchacha20_poly1305_rtpsize'];

describe('sealing', () => {
  test.each(MODES)('%s is opened by the voice server, frame after frame, with one key', (mode) => {
    const key = new Uint8Array(randomBytes(32));
    const seal = createSeal(mode, key);
    if (!seal) throw new Error('This machine has no cipher for it');
    for (const counter of [1, 2, 0xffff_fffe]) {
      const frame = randomBytes(100 + (counter % 50));
      const header = Buffer.alloc(12);
      header.writeUInt16BE(0x8078, 0);
      const nonce = Buffer.alloc(4);
      nonce.writeUInt32BE(counter, 0);
      const sealed = Buffer.alloc(frame.length + TAG_BYTES);
      seal(sealed, frame, header, counter);
      const datagram = Buffer.concat([header, sealed, nonce]);
      const rtp = readRtp(datagram);
      if (!rtp) throw new Error('Not RTP');
      expect(openRtp(datagram, rtp, mode, key)).toEqual(frame);
      expect(openRtp(datagram, rtp, mode, new Uint8Array(32))).toBeUndefined();
    }
  });

  test('a mode it does not know is left to the library', () => {
    expect(createSeal('aead_unheard_of', new Uint8Array(32))).toBeUndefined();
  });
});

describe('the native cipher', () => {
  test('is logged once, with the reason where its binary does not load', () => {
    const lines: string[] = [];
    const log = pino({}, { write: (line: string) => lines.push(line) });
    const broken = loadSodium(() => {
      throw new Error('GLIBC_2.38 not found\nlong story');
    });
    reportCipher(log, broken);
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ reason: 'GLIBC_2.38 not found' }),
    ]);
  });
});

describe('choosing among what Discord offers', () => {
  test('takes XChaCha20 before AES, and nothing that is not offered', () => {
    expect(preferredModes(MODES)[0]).toBe('aead_xchacha20_poly1305_rtpsize');
    expect(preferredModes(['aead_aes256_gcm_rtpsize', 'other'])).toEqual(['aead_aes256_gcm_rtpsize', 'other']);
  });
});
