import type { IncomingMessage } from 'node:http';
import { SpeechApiError } from './api-error.ts';

/** The body as text; throws a `SpeechApiError` with `refusal` when it is longer than `maxBytes`. */
export async function readBodyText(
  request: IncomingMessage,
  maxBytes: number,
  refusal: string,
  headers: Record<string, string> = {},
): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += (chunk as Buffer).byteLength;
    if (bytes > maxBytes) throw new SpeechApiError('request_too_large', refusal, { headers });
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}
