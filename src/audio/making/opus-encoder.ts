import { Buffer } from 'node:buffer';
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Logger } from 'pino';
import { createResampler } from '../../sound/resample.ts';
import { asBuffer, PACKET_MS } from '../clips/clip.ts';
import { createLimiter } from './loudness.ts';

/** Sample rates that Opus supports; https://www.rfc-editor.org/rfc/rfc6716#section-2 */
export const OPUS_RATES_HZ = [8_000, 12_000, 16_000, 24_000, 48_000] as const;
type OpusRateHz = (typeof OPUS_RATES_HZ)[number];

function opusRateFor(sourceRateHz: number): OpusRateHz {
  return OPUS_RATES_HZ.find((rate) => rate >= sourceRateHz) ?? 48_000;
}

/**
 * With an unconstrained variable bit rate, a target of 80 kbit/s gives 80 to 110 kbit/s for voices. Complexity 4 takes half the CPU
 * of the default 9, and was still measured closer to the source than the Opus guide's settings.
 */
const BITRATE_BPS = 80_000;
const COMPLEXITY = 4;
/** Numbers of Opus encoder settings; https://www.opus-codec.org/docs/opus_api-1.3.1/group__opus__encoderctls.html */
const SET_COMPLEXITY = 4010;
const SET_VBR_CONSTRAINT = 4020;
/**
 * Makes each frame independent of earlier frames, which decoders lack after a pause or a lost packet. Otherwise, up to
 * 60 ms of audio after the gap would sound like a pop or a hole. Independent frames take half a percent more bytes.
 */
const SET_PREDICTION_DISABLED = 4042;

/** libopus delays audio by 6.5 ms (overlap and look-ahead), so as much silence must follow the last sample. */
const LOOKAHEAD_MS = 6.5;

export interface OpusLibrary {
  readonly name: '@discordjs/opus' | 'libopus-wasm';
  /** Clips must not share an encoder, because each frame overlaps with the frame before. */
  createEncoder(sampleRateHz: OpusRateHz): Promise<ReturnType<typeof frameEncoder>>;
}

type NativeEncoderClass = new (
  sampleRateHz: number,
  channels: number,
) => {
  encode(pcm: Buffer): Buffer;
  setBitrate(bitrateBps: number): void;
  applyEncoderCTL(control: number, value: number): void;
};

function frameEncoder(sampleRateHz: OpusRateHz, encodeFrame: (frame: Int16Array) => Buffer, close: () => void) {
  const frame = new Int16Array((sampleRateHz * PACKET_MS) / 1000);
  return {
    frameSamples: frame.length,
    /** How many samples of silence to append, so that the encoder returns the end of the audio. */
    lookaheadSamples: Math.ceil((sampleRateHz * LOOKAHEAD_MS) / 1000),
    /** Encodes samples in -1..1; louder samples are clipped. The caller may keep the returned packet. */
    encode(samples: Float32Array): Buffer {
      toInt16(samples, frame);
      return encodeFrame(frame);
    },
    close,
  };
}

/** The factor 32768 leaves the samples of a 16-bit source unchanged. */
export function toInt16(samples: Float32Array, target: Int16Array): void {
  for (let i = 0; i < target.length; i++) {
    const scaled = Math.round((samples[i] ?? 0) * 32_768);
    target[i] = scaled > 32_767 ? 32_767 : scaled < -32_768 ? -32_768 : scaled;
  }
}

export const wasmOpus: OpusLibrary = {
  name: 'libopus-wasm',
  async createEncoder(sampleRateHz) {
    const { Application, createEncoder } = await import('libopus-wasm');
    const encoder = await createEncoder({
      sampleRate: sampleRateHz,
      channels: 1,
      application: Application.Audio,
      bitrate: BITRATE_BPS,
      complexity: COMPLEXITY,
      vbrConstraint: false,
    });
    encoder.encoderCtl(SET_PREDICTION_DISABLED, 1);
    return frameEncoder(
      sampleRateHz,
      (frame) => asBuffer(encoder.encode(frame)),
      () => encoder.free(),
    );
  },
};

function nativeOpus(Encoder: NativeEncoderClass): OpusLibrary {
  return {
    name: '@discordjs/opus',
    async createEncoder(sampleRateHz) {
      const encoder = new Encoder(sampleRateHz, 1);
      encoder.setBitrate(BITRATE_BPS);
      encoder.applyEncoderCTL(SET_COMPLEXITY, COMPLEXITY);
      encoder.applyEncoderCTL(SET_VBR_CONSTRAINT, 0);
      encoder.applyEncoderCTL(SET_PREDICTION_DISABLED, 1);
      const encode = (frame: Int16Array) => encoder.encode(Buffer.from(frame.buffer));
      return frameEncoder(sampleRateHz, encode, () => undefined);
    },
  };
}

/** node-pre-gyp takes 2 MB for its 110 modules, so it is only used if several binaries were built for this Node. */
function requireNativeOpus(): unknown {
  const require = createRequire(import.meta.url);
  const folder = join(dirname(require.resolve('@discordjs/opus/package.json')), 'prebuild');
  const ofThisNode = `node-v${process.versions.modules}-`;
  const built = existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith(ofThisNode)) : [];
  return built.length > 1 ? require('@discordjs/opus') : require(join(folder, built[0] ?? '', 'opus.node'));
}

/** A binary that was built for another Node or libc fails only when it encodes. */
export function loadNativeOpus(load: () => unknown = requireNativeOpus): { library: OpusLibrary } | { reason: string } {
  try {
    const { OpusEncoder } = load() as { OpusEncoder: NativeEncoderClass };
    const encoder = new OpusEncoder(24_000, 1);
    encoder.applyEncoderCTL(SET_COMPLEXITY, COMPLEXITY);
    if (encoder.encode(Buffer.alloc(960)).length === 0) return { reason: 'it encodes to nothing' };
    return { library: nativeOpus(OpusEncoder) };
  } catch (error) {
    // npm installs the package without its binary, which `npm run build:opus` makes.
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return { reason: 'not built' };
    const message = error instanceof Error ? error.message : String(error);
    return { reason: message.split('\n')[0] ?? 'unknown' };
  }
}

export function chooseOpus(log: Logger, native = loadNativeOpus()): OpusLibrary {
  if ('library' in native) {
    log.info({ encoder: native.library.name }, 'Using the native Opus encoder');
    return native.library;
  }
  log.info(
    { encoder: wasmOpus.name, reason: native.reason, remedy: 'npm run build:opus' },
    'No native Opus encoder: using the slower WebAssembly encoder',
  );
  return wasmOpus;
}

/** Amplifies by `gainDb` and limits peaks to -1 dBFS. The result does not depend on the sizes of the pieces. */
export async function createClipEncoder(opus: OpusLibrary, sourceRateHz: number, gainDb = 0) {
  const rateHz = opusRateFor(sourceRateHz);
  const encoder = await opus.createEncoder(rateHz);
  const resampler = createResampler(sourceRateHz, rateHz);
  const limiter = createLimiter(rateHz, 10 ** (gainDb / 20));
  const frame = new Float32Array(encoder.frameSamples);
  let filled = 0;

  function* cut(samples: Float32Array): Iterable<Buffer> {
    for (let at = 0; at < samples.length; ) {
      const count = Math.min(frame.length - filled, samples.length - at);
      frame.set(samples.subarray(at, at + count), filled);
      filled += count;
      at += count;
      if (filled < frame.length) return;
      filled = 0;
      yield encoder.encode(frame);
    }
  }

  return {
    /** Each next() encodes only one frame, so the caller can pause in between. */
    push: (samples: Float32Array) => cut(limiter.push(resampler.push(samples))),
    /** Silence fills the last frame and pushes out the samples that the encoder still holds. */
    *flush() {
      yield* cut(limiter.push(resampler.flush()));
      yield* cut(limiter.flush());
      yield* cut(new Float32Array(encoder.lookaheadSamples));
      if (filled > 0) yield* cut(new Float32Array(frame.length - filled));
    },
    close: () => encoder.close(),
  };
}

export type ClipEncoder = Awaited<ReturnType<typeof createClipEncoder>>;
