import { Agent, request } from 'undici';
import { sniffFile } from '../../sound/sniff-file.ts';
import { spokenText } from '../../speech/interface/tags.ts';
import { loadEncoders } from './encode.ts';
import { EngineError, type SpeechEngine, type SynthesisedAudio, type SynthesisJob } from './engine.ts';

export interface OpenAiEngineOptions {
  /** `…/v1`, or the whole `…/v1/audio/speech`. */
  url: string;
  apiKey?: string;
  model?: string;
  /** Which of the server's voices speaks for ours; the ones that are missing fall back to `OPENAI_VOICES`. */
  voices?: Readonly<Record<string, string>>;
  deadlineMs?: number;
}

/** The names that OpenAI's own server and most compatible ones know, spread over our voices by how they sound. */
const OPENAI_VOICES: Readonly<Record<string, string>> = {
  aria: 'nova',
  ash: 'onyx',
  basil: 'fable',
  briar: 'shimmer',
  clover: 'coral',
  cove: 'echo',
  dorian: 'onyx',
  dune: 'ash',
  echo: 'sage',
  ember: 'alloy',
  fable: 'fable',
  flint: 'echo',
  garnet: 'shimmer',
  hazel: 'sage',
  ivy: 'nova',
  jasper: 'ash',
  rowan: 'fable',
  wren: 'coral',
};

const DEFAULT_MODEL = 'tts-1';
/** The same as for the embedded synthesiser: from the request to the complete audio. */
const DEFAULT_DEADLINE_MS = 60_000;
const MAX_AUDIO_BYTES = 64 * 1024 * 1024;
const MAX_AT_ONCE = 32;
/** The audio of a text of tags alone: playable silence. */
const NOTHING_TO_SAY_SECONDS = 0.25;

/**
 * Lets any server with OpenAI's `POST /v1/audio/speech` speak. Tags are taken out, since such servers would read them;
 * style goes where OpenAI takes instructions; there is no seed or temperature.
 */
export function createOpenAiEngine(options: OpenAiEngineOptions): SpeechEngine {
  const url = endpoint(options.url);
  const deadlineMs = options.deadlineMs ?? DEFAULT_DEADLINE_MS;
  const dispatcher = new Agent({ keepAliveTimeout: 60_000, headersTimeout: deadlineMs, bodyTimeout: deadlineMs });
  const closing = new AbortController();
  let atOnce = 0;

  const ask = async (job: SynthesisJob, signal: AbortSignal): Promise<SynthesisedAudio> => {
    const response = await request(url, {
      method: 'POST',
      dispatcher,
      signal,
      headers: {
        'content-type': 'application/json',
        ...(options.apiKey !== undefined && { authorization: `Bearer ${options.apiKey}` }),
      },
      body: JSON.stringify({
        model: options.model ?? DEFAULT_MODEL,
        input: spokenText(job.text, job.tags),
        voice: options.voices?.[job.voiceName] ?? OPENAI_VOICES[job.voiceName] ?? job.voiceName,
        response_format: job.format,
        ...(job.speed !== 1 && { speed: job.speed }),
        ...(job.style !== undefined && { instructions: job.style }),
      }),
    });
    if (response.statusCode !== 200) {
      await response.body.dump();
      throw refusal(response.statusCode);
    }
    const bytes = await readLimited(response.body);
    if (sniffFile(bytes) !== job.format) {
      throw new EngineError('failed', `The speech engine sent something that is not ${job.format}.`);
    }
    return { bytes: job.format === 'wav' ? withHonestSizes(bytes) : bytes, format: job.format };
  };

  return {
    name: `the speech engine at ${url.host}`,
    ready: Promise.resolve({}),
    async synthesise(job, { signal }) {
      // Such servers refuse a text without words.
      if (spokenText(job.text, job.tags).trim() === '') return silence(job);
      if (atOnce >= MAX_AT_ONCE) throw new EngineError('unavailable', 'Too many requests are waiting for the engine.');
      atOnce += 1;
      const deadline = AbortSignal.timeout(deadlineMs);
      try {
        return await ask(job, AbortSignal.any([signal, deadline, closing.signal]));
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
      await dispatcher.destroy();
    },
  };
}

async function silence({ sampleRateHz, format }: SynthesisJob): Promise<SynthesisedAudio> {
  const encode = await loadEncoders();
  const samples = new Float32Array(Math.round(NOTHING_TO_SAY_SECONDS * sampleRateHz));
  return { bytes: encode(samples, sampleRateHz, format), format };
}

/** Accepts the base address with or without the rest of the path. */
function endpoint(address: string): URL {
  const url = new URL(address);
  const path = url.pathname.replace(/\/+$/, '');
  if (path.endsWith('/audio/speech')) url.pathname = path;
  else url.pathname = `${path === '' ? '/v1' : path}/audio/speech`;
  return url;
}

function refusal(status: number): EngineError {
  if (status === 429) return new EngineError('quota', 'The quota at the speech engine is used up for now.');
  if (status >= 500) return new EngineError('unavailable', `The speech engine answered with status ${status}.`);
  // The operator has to act: a wrong key, model or voice.
  return new EngineError('failed', `The speech engine refused the request with status ${status}.`);
}

async function readLimited(body: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.byteLength;
    if (length > MAX_AUDIO_BYTES)
      throw new EngineError('failed', 'The speech engine sent more audio than any text needs.');
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

/** A server that streams its WAV does not know the sizes when it writes the header, and leaves them at the maximum. */
function withHonestSizes(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const view = new DataView(bytes.buffer);
  view.setUint32(4, bytes.byteLength - 8, true);
  for (let at = 12; at + 8 <= bytes.byteLength; ) {
    const size = view.getUint32(at + 4, true);
    const isData = Buffer.from(bytes.subarray(at, at + 4)).toString('latin1') === 'data';
    if (isData) {
      if (at + 8 + size > bytes.byteLength) view.setUint32(at + 4, bytes.byteLength - at - 8, true);
      break;
    }
    at += 8 + size + (size % 2);
  }
  return bytes;
}
