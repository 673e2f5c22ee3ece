import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { chooseFfmpeg } from '../audio/making/decoding/ffmpeg-decoder.ts';
import { loadNativeOpus, type OpusLibrary, wasmOpus } from '../audio/making/opus-encoder.ts';
import { childEnvironment } from '../process/child-environment.ts';
import { howToGetFfmpeg, howToInstall } from '../process/package.ts';
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

const FFMPEG_TIMEOUT_MS = 10_000;
const WARM_UP_FRAMES = 100;
const ROUNDS = 10;
const FRAMES_OF_A_ROUND = 50;

/**
 * Microseconds for one 20 ms frame of a tone at 24 kHz mono, as the bot encodes them: of the best of several rounds,
 * because whatever else this machine does only adds to it.
 */
async function measure(library: OpusLibrary): Promise<number> {
  const encoder = await library.createEncoder(24_000);
  const samples = Float32Array.from({ length: encoder.frameSamples }, (_, i) => 0.3 * Math.sin(i / 9));
  const encode = (frames: number) => {
    const startedAtMs = performance.now();
    for (let frame = 0; frame < frames; frame++) encoder.encode(samples);
    return performance.now() - startedAtMs;
  };
  encode(WARM_UP_FRAMES);
  const bestMs = Math.min(...Array.from({ length: ROUNDS }, () => encode(FRAMES_OF_A_ROUND)));
  encoder.close();
  return Math.round((bestMs / FRAMES_OF_A_ROUND) * 1000);
}

/** Which Opus encoder the bot will take, and how fast it is here. */
export async function checkOpus(native = loadNativeOpus()): Promise<Finding> {
  const library = 'library' in native ? native.library : wasmOpus;
  const found = `${library.name}, ${await measure(library)} µs for a frame of 20 ms`;
  if ('library' in native) return good('Opus encoder', found);
  return attention('Opus encoder', {
    found: `${found} (the native one: ${native.reason})`,
    means: 'It sounds the same and takes about a fifth more CPU than the native one.',
    remedy: 'If that matters: npm run build:opus (needs python3, make and g++).',
  });
}

/** The ffmpeg for formats other than WAV and MP3. */
export async function checkFfmpeg(configuredPath: string | undefined, signal: AbortSignal): Promise<Finding> {
  const path = chooseFfmpeg(configuredPath);
  try {
    const options = { timeout: FFMPEG_TIMEOUT_MS, signal, env: childEnvironment() };
    const { stdout } = await promisify(execFile)(path, ['-version'], options);
    const version = /^ffmpeg version (\S+)/.exec(stdout)?.[1] ?? 'of unknown version';
    return good('ffmpeg', `${version} (${path})`);
  } catch (error) {
    return attention('ffmpeg', {
      found: (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'none' : `${path} does not run: ${reason(error)}`,
      means: 'Only sound that is neither WAV nor MP3 cannot be played; speech services answer with those two.',
      remedy: `If you need it: ${howToGetFfmpeg}.`,
    });
  }
}
