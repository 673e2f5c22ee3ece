import { connect, type Socket } from 'node:net';
import { resample } from '../../sound/resample.ts';
import { timeStretch } from '../../sound/time-stretch.ts';
import { spokenText } from '../../speech/interface/tags.ts';
import { loadEncoders } from './encode.ts';
import { EngineError, type SpeechEngine, type SynthesisedAudio, type SynthesisJob } from './engine.ts';
import { readWyomingEvents, type WyomingEvent, writeWyomingEvent } from './wyoming-events.ts';

export interface WyomingEngineOptions {
  /** `tcp://HOST:PORT`. */
  url: string;
  /** Which of the server's voices speaks for ours; for the others the server's own one does. */
  voices?: Readonly<Record<string, string>>;
  deadlineMs?: number;
}

/** The port of Piper's server: https://github.com/rhasspy/wyoming-piper */
const DEFAULT_PORT = 10_200;
/** The same as for the other engines: from the request to the complete audio. */
const DEFAULT_DEADLINE_MS = 60_000;
/** At 24 kHz more than half an hour: more than any text needs. */
const MAX_SAMPLES = 48_000_000;
const MAX_AT_ONCE = 32;
/** The audio of a text of tags alone: playable silence. */
const NOTHING_TO_SAY_SECONDS = 0.25;

interface Sound {
  samples: Float32Array;
  rateHz: number;
}

/**
 * Lets a server that speaks the Wyoming protocol over TCP speak, such as Piper beside Home Assistant. Tags are taken out; the
 * protocol has neither style nor seed or temperature, and the speed is made here. One connection a text, as Home Assistant does.
 */
export function createWyomingEngine({
  url,
  voices = {},
  deadlineMs = DEFAULT_DEADLINE_MS,
}: WyomingEngineOptions): SpeechEngine {
  const { hostname, port } = new URL(url);
  const address = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || DEFAULT_PORT };
  const closing = new AbortController();
  let atOnce = 0;

  async function speak({ text, tags, voiceName }: SynthesisJob, signal: AbortSignal): Promise<Sound> {
    const name = voices[voiceName];
    const data = { text: spokenText(text, tags), ...(name !== undefined && { voice: { name } }) };
    const socket = connect({ ...address, signal });
    try {
      socket.write(writeWyomingEvent({ type: 'synthesize', data }));
      return await soundOf(socket);
    } finally {
      socket.destroy();
    }
  }

  return {
    name: `the Wyoming server at ${address.host}:${address.port}`,
    ready: Promise.resolve({}),
    takesStyle: false,
    async synthesise(job, { signal }) {
      if (spokenText(job.text, job.tags).trim() === '') return encoded(silence(job), job);
      if (atOnce >= MAX_AT_ONCE) throw new EngineError('unavailable', 'Too many requests are waiting for the engine.');
      atOnce += 1;
      const given = AbortSignal.any([signal, AbortSignal.timeout(deadlineMs), closing.signal]);
      try {
        return await encoded(await speak(job, given), job);
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        if (error instanceof EngineError) throw error;
        throw new EngineError('unavailable', 'The speech engine cannot be reached or did not answer in time.', {
          cause: error,
        });
      } finally {
        atOnce -= 1;
      }
    },
    async close() {
      closing.abort();
    },
  };
}

const silence = ({ sampleRateHz: rateHz }: SynthesisJob): Sound => ({
  samples: new Float32Array(Math.round(NOTHING_TO_SAY_SECONDS * rateHz)),
  rateHz,
});

async function encoded(sound: Sound, { sampleRateHz, format, speed }: SynthesisJob): Promise<SynthesisedAudio> {
  const encode = await loadEncoders();
  const samples = resample(sound.samples, sound.rateHz, sampleRateHz);
  return { bytes: encode(timeStretch(samples, sampleRateHz, speed), sampleRateHz, format), format };
}

/** From `audio-start` to `audio-stop`. */
async function soundOf(socket: Socket): Promise<Sound> {
  const parts: Float32Array[] = [];
  let [length, rateHz] = [0, 0];
  for await (const event of readWyomingEvents(socket)) {
    if (event.type === 'error') throw new EngineError('failed', 'The speech engine could not speak this text.');
    if (event.type === 'audio-stop') return { samples: joined(parts, length), rateHz };
    if (event.type !== 'audio-chunk') continue;
    const part = mono(event);
    rateHz ||= rateOf(event);
    length += part.length;
    if (length > MAX_SAMPLES) throw new EngineError('failed', 'The speech engine sent more audio than any text needs.');
    parts.push(part);
  }
  throw new EngineError('unavailable', 'The speech engine ended the connection before the audio was complete.');
}

function joined(parts: readonly Float32Array[], length: number): Float32Array {
  if (length === 0) throw new EngineError('failed', 'The speech engine sent no audio.');
  const samples = new Float32Array(length);
  let at = 0;
  for (const part of parts) {
    samples.set(part, at);
    at += part.length;
  }
  return samples;
}

function rateOf({ data }: WyomingEvent): number {
  const { rate } = data;
  if (typeof rate === 'number' && rate >= 8_000 && rate <= 192_000) return rate;
  throw new EngineError('failed', 'The speech engine sent audio of an unknown sample rate.');
}

/** 16-bit PCM, the only width that speech servers send; of several channels the first. */
function mono({ data, payload }: WyomingEvent): Float32Array {
  const { width = 2, channels = 1 } = data;
  if (width !== 2 || typeof channels !== 'number' || !(channels >= 1)) {
    throw new EngineError('failed', 'The speech engine sent audio that is not 16-bit PCM.');
  }
  const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
  const frames = Math.floor(payload.byteLength / (2 * channels));
  return Float32Array.from({ length: frames }, (_, frame) => view.getInt16(frame * 2 * channels, true) / 32_768);
}
