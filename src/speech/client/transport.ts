import type { Readable } from 'node:stream';
import { Agent, type Dispatcher } from 'undici';
import { isNeverConnected } from '../../network/never-connected.ts';
import { unknownAuthority } from '../../network/unknown-authority.ts';
import { type ApiPath, endpoint } from '../base-url.ts';
import type { SpeechResponse } from './answer.ts';
import type { RetryProgress } from './retry.ts';

/** Two chat messages are often more than undici's 4 s apart, and a new TLS connection costs the first word's delay. */
const KEEP_ALIVE_MS = 90_000;
const CONNECT_TIMEOUT_MS = 10_000;
/** A catalogue of ten thousand voices has about 2 MB. */
const MAX_JSON_BYTES = 8 * 1024 * 1024;

interface TransportRequest {
  readonly method: 'GET' | 'POST';
  readonly path: ApiPath;
  readonly json?: unknown;
  readonly signal: AbortSignal;
  /** Called when the body is being written: from here on, the service may bill it. */
  readonly onSent?: (() => void) | undefined;
}

/** No complete answer arrived; tells how far the request got. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly progress: RetryProgress;
  readonly permanent: boolean;
  /** The bytes of the answer that had arrived. */
  readonly status: number | undefined;
  readonly headers: SpeechResponse['headers'];
  readonly tooLarge: boolean;

  constructor(options: {
    message: string;
    progress: RetryProgress;
    permanent?: boolean;
    tooLarge?: boolean;
    status?: number | undefined;
    headers?: SpeechResponse['headers'] | undefined;
    cause?: unknown;
  }) {
    super(options.message, { cause: options.cause });
    this.progress = options.progress;
    this.permanent = options.permanent ?? false;
    this.tooLarge = options.tooLarge ?? false;
    this.status = options.status;
    this.headers = options.headers ?? {};
  }
}

interface TransportOptions {
  readonly baseUrl: () => URL;
  readonly serverEnd?: (signal: AbortSignal) => Promise<AbortSignal>;
  readonly authorization: string;
  readonly userAgent: string;
  readonly dispatcher?: Dispatcher;
  readonly sinceEpochMs: () => number;
}

export function createTransport(options: TransportOptions) {
  const ownAgent = options.dispatcher ? undefined : createAgent();
  const dispatcher = options.dispatcher ?? ownAgent;
  const target = (path: ApiPath) => {
    const url = endpoint(options.baseUrl(), path);
    return { origin: url.origin, path: url.pathname };
  };
  // The call's own deadline rules; undici's are coarse and shorter than some speech takes.
  const limits = { headersTimeout: 0, bodyTimeout: 0 } as const;

  /** One attempt. Resolves with any HTTP answer; rejects with a `TransportError`. */
  async function send({ method, path, json, signal, onSent }: TransportRequest): Promise<SpeechResponse> {
    let progress: RetryProgress = 'not-sent';
    let response: Dispatcher.ResponseData | undefined;
    let serverEnd: AbortSignal | undefined;
    const wasSent = () => {
      progress = 'sent';
      onSent?.();
    };
    try {
      const payload = json === undefined ? undefined : Buffer.from(JSON.stringify(json));
      // undici reads a body's first piece when a connection is open and writing begins: until then nothing was sent.
      const body = payload && noting(payload, wasSent);
      serverEnd = await options.serverEnd?.(signal);
      response = await request(dispatcher, {
        ...target(path),
        ...limits,
        method,
        signal: serverEnd ? AbortSignal.any([signal, serverEnd]) : signal,
        headers: {
          accept: 'application/json',
          'user-agent': options.userAgent,
          authorization: options.authorization,
          ...(payload && { 'content-type': 'application/json', 'content-length': String(payload.length) }),
        },
        // undici takes any async iterable; its types only know streams.
        ...(body && { body: body as unknown as Readable }),
      });
      progress = 'sent';
      const text = await readText(response);
      return {
        status: response.statusCode,
        headers: response.headers,
        body: text,
        receivedAtMs: options.sinceEpochMs(),
      };
    } catch (error) {
      if (error instanceof TransportError) throw error;
      if (response && response.statusCode >= 400 && !signal.aborted) {
        // A truncated refusal is still a refusal: its status is sufficient.
        return {
          status: response.statusCode,
          headers: response.headers,
          body: '',
          receivedAtMs: options.sinceEpochMs(),
        };
      }
      throw new TransportError({
        message: serverEnd?.aborted ? 'the server ended' : describe(error),
        // A GET has no body to watch; it may be repeated in any case.
        progress: method === 'GET' && !isConnectError(error) ? 'sent' : progress,
        permanent: isPermanent(error),
        tooLarge: codeOf(error) === 'UND_ERR_RES_EXCEEDED_MAX_SIZE',
        status: response?.statusCode,
        headers: response?.headers,
        cause: error,
      });
    }
  }

  return {
    send,
    async close() {
      // Not close(): it would wait for answers that no caller waits for any more.
      await ownAgent?.destroy();
    },
  };
}

export type Transport = ReturnType<typeof createTransport>;

function createAgent(): Agent {
  return new Agent({
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectTimeout: CONNECT_TIMEOUT_MS,
    maxResponseSize: MAX_JSON_BYTES,
    // Calls are few and slow; one connection each keeps them from failing together.
    allowH2: false,
  });
}

function request(
  dispatcher: Dispatcher | undefined,
  options: Dispatcher.RequestOptions,
): Promise<Dispatcher.ResponseData> {
  if (dispatcher === undefined) return Promise.reject(new Error('no dispatcher'));
  return dispatcher.request(options);
}

async function* noting(payload: Uint8Array, onStart: () => void): AsyncGenerator<Uint8Array> {
  onStart();
  yield payload;
}

async function readText(response: Dispatcher.ResponseData): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > MAX_JSON_BYTES) {
      response.body.destroy();
      throw new TransportError({
        message: `the answer is larger than ${MAX_JSON_BYTES} bytes`,
        progress: 'sent',
        permanent: true,
        tooLarge: true,
        status: response.statusCode,
        headers: response.headers,
      });
    }
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

const isConnectError = (error: unknown): boolean => isNeverConnected(error) || isPermanent(error);

/** Certificates and addresses that repetition does not change. */
function isPermanent(error: unknown): boolean {
  const code = codeOf(error);
  return (
    /^(?:ERR_TLS|ERR_SSL|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO|HOSTNAME_MISMATCH)/.test(code) ||
    code === 'UND_ERR_INVALID_ARG'
  );
}

/** Codes only: messages of lower layers may hold addresses with secrets or headers. */
function describe(error: unknown): string {
  return unknownAuthority(error) ?? (codeOf(error) || (error instanceof Error ? error.name : 'unknown failure'));
}
