import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import prism from 'prism-media';
import { childEnvironment } from '../../../process/child-environment.ts';
import { joinBytes } from '../../../sound/containers.ts';
import { AudioError } from '../../clips/clip.ts';

const OUTPUT_RATE_HZ = 48_000;
/** The formats that ffmpeg may read. Playlist formats are not allowed, because playlists could name files and addresses. */
const FORMATS = 'aac,aiff,amr,asf,au,caf,flac,matroska,webm,mov,mp4,m4a,mp3,ogg,w64,wav';
const MAX_ERROR_TEXT = 500;
/** ffmpeg counts as hung if it is idle for this long: decoding takes a fraction of the audio's duration. */
const IDLE_TIMEOUT_MS = 15_000;

/** The system's ffmpeg is preferred to ffmpeg-static, which is downloaded without a check of its hash. */
export function chooseFfmpeg(configuredPath: string | undefined, path = process.env.PATH ?? ''): string {
  if (configuredPath) return configuredPath;
  const bundled = bundledFfmpeg();
  return isOnPath('ffmpeg', path) || bundled === undefined || !existsSync(bundled) ? 'ffmpeg' : bundled;
}

function isOnPath(name: string, path: string): boolean {
  const file = process.platform === 'win32' ? `${name}.exe` : name;
  // An empty entry in PATH means the current folder, whose files are not the system's.
  return path.split(delimiter).some((folder) => folder !== '' && existsSync(join(folder, file)));
}

/** ffmpeg-static is optional and returns a path even if its download failed. */
function bundledFfmpeg(): string | undefined {
  try {
    const path: unknown = createRequire(import.meta.url)('ffmpeg-static');
    return typeof path === 'string' ? path : undefined;
  } catch {
    return undefined;
  }
}

/** With `-analyzeduration 0`, ffmpeg starts with the received audio instead of waiting for five seconds of audio. */
const ARGUMENTS =
  `-hide_banner -nostdin -loglevel error -analyzeduration 0 -protocol_whitelist pipe -format_whitelist ${FORMATS} ` +
  `-i pipe:0 -vn -sn -dn -f f32le -ac 1 -ar ${OUTPUT_RATE_HZ}`;

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** Starts ffmpeg, because prism-media would block while it tries binaries, ignore FFMPEG_BIN, and give the bot's token to ffmpeg. */
function startFfmpeg(path: string): Child {
  // The types of prism-media omit the function with which it starts ffmpeg.
  Reflect.set(prism.FFmpeg, 'create', ({ args }: { readonly args: readonly string[] }) => {
    const child = spawn(path, [...args, 'pipe:1'], { env: childEnvironment(), windowsHide: true });
    // Contrary to Node's types, a child process has no pipes if no file descriptors are left.
    if (child.stdin !== undefined) return child;
    // Without a listener, the 'error' event that follows a failed start would end the bot.
    child.on('error', () => undefined);
    throw new AudioError('ffmpeg-missing', `ffmpeg could not be started: too many files are open (${path})`);
  });
  const transcoder = new prism.FFmpeg({ args: ARGUMENTS.split(' ') });
  // prism-media repeats the errors of the pipes on its own stream. The bot handles them at the pipes.
  transcoder.on('error', () => undefined);
  return transcoder.process as Child;
}

async function* readFloats(output: AsyncIterable<Uint8Array>): PcmStream {
  let carry = new Uint8Array(0);
  for await (const chunk of output) {
    const bytes = joinBytes([carry, chunk]);
    const count = bytes.length >> 2;
    carry = bytes.slice(count * 4);
    if (count > 0) yield { sampleRateHz: OUTPUT_RATE_HZ, samples: new Float32Array(bytes.buffer, 0, count) };
  }
}

/** If ffmpeg stops reading early, that is no error: it has read enough, or reports a problem on stderr. */
async function feed(bytes: AsyncIterable<Uint8Array>, stdin: Writable): Promise<unknown> {
  try {
    await pipeline(Readable.from(bytes, { objectMode: false }), stdin);
    return undefined;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    return code === 'EPIPE' || code === 'ERR_STREAM_PREMATURE_CLOSE' ? undefined : error;
  }
}

function watchIdle(timeoutMs: number, onIdle: () => void) {
  let waitedFor = 0;
  const timer = setTimeout(() => {
    if (waitedFor > 0) timer.refresh();
    else onIdle();
  }, timeoutMs);
  return {
    /** Pauses the detection of a hung ffmpeg while ffmpeg waits for its source or its reader. */
    pause: () => void waitedFor++,
    resume() {
      waitedFor--;
      timer.refresh();
    },
    stop: () => clearTimeout(timer),
  };
}

async function* watched(bytes: AsyncIterable<Uint8Array>, idle: ReturnType<typeof watchIdle>) {
  const source = bytes[Symbol.asyncIterator]();
  try {
    for (;;) {
      idle.pause();
      const next = await source.next().finally(idle.resume);
      if (next.done) return;
      yield next.value;
    }
  } finally {
    await source.return?.();
  }
}

/** Throws 'ffmpeg-missing' if ffmpeg does not start, and the signal's reason if the signal aborts. */
export async function* decodeWithFfmpeg(
  bytes: AsyncIterable<Uint8Array>,
  ffmpegPath: string | undefined,
  signal?: AbortSignal,
  idleTimeoutMs = IDLE_TIMEOUT_MS,
): PcmStream {
  signal?.throwIfAborted();
  const path = chooseFfmpeg(ffmpegPath);
  const child = startFfmpeg(path);
  const exited = new Promise<number | null | Error>((resolve) => {
    child.once('error', resolve);
    child.once('close', (code) => resolve(code));
  });
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => {
    if (complaint.length < MAX_ERROR_TEXT) complaint += chunk.toString('utf8').slice(0, MAX_ERROR_TEXT);
  });
  const { promise: givenUp, reject: giveUp } = Promise.withResolvers<never>();
  // If ffmpeg hangs or is aborted, reading its output must fail instead of waiting.
  givenUp.catch((error: Error) => child.stdout.destroy(error));
  const onAbort = () => giveUp(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  const idle = watchIdle(idleTimeoutMs, () =>
    giveUp(new AudioError('timeout', `ffmpeg did nothing for ${idleTimeoutMs} ms (${path})`)),
  );
  const fed = feed(watched(bytes, idle), child.stdin);
  let heard = 0;
  try {
    for await (const pcm of readFloats(child.stdout)) {
      heard += pcm.samples.length;
      idle.pause();
      yield pcm;
      idle.resume();
    }
    const [exit, feedError] = await Promise.race([Promise.all([exited, fed]), givenUp]);
    if (feedError) throw feedError;
    if (exit instanceof Error) {
      throw new AudioError(
        'ffmpeg-missing',
        `This sound is neither WAV nor MP3, and ffmpeg, which could read it, does not start (${path}): ` +
          'install ffmpeg or set FFMPEG_BIN',
        { cause: exit },
      );
    }
    if (heard === 0) throw new AudioError('not-audio', `ffmpeg found no sound: ${complaint.trim() || `exit ${exit}`}`);
    if (exit !== 0) throw new AudioError('damaged', `ffmpeg stopped early: ${complaint.trim() || `exit ${exit}`}`);
  } finally {
    idle.stop();
    signal?.removeEventListener('abort', onAbort);
    child.kill('SIGKILL');
    // If FFMPEG_BIN is a wrapper script, ffmpeg may outlive it and hold the pipes open.
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
  }
}

/** Mono audio samples in -1..1. All pieces of one stream have the same rate. */
export interface Pcm {
  readonly sampleRateHz: number;
  readonly samples: Float32Array;
}

/** The output of every decoder: audio up to the first fault, then the end or an AudioError. */
export type PcmStream = AsyncIterable<Pcm>;
