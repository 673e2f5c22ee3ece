import type { Readable } from 'node:stream';
import { Agent, type Dispatcher } from 'undici';
import { isNeverConnected, unknownAuthority } from '../../network/connection-errors.ts';
import { type ApiPath, endpoint } from '../base-url.ts';
import { requestIdOf, type SpeechResponse } from './answer.ts';

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

type Outcome =
  | { readonly kind: 'answered'; readonly answer: SpeechResponse }
  /** No complete answer arrived. */
  | {
      readonly kind: 'lost';
      /** Whether the service may have the request. */
      readonly isSent: boolean;
      /** A failure that no retry fixes, such as an untrusted certificate. */
      readonly isPermanent: boolean;
      readonly isTooLarge: boolean;
      /** The status of an answer that began and then broke off. */
      readonly status: number | undefined;
      readonly requestId: string | undefined;
      readonly why: string;
      readonly cause: unknown;
    };

interface TransportOptions {
  readonly baseUrl: () => URL;
  readonly serverEnd: ((signal: AbortSignal) => Promise<AbortSignal>) | undefined;
  readonly authorization: string;
  readonly userAgent: string;
}

export function createTransport({ baseUrl, serverEnd, authorization, userAgent }: TransportOptions) {
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

  /** Makes a single attempt; never rejects. */
  async function send({ method, path, json, signal, onSent }: TransportRequest): Promise<Outcome> {
    let isSent = false;
    let response: Dispatcher.ResponseData | undefined;
    let end: AbortSignal | undefined;
    /** undici reads a body's first piece when a connection is open and writing begins: until then nothing was sent. */
    async function* noting(payload: Uint8Array) {
      isSent = true;
      onSent();
      yield payload;
    }
    const answered = ({ statusCode: status, headers }: Dispatcher.ResponseData, body: string): Outcome => {
      return { kind: 'answered', answer: { method, path, status, headers, requestId: requestIdOf(headers), body } };
    };
    try {
      const payload = json === undefined ? undefined : Buffer.from(JSON.stringify(json));
      end = await serverEnd?.(signal);
      const url = endpoint(baseUrl(), path);
      response = await agent.request({
        origin: url.origin,
        path: url.pathname,
        method,
        signal: end ? AbortSignal.any([signal, end]) : signal,
        headers: {
          accept: 'application/json',
          'user-agent': userAgent,
          authorization,
          'content-type': payload && 'application/json',
          'content-length': payload && String(payload.length),
        },
        // undici takes any async iterable; its types only know streams.
        body: payload && (noting(payload) as unknown as Readable),
      });
      return answered(response, await response.body.text());
    } catch (error) {
      // A truncated refusal is still a refusal: its status is sufficient.
      if (response && response.statusCode >= 400 && !signal.aborted) return answered(response, '');
      const code = codeOf(error);
      // Certificates and addresses that repetition does not change.
      const isPermanent =
        /^(?:ERR_TLS|ERR_SSL|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO|HOSTNAME_MISMATCH|UND_ERR_INVALID_ARG$)/.test(code);
      return {
        kind: 'lost',
        // A GET has no body to watch; it may be repeated in any case.
        isSent: isSent || (method === 'GET' && !isNeverConnected(error) && !isPermanent),
        isPermanent,
        isTooLarge: code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE',
        status: response?.statusCode,
        requestId: response && requestIdOf(response.headers),
        why: end?.aborted ? 'the server ended' : describe(error),
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

/** Codes only: messages of lower layers may hold addresses with secrets or headers. */
function describe(error: unknown): string {
  return unknownAuthority(error) ?? (codeOf(error) || (error instanceof Error ? error.name : 'unknown failure'));
}
