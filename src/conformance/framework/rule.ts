import assert from 'node:assert/strict';
import { PATHS } from '../../speech/base-url.ts';
import { SpeechError, type SpeechErrorKind } from '../../speech/errors.ts';
import type { SpeechRequest } from '../../speech/request.ts';
import { codeOf, type HeardAudio, isRecord, type RawAnswer, type Subject } from './subject.ts';

/**
 * What a conformance rule needs besides an address and an API key.
 * - `credits`: spends credits.
 * - `burst`: uses up the key's rate limit.
 * - `faults`: needs a service that fails on command.
 */
export type Need = 'credits' | 'burst' | 'faults';

/** Checks a conformance rule: throws if the service breaks it, or a `NotApplicable` if it does not apply. */
type Check = (subject: Subject) => Promise<unknown>;

export interface Rule {
  /**
   * The rule's stable and unique id, which begins with the place in the interface document:
   * 'request/temperature/range'.
   */
  readonly id: string;
  /** The heading of the rule's section in the interface document. */
  readonly section: string;
  readonly statement: string;
  /**
   * Where the rule comes from. 'document': the interface document says so; 'observed': the document is silent, but
   * services behave like this.
   */
  readonly source: 'document' | 'observed';
  readonly needs: readonly Need[];
  readonly check: Check;
}

/** Creates rules of one section of the interface document, all with the same needs. */
export function section(heading: string, ...needs: Need[]) {
  const make =
    (source: Rule['source']) =>
    (id: string, statement: string, check: Check): Rule => ({ id, section: heading, statement, source, needs, check });
  return { states: make('document'), observed: make('observed') };
}

/** The text that conformance rules have spoken: short, because services bill by the character. */
export const TEXT = 'Hi there.';

export const NO_VOICE_ID = '00000000-0000-4000-8000-000000000000';

type Fields = Readonly<Record<string, unknown>>;
type Body = (subject: Subject) => Promise<Fields>;

/** A valid body of a speech request with the first voice of a model, or of all models; `changed` replaces fields. */
export const by =
  (model: string | undefined, changed: Fields = {}): Body =>
  async (subject) => ({ input: TEXT, voiceId: (await subject.voiceOf(model)).id, ...changed });

export const good = (changed: Fields = {}): Body => by(undefined, changed);

export const refuses =
  (body: Body | Fields | string, status: number, code?: string): Check =>
  async (subject) =>
    refused(await subject.speak(typeof body === 'function' ? await body(subject) : body), status, code);

export const accepts = (body: Body | Fields) => async (subject: Subject) =>
  goodResponse(await subject.speak(typeof body === 'function' ? await body(subject) : body));

/** Requests speech by plain HTTP, expects success and downloads the audio. */
export const hears =
  (body: Body) =>
  async (subject: Subject): Promise<HeardAudio> => {
    const { url } = await accepts(body)(subject);
    assert.ok(typeof url === 'string', 'no url in the answer');
    return subject.listen(url);
  };

/** Returns the JSON object of a successful answer; fails the rule for any other answer. */
export function goodResponse(answer: RawAnswer): Record<string, unknown> {
  const code = codeOf(answer);
  assert.ok(answer.status >= 200 && answer.status < 300, `answered ${answer.status}${code ? ` ${code}` : ''}`);
  assert.ok(isRecord(answer.json), 'the answer is not a JSON object');
  return answer.json;
}

export function refused(answer: RawAnswer, status: number, code?: string): void {
  assert.equal(answer.status, status, `answered ${answer.status}, not ${status}`);
  if (code !== undefined) assert.equal(codeOf(answer), code);
}

/** A request for Crier's speech client with the first voice of a model, or of all models; `changed` replaces fields. */
export async function asked(
  subject: Subject,
  model: string | undefined,
  changed: Partial<SpeechRequest> = {},
): Promise<SpeechRequest> {
  const voice = await subject.voiceOf(model);
  return { input: TEXT, voice: { kind: 'id', voiceId: voice.id, model: voice.model }, ...changed };
}

/** Expects that the speech client rejects a call without sending it, so that the error has no status. */
export async function refusedByClient(call: Promise<unknown>): Promise<void> {
  const error = await failureOf(call);
  assert.equal(error.status, undefined, 'the client sent it');
  assert.ok(error.issues.length > 0, 'the client does not say what is wrong');
}

export async function failsWith(call: Promise<unknown>, kind: SpeechErrorKind): Promise<SpeechError> {
  const error = await failureOf(call);
  assert.equal(error.kind, kind);
  return error;
}

async function failureOf(call: Promise<unknown>): Promise<SpeechError> {
  try {
    await call;
  } catch (error) {
    assert.ok(error instanceof SpeechError, `the client threw ${String(error)}`);
    return error;
  }
  return assert.fail('the client did not refuse');
}

export function requestId(answer: RawAnswer): string {
  const id = answer.headers['request-id'];
  assert.ok(typeof id === 'string', 'no request-id header');
  return id;
}

/** The speech service's endpoints that cost nothing. */
export const READING = [PATHS.voices, PATHS.models, PATHS.billing, PATHS.openapi] as const;

/**
 * Collects the service's answers to one request of each kind that is free: successes, rejections, and unknown
 * addresses.
 */
export async function answers(subject: Subject): Promise<RawAnswer[]> {
  const all: RawAnswer[] = [];
  for (const path of READING) all.push(await subject.raw(path));
  all.push(await subject.raw(PATHS.voices, { authorization: null }));
  all.push(await subject.raw('/api/v1/nothing-here'));
  all.push(await subject.raw(PATHS.voices, { method: 'DELETE' }));
  all.push(await subject.speak({ input: TEXT, voiceId: NO_VOICE_ID }));
  all.push(await subject.speak('not json'));
  return all;
}
