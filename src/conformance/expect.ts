import assert from 'node:assert/strict';
import { SpeechError, type SpeechErrorKind } from '../services/speech/errors.ts';
import type { HeardAudio } from './audio.ts';
import type { RawAnswer, Subject } from './rule.ts';
import { codeOf, isRecord } from './subject.ts';

/** Short, because it is billed by the character. */
export const TEXT = 'Hi there.';

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
export const NO_VOICE_ID = '00000000-0000-4000-8000-000000000000';

/** A good answer that is a JSON object. */
export function good(answer: RawAnswer): Record<string, unknown> {
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
  const { url } = good(await subject.speak(body));
  assert.ok(typeof url === 'string', 'no url in the answer');
  return subject.listen(url);
}

export function requestId(answer: RawAnswer): string {
  const id = answer.headers['request-id'];
  assert.ok(typeof id === 'string', 'no request-id header');
  return id;
}
