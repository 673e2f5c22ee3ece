import type { SpeechClient } from '../../speech/client/client.ts';
import type { ModelInfo, Voice } from '../../speech/interface/schemas.ts';

/**
 * Needs of a rule beyond an address and a key: `credits` spends some, `burst` uses up the key's rate limit, `faults`
 * and `poor-account` need a service that fails on command and an account without credits.
 */
export type Need = 'credits' | 'burst' | 'faults' | 'poor-account';

/** One statement about the interface, and how to see whether a service keeps it. */
export interface Rule {
  /** Stable and unique, the place in the document first: 'request/temperature/range'. */
  readonly id: string;
  /** Heading in the document. */
  readonly section: string;
  readonly statement: string;
  /** Whether the document says so, or it was only observed where the document is silent. */
  readonly source: 'document' | 'observed';
  readonly needs: readonly Need[];
  /** Throws when the rule is broken, or a `NotApplicable`. */
  readonly check: (subject: Subject) => Promise<void>;
}

/** The service has nothing this rule is about, such as a voice of one family. */
export class NotApplicable extends Error {
  override readonly name = 'NotApplicable';
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** The body as JSON; undefined when it is not. */
  readonly json: unknown;
}

/** Audio as far as rules look at it. */
export interface HeardAudio {
  readonly bytes: Uint8Array;
  readonly contentType: string | undefined;
  /** By its bytes. */
  readonly format: 'wav' | 'mp3' | 'unknown';
  readonly seconds: number;
}

export interface RawRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  /** The whole Authorization header; null for none, the valid one by default. */
  readonly authorization?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, or as it is when it is text. */
  readonly body?: unknown;
}

/** Failures that a service can be switched to. */
export type Fault = 'unavailable' | 'quota' | 'server-error' | 'content-policy' | 'drop-after-billing' | 'html';

export interface FaultSwitches {
  /** The next `times` requests that can meet the fault do. */
  next(fault: Fault, times: number): void;
  clear(): void;
}

/** The service under test, reached with plain HTTP and through the client. */
export interface Subject {
  readonly client: SpeechClient;
  /** A client of its own to the same service, for rules that open circuits; closed with the subject. */
  freshClient(): SpeechClient;
  /** Plain HTTP, held back under the key's rate limit. */
  raw(request: RawRequest): Promise<RawAnswer>;
  /** Plain HTTP as fast as it goes. */
  rawAtOnce(request: RawRequest): Promise<RawAnswer>;
  /** `POST /api/v1/speech` as plain HTTP. */
  speak(body: unknown): Promise<RawAnswer>;
  /** Elements of the voice list as they came. */
  rawVoices(): Promise<readonly Record<string, unknown>[]>;
  /** A voice of a model; throws `NotApplicable` when there is none. */
  voiceOf(model: string): Promise<Voice>;
  voices(): Promise<readonly Voice[]>;
  models(): Promise<readonly ModelInfo[]>;
  /** The limit `GET /models` states for a model; throws `NotApplicable` when it states none. */
  maxInput(model: string): Promise<number>;
  /** Fetches audio without the key. */
  listen(url: string): Promise<HeardAudio>;
  readonly apiOrigin: string;
  /** Present when the rule's needs ask for them. */
  readonly faults?: FaultSwitches;
  readonly poor?: Subject;
}

/** Rules of one section of the document, all with the same needs. */
export function section(heading: string, ...needs: Need[]) {
  const make =
    (source: Rule['source']) =>
    (id: string, statement: string, check: Rule['check']): Rule => ({
      id,
      section: heading,
      statement,
      source,
      needs,
      check,
    });
  return { states: make('document'), observed: make('observed') };
}
