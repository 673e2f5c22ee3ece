import { request } from 'undici';
import { button, type Modal, type Row } from '../../discord/replies/layout.ts';
import { UserError } from '../../errors/user-errors.ts';
import { text } from '../../texts/catalog.ts';
import type { Control, ControlInteraction, SpeakCall } from './command.ts';

function filledIn(modal: Modal, typed: Readonly<Record<string, string>>): Modal {
  const fields = modal.fields.map((field) => {
    const value = typed[field.name];
    if (value === undefined || field.kind === 'file') return field;
    if (field.kind !== 'select') return { ...field, value };
    const chosen = value.split(',');
    return { ...field, options: field.options.map((option) => ({ ...option, chosen: chosen.includes(option.value) })) };
  });
  return { ...modal, fields };
}

const againName = (control: string): string => `${control}-again`;

/** The button that reopens a rejected form with the member's input. */
export function formAgainRows(
  submitted: { readonly name: string; readonly form?: unknown } | undefined,
  call: SpeakCall,
): readonly Row[] {
  if (!submitted?.form || !('fields' in call) || !call.interaction.isModalSubmit()) return [];
  const { argument, fields, interaction, services } = call;
  const words = Object.values(fields).join('\n');
  const token = services.pending.put('form', { argument, fields, userId: interaction.user.id, words });
  return [[button(againName(submitted.name), text('form.again'), token)]];
}

export function formAgainControls({ name, onlyFor, form }: Control): readonly Control[] {
  if (!form) return [];
  const again: Control = {
    name: againName(name),
    onlyFor,
    async begin(call) {
      const { interaction, services } = call;
      const refused = services.pending.peek('form', call.argument);
      const { argument, fields } = refused?.userId === interaction.user.id ? refused : {};
      const modal = argument !== undefined && fields && (await form({ ...call, argument, fields }));
      if (!modal) throw new UserError(text('refused.over'));
      return filledIn(modal, fields);
    },
  };
  return [again];
}

/** The file uploaded in a form; undefined if there is none. `getUploadedFiles` throws if a client omits the field. */
export const uploadedFile = (interaction: ControlInteraction, field: string) =>
  interaction.isModalSubmit() && interaction.fields.fields.has(field)
    ? interaction.fields.getUploadedFiles(field)?.first()
    : undefined;

const UPLOAD_TIMEOUT_MS = 10_000;

/** Rejects with a UserError if the file is missing, too large, not text, or unavailable. */
export async function readAttachment(
  file: { readonly url: string; readonly size: number } | undefined,
  { maxBytes, signal }: { readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<string> {
  if (!file) throw new UserError(text('upload.none'));
  const { url, size } = file;
  if (size > maxBytes) throw new UserError(text('upload.too-large', { kilobytes: Math.floor(maxBytes / 1024) }));
  const bytes = await fetchBytes(url, AbortSignal.any([signal, AbortSignal.timeout(UPLOAD_TIMEOUT_MS)])).catch(
    (cause: unknown) => {
      throw new UserError(text('upload.unreachable'), { cause });
    },
  );
  // Spreadsheets write UTF-16 with a byte order mark. Older encodings cannot be told apart, so they are rejected.
  const [first, second] = bytes;
  const isUtf16 = first === 0xff && second === 0xfe;
  try {
    const encoding = isUtf16 ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new UserError(text('upload.not-text'));
  }
}

async function fetchBytes(url: string, signal: AbortSignal): Promise<Uint8Array> {
  const { statusCode, body } = await request(url, { signal });
  if (statusCode === 200) return body.bytes();
  await body.dump();
  throw new Error(`Discord answered ${statusCode}`);
}
