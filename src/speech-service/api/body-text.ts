import type { IncomingMessage } from 'node:http';
import { readAtMost } from '../../network/read-at-most.ts';
import { SpeechApiError } from './api-error.ts';

/** The body as text; throws a `SpeechApiError` with `refusal` when it is longer than `maxBytes`. */
export async function readBodyText(
  request: IncomingMessage,
  maxBytes: number,
  refusal: string,
  headers: Record<string, string> = {},
): Promise<string> {
  const tooLarge = () => new SpeechApiError('request_too_large', refusal, { headers });
  return (await readAtMost(request, maxBytes, tooLarge)).toString();
}
