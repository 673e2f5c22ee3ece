import type { Readable } from 'node:stream';
import { Agent, type Dispatcher } from 'undici';
import { isNeverConnected, unknownAuthority } from '../../network/connection-errors.ts';
import { type ApiPath, endpoint } from '../base-url.ts';
import { requestIdOf, type SpeechResponse } from './answer.ts';
import type { RetryProgress } from './retry.ts';

/** Two chat messages are often more than undici's 4 s apart, and a new TLS connection costs the first word's delay. */
const KEEP_ALIVE_MS = 90_000;
const CONNECT_TIMEOUT_MS = 10_000;
/** A catalog of ten thousand voices has about 2 MB. */
const MAX_JSON_BYTES = 8 * 1024 * 1024;

interface TransportRequest {
  readonly method: 'GET' | 'POST';
  readonly path: ApiPath;
  readonly json: unknown;
  readonly signal: AbortSignal;
  /** Called when the body is being written: from here on, the service may bill it. */
  readonly onSent: () => void;
}

/** No complete answer arrived. */
interface LostAnswer {
  readonly kind: 'lost';
  readonly progress: RetryProgress;
  /** A failure that no retry fixes, such as an untrusted certificate. */
  readonly isPermanent: boolean;
  readonly isTooLarge: boolean;
  /** The status and headers of an answer, if one began. */
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly why: string;
  readonly cause: unknown;
}

type Outcome = { readonly kind: 'answered'; readonly answer: SpeechResponse } | LostAnswer;

interface TransportOptions {
  readonly baseUrl: () => URL;
  readonly serverEnd: ((signal: AbortSignal) => Promise<AbortSignal>) | undefined;
  readonly authorization: string;
  readonly userAgent: string;
}

export interface Transport {
  /** Makes a single attempt; never rejects. */
  send(request: TransportRequest): Promise<Outcome>;
  close(): Promise<void>;
}

export function createTransport(options: TransportOptions): Transport {
  const agent = new Agent({
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectTimeout: CONNECT_TIMEOUT_MS,
    maxResponseSize: MAX_JSON_BYTES,
    // Calls are few and slow; one connection each keeps them from failing together.
    allowH2: false,
    // The call's own deadline rules; undici's are coarse and shorter than some speech takes.
    headersTimeout: 0,
    bodyTimeout: 0,
  });

  async function send({ method, path, json, signal, onSent }: TransportRequest): Promise<Outcome> {
    let progress: RetryProgress = 'not-sent';
    let response: Dispatcher.ResponseData | undefined;
    let serverEnd: AbortSignal | undefined;
    /** undici reads a body's first piece when a connection is open and writing begins: until then nothing was sent. */
    async function* noting(payload: Uint8Array) {
      progress = 'sent';
      onSent();
      yield payload;
    }
    const answered = ({ statusCode: status, headers }: Dispatcher.ResponseData, body: string): Outcome => {
      return { kind: 'answered', answer: { method, path, status, headers, requestId: requestIdOf(headers), body } };
    };
    try {
      const payload = json === undefined ? undefined : Buffer.from(JSON.stringify(json));
      serverEnd = await options.serverEnd?.(signal);
      const url = endpoint(options.baseUrl(), path);
      response = await agent.request({
        origin: url.origin,
        path: url.pathname,
        method,
        signal: serverEnd ? AbortSignal.any([signal, serverEnd]) : signal,
        headers: {
          accept: 'application/json',
          'user-agent': options.userAgent,
          authorization: options.authorization,
          'content-type': payload && 'application/json',
          'content-length': payload && String(payload.length),
        },
        // undici takes any async iterable; its types only know streams.
        body: payload && (noting(payload) as unknown as Readable),
      });
      progress = 'sent';
      return answered(response, await response.body.text());
    } catch (error) {
      // A truncated refusal is still a refusal: its status is sufficient.
      if (response && response.statusCode >= 400 && !signal.aborted) return answered(response, '');
      return {
        kind: 'lost',
        // A GET has no body to watch; it may be repeated in any case.
        progress: method === 'GET' && !isConnectError(error) ? 'sent' : progress,
        isPermanent: isPermanent(error),
        isTooLarge: codeOf(error) === 'UND_ERR_RES_EXCEEDED_MAX_SIZE',
        status: response?.statusCode,
        requestId: response && requestIdOf(response.headers),
        why: serverEnd?.aborted ? 'the server ended' : describe(error),
        cause: error,
      };
    }
  }

  // close() would wait for answers that no caller waits for any more.
  return { send, close: () => agent.destroy() };
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
