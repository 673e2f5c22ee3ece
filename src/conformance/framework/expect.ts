import assert from 'node:assert/strict';
import { PATHS } from '../../speech/base-url.ts';
import { SpeechError, type SpeechErrorKind } from '../../speech/errors.ts';
import type { SpeechRequest } from '../../speech/request.ts';
import { type HeardAudio, NotApplicable, type RawAnswer, type Subject } from './rule.ts';
import { codeOf, isRecord } from './subject.ts';

/** Short, because it is billed by the character. */
export const TEXT = 'Hi there.';

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
export const NO_VOICE_ID = '00000000-0000-4000-8000-000000000000';

/** A good response that is a JSON object. */
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

/** The client's own refusal: nothing was sent, so there is neither status nor request id. */
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

/** Speaks with plain HTTP, expects success and fetches the audio. */
export async function spoken(subject: Subject, body: Record<string, unknown>): Promise<HeardAudio> {
  const { url } = goodResponse(await subject.speak(body));
  assert.ok(typeof url === 'string', 'no url in the answer');
  return subject.listen(url);
}

export function requestId(answer: RawAnswer): string {
  const id = answer.headers['request-id'];
  assert.ok(typeof id === 'string', 'no request-id header');
  return id;
}

/** The endpoints that cost nothing. */
export const READING = [PATHS.voices, PATHS.models, PATHS.billing, PATHS.openapi] as const;

/** One answer of each sort that costs nothing: good ones, refusals, and addresses that are none. */
export async function answers(subject: Subject): Promise<RawAnswer[]> {
  const all: RawAnswer[] = [];
  for (const path of READING) all.push(await subject.raw({ path }));
  all.push(await subject.raw({ path: PATHS.voices, authorization: null }));
  all.push(await subject.raw({ path: '/api/v1/nothing-here' }));
  all.push(await subject.raw({ method: 'DELETE', path: PATHS.voices }));
  all.push(await subject.speak({ input: TEXT, voiceId: NO_VOICE_ID }));
  all.push(await subject.speak('not json'));
  return all;
}

/** A request for the client, of the first voice of a model. */
export async function byId(subject: Subject, model: string): Promise<Pick<SpeechRequest, 'input' | 'voice'>> {
  const { id } = await subject.voiceOf(model);
  return { input: TEXT, voice: { kind: 'id', voiceId: id, model } };
}

export async function anyVoiceId(subject: Subject): Promise<string> {
  const [first] = await subject.voices();
  if (first === undefined) throw new NotApplicable('no voice is listed');
  return first.id;
}
