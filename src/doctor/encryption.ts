import { createCipheriv, createDecipheriv, getCiphers, randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { howToInstall } from '../process/commands.ts';
import { attention, blocking, type Finding, good, reason } from './finding.ts';
import { installedVersion } from './runtime.ts';

/** DAVE, Discord's end-to-end encryption of voice: a native package with a binary for each platform. */
export async function checkDave(load = () => import('@snazzah/davey')): Promise<Finding> {
  try {
    const { DAVE_PROTOCOL_VERSION, DAVESession, VERSION } = await load();
    // Makes a key pair, so that the binary has to work and not only to load.
    const session = new DAVESession(DAVE_PROTOCOL_VERSION, '100000000000000001', '100000000000000002');
    const { length } = session.getSerializedKeyPackage();
    if (length === 0) throw new Error('it made an empty key package');
    return good('DAVE', `protocol version ${DAVE_PROTOCOL_VERSION} (@snazzah/davey ${VERSION})`);
  } catch (error) {
    // Only the first sentence: the loader's further advice is not for a locked install.
    const [why] = reason(error).split(/(?<=\.) /);
    return blocking('DAVE', {
      found: `@snazzah/davey does not work: ${why}`,
      means: 'Discord lets no bot into a voice channel without end-to-end encryption.',
      remedy: 'Run npm ci without --omit=optional: the binary for this platform is an optional package of davey.',
    });
  }
}

function aesWorks(): boolean {
  if (!getCiphers().includes('aes-256-gcm')) return false;
  const [key, nonce, plain] = [randomBytes(32), randomBytes(12), randomBytes(64)];
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const secret = Buffer.concat([cipher.update(plain), cipher.final()]);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce).setAuthTag(cipher.getAuthTag());
  return Buffer.concat([decipher.update(secret), decipher.final()]).equals(plain);
}

/** The one function of sodium-native that is tried here; the package brings no types. */
interface Sodium {
  readonly crypto_aead_xchacha20poly1305_ietf_ABYTES: number;
  crypto_aead_xchacha20poly1305_ietf_encrypt(
    secret: Buffer,
    plain: Buffer,
    additionalData: Buffer | null,
    unused: null,
    nonce: Buffer,
    key: Buffer,
  ): number;
}

/** The package for XChaCha20-Poly1305, in the voice library's order; or the reason that there is none. */
async function xchachaProvider(): Promise<{ name: string } | { reason: string }> {
  const [key, nonce, plain] = [randomBytes(32), randomBytes(24), randomBytes(64)];
  try {
    const sodium = createRequire(import.meta.url)('sodium-native') as Sodium;
    const secret = Buffer.alloc(plain.length + sodium.crypto_aead_xchacha20poly1305_ietf_ABYTES);
    sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(secret, plain, null, null, nonce, key);
    return { name: 'sodium-native' };
  } catch (nativeError) {
    try {
      const { xchacha20poly1305 } = await import('@noble/ciphers/chacha.js');
      xchacha20poly1305(key, nonce).encrypt(plain);
      return { name: `@noble/ciphers (sodium-native: ${reason(nativeError)})` };
    } catch (error) {
      return { reason: reason(error) };
    }
  }
}

/** The two ciphers of Discord's voice connections; one of them is enough. */
export async function checkCiphers(): Promise<Finding> {
  const xchacha = await xchachaProvider();
  const available = [
    ...(aesWorks() ? ['aes-256-gcm (Node)'] : []),
    ...('name' in xchacha ? [`xchacha20-poly1305 (${xchacha.name})`] : []),
  ];
  if (available.length > 0) return good('ciphers', available.join(', '));
  return blocking('ciphers', {
    found: 'neither aes-256-gcm nor xchacha20-poly1305',
    means: 'Discord offers no other encryption for voice connections.',
    remedy: `${howToInstall} Use a Node built with OpenSSL.`,
  });
}

/** Crier sends voice packets on the insides of two packages, so their versions and methods have to be those it was written for. */
export async function checkVoiceLibrary(
  load = () => import('../audio/connection/library/borrowed.ts'),
  versionOf = installedVersion,
): Promise<Finding> {
  const { missingMethods, READ_VERSIONS } = await load();
  const missing = missingMethods();
  const different = Object.entries(READ_VERSIONS).flatMap(([name, expected]) => {
    const installed = versionOf(name) ?? 'missing';
    return installed === expected ? [] : [`${name} ${installed} instead of ${expected}`];
  });
  if (missing.length + different.length === 0) {
    const versions = Object.entries(READ_VERSIONS).map(([name, version]) => `${name} ${version}`);
    return good('voice library', `${versions.join(', ')}: internals as expected`);
  }
  return attention('voice library', {
    found: [...different, ...missing.map((method) => `no ${method}`)].join(', '),
    means:
      'What does not fit is left to the library: speech is sent by its public methods, at about four times the CPU.',
    remedy: howToInstall,
  });
}
