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
export function formAgainRows(control: Control | undefined, call: SpeakCall): readonly Row[] {
  if (!control?.form || !('fields' in call) || !call.interaction.isModalSubmit()) return [];
  const { argument, fields, interaction, services } = call;
  const words = Object.values(fields).join('\n');
  const token = services.pending.put('form', { argument, fields, userId: interaction.user.id, words });
  return [[button(againName(control.name), text('form.again'), token)]];
}

export function formAgainControls({ name, needs, form }: Control): readonly Control[] {
  if (!form) return [];
  const again: Control = {
    name: againName(name),
    needs: { contexts: needs.contexts },
    async begin(call) {
      const { interaction, services } = call;
      const refused = services.pending.peek('form', call.argument);
      const { argument, fields } = refused?.userId === interaction.user.id ? refused : {};
      const modal = argument !== undefined && fields && (await form({ ...call, argument, fields }));
      if (!modal) throw new UserError(text('refused.over'));
      return { modal: filledIn(modal, fields) };
    },
  };
  return [again];
}

interface UploadLimits {
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

const UPLOAD_TIMEOUT_MS = 10_000;

/** Rejects with a UserError if the file uploaded in a form is missing, too large, not text, or unavailable. */
export async function readUpload(
  interaction: ControlInteraction,
  field: string,
  limits: UploadLimits,
): Promise<string> {
  // `getUploadedFiles` throws if a client omits the form's file field.
  const isThere = interaction.isModalSubmit() && interaction.fields.fields.has(field);
  const uploaded = isThere ? interaction.fields.getUploadedFiles(field)?.first() : undefined;
  if (!uploaded) throw new UserError(text('upload.none'));
  return readAttachment(uploaded, limits);
}

export async function readAttachment(
  { url, size }: { readonly url: string; readonly size: number },
  { maxBytes, signal }: UploadLimits,
): Promise<string> {
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
