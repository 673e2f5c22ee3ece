import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { chooseFfmpeg } from '../audio/making/decoding/ffmpeg-decoder.ts';
import { loadNativeOpus, wasmOpus } from '../audio/making/opus-encoder.ts';
import { childEnvironment } from '../process/child-environment.ts';
import { howToGetFfmpeg, howToInstall } from '../process/package.ts';
import { attention, blocking, type Finding, good, installedVersion, reason } from './finding.ts';

/** DAVE is Discord's end-to-end encryption of voice. Its package needs a native binary for this platform. */
export async function checkDave(): Promise<Finding> {
  try {
    const { DAVE_PROTOCOL_VERSION, DAVESession, VERSION } = await import('@snazzah/davey');
    // Creating a key pair shows that DAVE's binary works, not only that it loads.
    const session = new DAVESession(DAVE_PROTOCOL_VERSION, '100000000000000001', '100000000000000002');
    const { length } = session.getSerializedKeyPackage();
    if (length === 0) throw new Error('it made an empty key package');
    return good('DAVE', `protocol version ${DAVE_PROTOCOL_VERSION} (@snazzah/davey ${VERSION})`);
  } catch (error) {
    // If @snazzah/davey cannot be loaded, only the first sentence of its error is shown. The rest advises deleting
    // package-lock.json, but Crier is installed from that file.
    const [why] = reason(error).split(/(?<=\.) /);
    return blocking(
      'DAVE',
      `@snazzah/davey does not work: ${why}`,
      'Discord requires end-to-end encryption in voice channels.',
      'Run npm ci without --omit=optional: the binary for this platform is an optional package of davey.',
    );
  }
}

/** Crier uses internals of one release of @discordjs/voice. With other releases, it sends speech by public methods, which take more CPU. */
export async function checkVoiceLibrary(versionOf = installedVersion): Promise<Finding> {
  const { KNOWN_RELEASE } = await import('../audio/connection/dave.ts');
  const installed = versionOf('@discordjs/voice') ?? 'missing';
  if (installed === KNOWN_RELEASE) return good('voice library', `@discordjs/voice ${installed}`);
  return attention(
    'voice library',
    `@discordjs/voice ${installed} instead of ${KNOWN_RELEASE}`,
    'Speech is sent by the public methods of that version, at about four times the CPU.',
    howToInstall,
  );
}

export function checkOpus(native = loadNativeOpus()): Finding {
  if ('library' in native) return good('Opus encoder', native.library.name);
  return attention(
    'Opus encoder',
    `${wasmOpus.name} (the native one: ${native.reason})`,
    'It sounds the same and takes about a fifth more CPU than the native one.',
    'If that matters: npm run build:opus (needs python3, make and g++).',
  );
}

const FFMPEG_TIMEOUT_MS = 10_000;

export async function checkFfmpeg(configuredPath: string | undefined, signal: AbortSignal): Promise<Finding> {
  const path = chooseFfmpeg(configuredPath);
  try {
    const options = { timeout: FFMPEG_TIMEOUT_MS, signal, env: childEnvironment() };
    const { stdout } = await promisify(execFile)(path, ['-version'], options);
    const version = /^ffmpeg version (\S+)/.exec(stdout)?.[1] ?? 'of unknown version';
    return good('ffmpeg', `${version} (${path})`);
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    return attention(
      'ffmpeg',
      isMissing ? 'none' : `${path} does not run: ${reason(error)}`,
      'Only audio that is neither WAV nor MP3 cannot be played; speech services answer with those two.',
      `If you need it: ${howToGetFfmpeg}.`,
    );
  }
}
