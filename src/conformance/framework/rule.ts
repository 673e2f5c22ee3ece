import assert from 'node:assert/strict';
import { PATHS } from '../../speech/base-url.ts';
import { SpeechError, type SpeechErrorKind } from '../../speech/errors.ts';
import type { SpeechRequest } from '../../speech/interface/schemas.ts';
import { codeOf, isRecord, type RawAnswer, type Subject } from './subject.ts';

/** Why a conformance rule runs only if the tester allows it. */
export type Need = 'credits' | 'burst' | 'faults';

/** Throws if the speech service breaks the conformance rule. Throws `NotApplicable` if there is nothing to test. */
type Check = (subject: Subject) => Promise<unknown>;

export interface Rule {
  /** The stable id begins with the tested part of the API document, as in 'request/temperature/range'. */
  readonly id: string;
  readonly section: string;
  readonly statement: string;
  /** 'observed': speech services follow the rule, but the API document does not state it. */
  readonly source: 'document' | 'observed';
  readonly needs: readonly Need[];
  readonly check: Check;
}

export function section(heading: string, ...needs: readonly Need[]) {
  const make =
    (source: Rule['source']) =>
    (id: string, statement: string, check: Check): Rule => ({ id, section: heading, statement, source, needs, check });
  return { states: make('document'), observed: make('observed') };
}

/** The conformance tests send this short text, because speech services bill by the character. */
export const TEXT = 'Hi there.';

export const NO_VOICE_ID = '00000000-0000-4000-8000-000000000000';

type Fields = Readonly<Record<string, unknown>>;
type Body = (subject: Subject) => Promise<Fields>;

/** The body of a valid speech request. Without `model`, any voice is used; `changed` replaces fields. */
export const by =
  (model: string | undefined, changed: Fields = {}): Body =>
  async (subject) => ({ input: TEXT, voiceId: (await subject.voiceOf(model)).id, ...changed });

export const good = (changed: Fields = {}): Body => by(undefined, changed);

export const refuses =
  (body: Body | Fields, status: number, code?: string): Check =>
  async (subject) =>
    refused(await sent(body, subject), status, code);

const sent = async (body: Body | Fields, subject: Subject) =>
  subject.speak(typeof body === 'function' ? await body(subject) : body);

export const accepts = (body: Body | Fields) => async (subject: Subject) => goodResponse(await sent(body, subject));

export const hears = (body: Body) => async (subject: Subject) => {
  const { url } = await accepts(body)(subject);
  assert.ok(typeof url === 'string', 'no url in the answer');
  return subject.listen(url);
};

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

export async function asked(
  subject: Subject,
  model: string | undefined,
  changed: Partial<SpeechRequest> = {},
): Promise<SpeechRequest> {
  const voice = await subject.voiceOf(model);
  return { input: TEXT, voice: { kind: 'id', voiceId: voice.id, model: voice.model }, ...changed };
}

/** Fails unless Crier's speech client rejects the call before sending it: the error then has no HTTP status. */
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

export const READING = [PATHS.voices, PATHS.models, PATHS.billing, PATHS.openapi] as const;

/** Sends one request of each kind that costs nothing, including wrong requests, and returns the answers. */
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
