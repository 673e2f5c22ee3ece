import type { BaseInteraction, ModalSubmitInteraction } from 'discord.js';
import { request } from 'undici';
import { UserError } from '../../errors/user-errors.ts';
import { text } from '../../texts/catalog.ts';

interface UploadLimits {
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 10_000;

/**
 * The text of a file that was put into a form. A UserError says what is wrong with it: none, too large, not text, or
 * Discord does not hand it out.
 */
export async function readUpload(interaction: BaseInteraction, field: string, limits: UploadLimits): Promise<string> {
  const uploaded = interaction.isModalSubmit() ? fileIn(interaction, field) : undefined;
  if (!uploaded) throw new UserError(text('upload.none'));
  return readAttachment(uploaded, limits);
}

/** The text of a file that Discord keeps. */
export async function readAttachment(
  { url, size }: { readonly url: string; readonly size: number },
  { maxBytes, signal, timeoutMs = TIMEOUT_MS }: UploadLimits,
): Promise<string> {
  if (size > maxBytes) throw new UserError(text('upload.too-large', { kilobytes: Math.floor(maxBytes / 1024) }));
  const bytes = await fetchBytes(url, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]), maxBytes);
  try {
    return new TextDecoder(encodingOf(bytes), { fatal: true }).decode(bytes);
  } catch {
    throw new UserError(text('upload.not-text'));
  }
}

/** Spreadsheets write UTF-16 with its mark; one of the older encodings cannot be told from another. */
function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}

function fileIn(interaction: ModalSubmitInteraction, field: string) {
  // A client may leave the field out, which discord.js takes for a mistake of the bot.
  return interaction.fields.fields.has(field) ? interaction.fields.getUploadedFiles(field)?.first() : undefined;
}

async function fetchBytes(url: string, signal: AbortSignal, maxBytes: number): Promise<Uint8Array> {
  try {
    const { statusCode, body } = await request(url, { signal });
    if (statusCode !== 200) {
      await body.dump();
      throw new Error(`Discord answered ${statusCode}`);
    }
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      length += chunk.length;
      if (length > maxBytes) throw new UserError(text('upload.too-large', { kilobytes: Math.floor(maxBytes / 1024) }));
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(text('upload.unreachable'), { cause: error });
  }
}
