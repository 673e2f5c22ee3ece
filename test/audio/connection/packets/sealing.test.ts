import { expect, test } from 'vitest';
import {
  createSeal,
  loadSodium,
  preferredModes,
  reportCipher,
} from '../../../../src/audio/connection/packets/sealing.ts';
import { writtenLog } from '../../../silent-log.ts';

test('a mode it does not know is left to the library', () => {
  expect(createSeal('aead_unheard_of', new Uint8Array(32))).toBeUndefined();
});

test('the native cipher is logged once, with the reason where its binary does not load', () => {
  const { log, lines } = writtenLog('info');
  const broken = loadSodium(() => {
    throw new Error('GLIBC_2.38 not found\nlong story');
  });
  reportCipher(log, broken);
  expect(lines).toEqual([expect.objectContaining({ reason: 'GLIBC_2.38 not found' })]);
});

test('of what Discord offers, XChaCha20 is taken before AES, and nothing that is not offered', () => {
  const [aes, xchacha] = ['aead_aes256_gcm_rtpsize', 'aead_xchacha20_poly1305_rtpsize'];
  expect(preferredModes([aes, xchacha])[0]).toBe(xchacha);
  expect(preferredModes([aes, 'other'])).toEqual([aes, 'other']);
});
