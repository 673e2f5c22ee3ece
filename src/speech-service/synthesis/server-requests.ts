import { setTimeout as delay } from 'node:timers/promises';
import { isNeverConnected } from '../../network/connection-errors.ts';
import { asOneFile } from '../../sound/audio-file.ts';
import { type Container, containerOf, joinBytes } from '../../sound/containers.ts';
import { EngineError, type SynthesisJob, type SynthesizedAudio } from './engine.ts';

const MAX_AT_ONCE = 32;
const MAX_AUDIO_BYTES = 64 * 1024 * 1024;
/** Minimum bytes of an engine's audio before the audio is passed on: more than a WAV header, so that some samples are among them. */
const FIRST_BYTES = 256;
/** If audio ends within this many milliseconds of its start, it is sent whole, so that all clients know its length. */
const WHOLE_WITHIN_MS = 40;

type Chunks = AsyncIterator<Uint8Array>;

/** `deadlineMs` is the time from a request to the server's first audio, and from chunk to chunk. */
export function createServerRequests(deadlineMs: number) {
  const closing = new AbortController();
  let atOnce = 0;

  return {
    /** `requester` can stop the request only before the audio begins: later, the audio may be billed. */
    async speak(
      requester: AbortSignal,
      send: (signal: AbortSignal) => AsyncIterable<Uint8Array>,
    ): Promise<SynthesizedAudio> {
      requester.throwIfAborted();
      if (atOnce >= MAX_AT_ONCE) throw new EngineError('busy', 'Too many requests are waiting for the engine.');
      atOnce += 1;
      const given = new AbortController();
      const leave = () => given.abort(requester.reason);
      requester.addEventListener('abort', leave, { once: true });
      const deadline = setTimeout(() => given.abort(new Error('The deadline has passed')), deadlineMs);
      let isOver = false;
      const end = () => {
        if (isOver) return;
        isOver = true;
        atOnce -= 1;
        clearTimeout(deadline);
        requester.removeEventListener('abort', leave);
      };
      try {
        const chunks = send(AbortSignal.any([given.signal, closing.signal]))[Symbol.asyncIterator]();
        const { bytes, format, rest } = await begin(chunks);
        requester.removeEventListener('abort', leave);
        if (rest === undefined) {
          end();
          return { bytes, format };
        }
        const watched = async function* () {
          try {
            for await (const chunk of rest) {
              deadline.refresh();
              yield chunk;
            }
          } finally {
            end();
          }
        };
        const cancel = () => {
          given.abort(new Error('Nothing more is wanted'));
          end();
        };
        return { bytes, format, rest: { chunks: watched(), cancel } };
      } catch (error) {
        end();
        given.abort(error);
        if (error instanceof EngineError) throw error;
        if (!wasSent(error)) throw new EngineError('down', 'The speech engine cannot be reached.', { cause: error });
        const message = requester.aborted
          ? 'The speech engine was no longer waited for.'
          : 'The speech engine cannot be reached or did not answer in time.';
        throw new EngineError('unavailable', message, { cause: error, mayBeBilled: true });
      }
    },
    close: () => closing.abort(),
  };
}

async function begin(
  chunks: Chunks,
): Promise<{ bytes: Uint8Array<ArrayBuffer>; format: Container; rest?: AsyncIterable<Uint8Array> }> {
  const parts: Uint8Array[] = [];
  let length = 0;
  let isWhole = false;
  const keep = ({ done, value }: IteratorResult<Uint8Array>) => {
    if (done) isWhole = true;
    else parts.push(value);
    length += done ? 0 : value.byteLength;
    mustBeWithinLimit(length);
  };
  while (!isWhole && length < FIRST_BYTES) keep(await chunks.next());
  // As in players, the first bytes decide the format. Raw samples are rejected: at a wrong rate they are noise.
  const format = containerOf(joinBytes(parts));
  if (format === undefined) {
    throw new EngineError('failed', 'The speech engine sent something that is no known kind of audio file.', {
      mayBeBilled: true,
    });
  }
  const patience = new AbortController();
  const isTime = delay(WHOLE_WITHIN_MS, 'time' as const, { signal: patience.signal }).catch(() => 'time' as const);
  let next: Promise<IteratorResult<Uint8Array>> | undefined;
  while (!isWhole) {
    next = chunks.next();
    const came = await Promise.race([next, isTime]);
    if (came === 'time') break;
    keep(came);
  }
  patience.abort();
  const bytes = joinBytes(parts);
  if (isWhole || next === undefined) return { bytes: asOneFile(bytes), format };
  // Reading the next audio may fail before anyone awaits it; the unhandled rejection would end the process.
  next.catch(() => undefined);
  return { bytes, format, rest: following(next, chunks, length) };
}

async function* following(first: Promise<IteratorResult<Uint8Array>>, chunks: Chunks, begun: number) {
  let length = begun;
  for (let next = await first; !next.done; next = await chunks.next()) {
    length += next.value.byteLength;
    mustBeWithinLimit(length);
    yield next.value;
  }
}

function mustBeWithinLimit(bytes: number): void {
  if (bytes <= MAX_AUDIO_BYTES) return;
  throw new EngineError('failed', 'The speech engine sent more audio than any text needs.', { mayBeBilled: true });
}

/** Node's error codes of untrusted certificates. */
const NOT_TRUSTED = /^(?:ERR_TLS|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO)/;

function wasSent(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return !isNeverConnected(error) && !NOT_TRUSTED.test(code);
}

/** Piper takes `[[` for the start of phonemes, so a space is added between the brackets. */
export const wordsOf = ({ text }: SynthesisJob): string => text.replace(/\[(?=\[)/g, '[ ');
