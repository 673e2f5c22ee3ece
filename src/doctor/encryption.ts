import { getCiphers } from 'node:crypto';
import { howToInstall } from '../process/package.ts';
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

/** Discord's voice connections are encrypted with one of two ciphers: this one is Node's, the other one is of a package. */
export function checkCipher(): Finding {
  if (getCiphers().includes('aes-256-gcm')) return good('cipher', 'aes-256-gcm (Node)');
  return attention('cipher', {
    found: 'this Node has no aes-256-gcm',
    means: 'Voice is encrypted with xchacha20-poly1305, by a package that may be missing.',
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
