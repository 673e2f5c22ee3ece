import { Buffer } from 'node:buffer';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { createResampler, joinSamples } from '../../sound/resample.ts';
import { startEncoding } from './encode.ts';
import { EngineError, type SpeechEngine, type SynthesisJob } from './engine.ts';
import { listedVoice, type ServerVoice } from './listed-voices.ts';
import { createServerRequests, wordsOf } from './server-requests.ts';
import { timeStretch } from './time-stretch.ts';

export interface WyomingEngineOptions {
  /** `tcp://HOST:PORT`, the address of a Wyoming server such as Piper. */
  url: string;
  deadlineMs: number;
}

/** The port of Piper's server, https://github.com/rhasspy/wyoming-piper */
const DEFAULT_PORT = 10_200;
/** If no event follows a stop event for this many milliseconds, the Wyoming server has spoken the whole text. */
const AFTER_STOP_MS = 1_000;
/** The longest audio of a text, in samples of one channel: more than half an hour at 24 kHz. */
const MAX_SAMPLES = 48_000_000;

interface Sound {
  samples: Float32Array;
  rateHz: number;
}

/** The Wyoming protocol has no speed, so this engine stretches the audio itself. */
export function createWyomingEngine({ url, deadlineMs }: WyomingEngineOptions): SpeechEngine {
  const { hostname, port } = new URL(url);
  const address = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || DEFAULT_PORT };
  const requests = createServerRequests(deadlineMs);

  async function* send(job: SynthesisJob, signal: AbortSignal) {
    const data = { text: wordsOf(job), voice: { name: job.serverVoice ?? job.voiceName } };
    const socket = connect({ ...address, signal });
    try {
      socket.write(writeWyomingEvent('synthesize', data));
      yield* encoded(soundOf(socket), job);
    } finally {
      socket.destroy();
    }
  }

  return {
    name: `the Wyoming server at ${address.host}:${address.port}`,
    async ask(signal) {
      const socket = connect({ ...address, signal });
      try {
        socket.write(writeWyomingEvent('describe', {}));
        for await (const { type, data } of readWyomingEvents(socket)) if (type === 'info') return voicesOf(data);
      } finally {
        socket.destroy();
      }
      throw new EngineError('failed', 'It does not describe itself.');
    },
    synthesize: (job, signal) => requests.speak(signal, (given) => send(job, given)),
    async close() {
      requests.close();
    },
  };
}

/** Leaves out voices that are not installed: Piper also lists voices that it could download. */
function voicesOf({ tts }: WyomingEvent['data']): ServerVoice[] {
  if (!Array.isArray(tts)) throw new EngineError('failed', 'It describes no voices.');
  const voices = tts.flatMap((program) => (Array.isArray(program?.voices) ? program.voices : []));
  return voices.flatMap((voice) => (voice?.installed === false ? [] : (listedVoice(voice) ?? [])));
}

/** Encodes audio as it arrives, or, if its speed must change, whenever the server ends a passage (a stop event). */
async function* encoded(sound: AsyncIterable<Sound | 'stop'>, { sampleRateHz, format, speed }: SynthesisJob) {
  const encoding = await startEncoding(sampleRateHz, format);
  let parts: Float32Array[] = [];
  let resampler: ReturnType<typeof createResampler> | undefined;
  for await (const piece of sound) {
    if (piece === 'stop') {
      const last = resampler?.flush() ?? new Float32Array();
      yield encoding.push(speed === 1 ? last : timeStretch(joinSamples(...parts, last), sampleRateHz, speed));
      // After a stop event, audio of a Wyoming server may have another sample rate, so it gets a new resampler.
      [resampler, parts] = [undefined, []];
      continue;
    }
    resampler ??= createResampler(piece.rateHz, sampleRateHz);
    const converted = resampler.push(piece.samples);
    if (speed === 1) yield encoding.push(converted);
    else parts.push(converted);
  }
  yield encoding.end();
}

/** A Wyoming server may speak sentence by sentence, so the audio between all start and stop events is used. */
async function* soundOf(socket: Socket): AsyncGenerator<Sound | 'stop'> {
  const events = readWyomingEvents(socket);
  let length = 0;
  for (let isStopped = false; ; ) {
    const next: Promise<IteratorResult<WyomingEvent, undefined>> = events.next();
    // After a stop event, the Wyoming server's audio is complete, even if the connection ends with an error.
    const nextOrNone = next.then(
      ({ value }) => value,
      () => undefined,
    );
    const event: WyomingEvent | undefined = isStopped
      ? await Promise.race([nextOrNone, delay(AFTER_STOP_MS, undefined, { ref: false })])
      : (await next).value;
    if (event === undefined && !isStopped) {
      throw new EngineError('unavailable', 'The speech engine ended the connection before the audio was complete.', {
        mayBeBilled: true,
      });
    }
    if (event === undefined || event.type === 'synthesize-stopped') break;
    if (event.type === 'error') throw new EngineError('failed', 'The speech engine could not speak this text.');
    if (event.type.startsWith('audio-')) isStopped = event.type === 'audio-stop';
    if (event.type === 'audio-stop') yield 'stop';
    if (event.type !== 'audio-chunk') continue;
    const samples = mono(event);
    length += samples.length;
    if (length > MAX_SAMPLES) throw unusable('more audio than any text needs');
    yield { samples, rateHz: rateOf(event) };
  }
  if (length === 0) {
    throw new EngineError('rejected', 'The speech engine made no sound of this text.', { mayBeBilled: true });
  }
}

const unusable = (what: string) => new EngineError('failed', `The speech engine sent ${what}.`, { mayBeBilled: true });

function rateOf({ data }: WyomingEvent): number {
  const { rate } = data;
  if (typeof rate === 'number' && rate >= 8_000 && rate <= 192_000) return rate;
  throw unusable('audio of an unknown sample rate');
}

/** Returns the first channel. Throws unless the audio is 16-bit PCM. */
function mono({ data, payload }: WyomingEvent): Float32Array {
  const { width = 2, channels = 1 } = data;
  if (width !== 2 || typeof channels !== 'number' || !(channels >= 1)) {
    throw unusable('audio that is not 16-bit PCM');
  }
  const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
  const frames = Math.floor(payload.byteLength / (2 * channels));
  return Float32Array.from({ length: frames }, (_, frame) => view.getInt16(frame * 2 * channels, true) / 32_768);
}

/** An event of the Wyoming protocol: https://github.com/rhasspy/wyoming#format */
interface WyomingEvent {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly payload: Uint8Array;
}

/** The header of a Wyoming event is a line of a few hundred bytes: an endless line must not fill the memory. */
const MAX_HEADER_BYTES = 64 * 1024;
/** A chunk of audio has a few kilobytes, but a server may send the megabytes of a whole text in one event. */
const MAX_PART_BYTES = 64 * 1024 * 1024;

const byteCount = z.int().min(0).max(MAX_PART_BYTES).nullish();
const dataSchema = z.record(z.string(), z.unknown());
const headerSchema = z.object({
  type: z.string(),
  data: dataSchema.nullish(),
  data_length: byteCount,
  payload_length: byteCount,
});

const writeWyomingEvent = (type: string, data: WyomingEvent['data']): string => `${JSON.stringify({ type, data })}\n`;

/** Yields Wyoming events until the connection ends between two of them. Throws if an event is malformed or cut off. */
export async function* readWyomingEvents(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<WyomingEvent> {
  const chunks = bytes[Symbol.asyncIterator]();
  let pending = Buffer.alloc(0);

  async function more(): Promise<boolean> {
    const { done, value } = await chunks.next();
    if (!done) pending = Buffer.concat([pending, value]);
    return !done;
  }

  async function take(count: number): Promise<Buffer> {
    while (pending.length < count)
      if (!(await more())) throw new Error('The connection ended in the middle of an event');
    const taken = pending.subarray(0, count);
    pending = pending.subarray(count);
    return taken;
  }

  for (;;) {
    let end = pending.indexOf('\n');
    while (end < 0) {
      if (pending.length > MAX_HEADER_BYTES) throw new Error('The header of an event is too long');
      if (!(await more())) {
        if (pending.length > 0) throw new Error('The connection ended in the middle of a header');
        return;
      }
      end = pending.indexOf('\n');
    }
    const line = (await take(end + 1)).toString();
    const { type, data, data_length: dataBytes, payload_length: payloadBytes } = headerSchema.parse(JSON.parse(line));
    const further = dataBytes ? dataSchema.parse(JSON.parse((await take(dataBytes)).toString())) : {};
    const payload = payloadBytes ? Uint8Array.from(await take(payloadBytes)) : new Uint8Array();
    yield { type, data: { ...data, ...further }, payload };
  }
}
