import type { Logger } from 'pino';
import type { Dispatcher } from 'undici';
import type { Billing, ModelInfo, Voice } from './interface/schemas.ts';
import type { RequestWarning, SpeechRequest } from './request.ts';

export interface SpeechClientOptions {
  /** The service's base address, or the full `…/api/v1/speech` URL; with or without a trailing slash. */
  readonly baseUrl: URL | string;
  readonly apiKey: string;
  /** The word before the key in `Authorization`; 'Bearer' by default. */
  readonly authHeaderPrefix?: string;
  /** Total deadline of a call with all its attempts and waits, 120 000 by default. */
  readonly requestTimeoutMs?: number;
  readonly log: Logger;
  readonly userAgent?: string;
  /** Replaces the client's own connection pool; the caller closes it. */
  readonly dispatcher?: Dispatcher;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Waiting requests are served in turn between keys (a server's id), so that a busy one does not starve the others. */
  readonly fairnessKey?: string;
  /** Total deadline of this call in milliseconds, instead of the client's `requestTimeoutMs`. */
  readonly deadlineMs?: number;
}

export interface SpeechResult {
  readonly audioUrl: URL;
  readonly creditsUsed: number;
  readonly creditsRemaining: number;
  readonly inputCharacters?: number;
  /** What really produced the audio: opaque text, not necessarily a model id. */
  readonly model?: string;
  readonly requestId?: string;
  /** Parameters the model ignores, to be told to the person who gave them. */
  readonly warnings: readonly RequestWarning[];
}

export interface SpeechClient {
  /** Generates speech and spends credits. Rejects with a `SpeechError`. */
  speak(request: SpeechRequest, options?: CallOptions): Promise<SpeechResult>;
  voices(options?: CallOptions): Promise<{ voices: Voice[]; requestId?: string }>;
  models(options?: CallOptions): Promise<{ models: ModelInfo[]; requestId?: string }>;
  billing(options?: CallOptions): Promise<Billing & { requestId?: string }>;
  /** The service's machine-readable description, as it came. */
  openapi(options?: CallOptions): Promise<unknown>;
  /** Opens a connection ahead of the first request, without using up the rate limit; never rejects. */
  warmUp(): Promise<void>;
  /** Milliseconds until a model whose upstream quota is used up is tried again; undefined when it is not. */
  quotaRetryAfterMs(model: string): number | undefined;
  /** Ends waiting and running calls with kind 'aborted' and closes the connections. Idempotent. */
  close(): Promise<void>;
}

export function createSpeechClient(_options: SpeechClientOptions): SpeechClient {
  throw new Error('not there yet');
}
