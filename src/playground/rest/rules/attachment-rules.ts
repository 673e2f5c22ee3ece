import type { Hub } from '../../state/hub.ts';
import type { Attachment, Message } from '../../state/model.ts';
import type { UploadedFile } from '../body.ts';
import { type Fields, fieldsOf, isObject, type Json, type Problems } from './body-problems.ts';

const describes = (json: Json): Json[] => (Array.isArray(json.attachments) ? json.attachments.filter(isObject) : []);

/** https://discord.com/developers/docs/resources/message#create-message */
export const MAX_ATTACHMENTS = 10;

export function refuseMoreAttachments(fields: Fields): void {
  fields.fail('attachments', 'BASE_TYPE_MAX_LENGTH', `Must be ${MAX_ATTACHMENTS} or fewer in length.`);
}

/** The limits of MessageAttachmentRequest in Discord's OpenAPI document. */
function checkAttachment(entry: Fields): void {
  entry.snowflake('id', true);
  entry.text('filename', { min: 1, max: 1_024 });
  entry.text('title', { max: 1_024 });
  entry.text('description', { max: 1_024 });
  entry.number('duration_secs', { min: 0, max: 2 ** 31 - 1 });
  entry.text('waveform', { max: 400 });
  entry.flag('is_spoiler');
  entry.flag('is_remix');
}

/** New files are described by entries whose `id` is the file's index in the form. */
export function readAttachments(
  hub: Hub,
  problems: Problems,
  fields: Fields,
  files: readonly UploadedFile[],
): Attachment[] {
  if (files.length > MAX_ATTACHMENTS) fields.fail('files', 'BASE_TYPE_MAX_LENGTH', 'Must be 10 or fewer in length.');
  for (const [index, entry] of (fields.list('attachments', { max: MAX_ATTACHMENTS }) ?? []).entries()) {
    checkAttachment(fieldsOf(problems, entry, [...fields.path, 'attachments', index]));
  }
  return files.map((file) => {
    const entry = describes(fields.json).find((candidate) => String(candidate.id) === String(file.index));
    const id = hub.newId();
    const filename = typeof entry?.filename === 'string' ? entry.filename : file.filename;
    return {
      id,
      filename,
      contentType: file.contentType,
      bytes: file.bytes,
      url: `${hub.origin}/attachments/0/${id}/${encodeURIComponent(filename)}`,
      description: typeof entry?.description === 'string' ? entry.description : undefined,
      durationSeconds: typeof entry?.duration_secs === 'number' ? entry.duration_secs : undefined,
      waveform: typeof entry?.waveform === 'string' ? entry.waveform : undefined,
    };
  });
}

/** An edit keeps the attachments that it lists, or all when it lists none. */
export function keptAttachments(json: Json, message: Message): Attachment[] {
  if (!Array.isArray(json.attachments)) return json.attachments === null ? [] : message.attachments;
  const listed = new Set(describes(json).map((entry) => String(entry.id)));
  return message.attachments.filter((attachment) => listed.has(attachment.id));
}
