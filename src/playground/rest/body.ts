import type { IncomingMessage } from 'node:http';
import { apiError } from './errors.ts';
import { refuseForm } from './rules/body-problems.ts';

/** A file of a multipart body, in place `index` (`files[index]`). */
export interface UploadedFile {
  readonly index: number;
  readonly filename: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

export interface RequestBody {
  /** Undefined when there was no body. */
  readonly json: unknown;
  readonly files: readonly UploadedFile[];
}

/** Ten files and their form. */
const BODY_LIMIT_BYTES = 25 * 1024 * 1024;

async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > BODY_LIMIT_BYTES) throw apiError('requestTooLarge');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw apiError('invalidJson');
  }
}

/** Reads JSON, or a form with `payload_json` and `files[n]`: https://discord.com/developers/docs/reference#uploading-files */
export async function readBody(request: IncomingMessage): Promise<RequestBody> {
  const bytes = await readBytes(request);
  const contentType = request.headers['content-type'] ?? '';
  if (bytes.length === 0) return { json: undefined, files: [] };
  if (contentType.startsWith('application/json')) return { json: parseJson(bytes.toString('utf8')), files: [] };
  if (contentType.startsWith('multipart/form-data')) return readForm(bytes, contentType);
  const accepted = "{'application/json', 'multipart/form-data'}";
  return refuseForm([], 'CONTENT_TYPE_INVALID', `Expected "Content-Type" header to be one of ${accepted}.`);
}

async function readForm(bytes: Buffer, contentType: string): Promise<RequestBody> {
  let form: FormData;
  try {
    form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': contentType } }).formData();
  } catch {
    refuseForm([], 'FORM_INVALID', 'The form could not be read.');
  }
  const files: UploadedFile[] = [];
  let json: unknown = {};
  for (const [name, value] of form) {
    if (typeof value === 'string') {
      if (name === 'payload_json') json = parseJson(value);
      else json = { ...(json as object), [name]: value };
      continue;
    }
    const index = Number(/^files\[(\d+)\]$/.exec(name)?.[1] ?? files.length);
    files.push({
      index,
      filename: value.name,
      contentType: value.type || 'application/octet-stream',
      bytes: new Uint8Array(await value.arrayBuffer()),
    });
  }
  return { json, files };
}

/** A file's size limit depends on its destination: https://discord.com/developers/docs/reference#uploading-files */
export function checkFileSizes(body: RequestBody, limitBytes: number): void {
  if (body.files.some((file) => file.bytes.length > limitBytes)) throw apiError('requestTooLarge');
}
