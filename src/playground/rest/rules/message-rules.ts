import type { APIMessageTopLevelComponent } from 'discord-api-types/v10';
import type { Hub } from '../../state/hub.ts';
import { newAttachment } from '../../state/messages.ts';
import { type Attachment, COMPONENT, MESSAGE_FLAGS, type Message, type MessageContent } from '../../state/model.ts';
import {
  apiError,
  type Fields,
  isObject,
  isSnowflake,
  type Json,
  notASnowflake,
  type Path,
  readForm,
} from '../problems.ts';
import type { RequestBody, UploadedFile } from '../router.ts';
import { readMessageComponents } from './component-rules.ts';

const { SuppressEmbeds, Ephemeral, SuppressNotifications, IsVoiceMessage, IsComponentsV2 } = MESSAGE_FLAGS;
const ANYWHERE = SuppressEmbeds | SuppressNotifications | IsVoiceMessage | IsComponentsV2;

/** The flags that the bot may set on a message: ephemeral only in answers to interactions. */
const SETTABLE = {
  channel: ANYWHERE,
  interaction: ANYWHERE | Ephemeral,
  edit: SuppressEmbeds | IsComponentsV2,
} as const;

/** Reads a new message and checks Discord's rules: https://discord.com/developers/docs/resources/message#create-message */
export function readNewMessage(
  hub: Hub,
  body: RequestBody,
  place: { readonly in: 'channel' | 'interaction'; readonly json: unknown; readonly path: Path },
): MessageContent {
  const content = readForm(place.json ?? {}, place.path, (fields) =>
    readContent(hub, fields, body.files, SETTABLE[place.in]),
  );
  if (content.flags & IsVoiceMessage) checkVoiceMessage(content);
  else if (isEmpty(content)) throw apiError('emptyMessage');
  return content;
}

/** Fields that are missing stay unchanged: https://discord.com/developers/docs/resources/message#edit-message */
export function readMessageEdit(hub: Hub, body: RequestBody, message: Message): Partial<MessageContent> {
  if (message.flags & IsVoiceMessage) throw apiError('voiceMessageEdit');
  const change = readForm(body.json ?? {}, [], (fields) => readChange(hub, fields, body.files, message));
  if (isEmpty({ ...message, ...change })) throw apiError('emptyMessage');
  return change;
}

function readChange(
  hub: Hub,
  fields: Fields,
  files: readonly UploadedFile[],
  message: Message,
): Partial<MessageContent> {
  const { json } = fields;
  const flags = json.flags === undefined || json.flags === null ? 0 : SETTABLE.edit;
  const read = readContent(hub, fields, files, flags, message);
  const change: Partial<MessageContent> = {};
  if ('content' in json) change.content = read.content;
  if ('embeds' in json) change.embeds = read.embeds;
  if ('components' in json) change.components = read.components;
  if (flags) change.flags = (message.flags & ~SuppressEmbeds) | read.flags;
  if ('attachments' in json || files.length > 0) {
    change.attachments = [...keptAttachments(json, message), ...read.attachments];
    if (change.attachments.length > MAX_ATTACHMENTS)
      fields.fail('attachments', 'BASE_TYPE_MAX_LENGTH', `Must be ${MAX_ATTACHMENTS} or fewer in length.`);
  }
  const changed = { ...message, ...change };
  // An edit that turns a message into Components V2 must remove the content and embeds, which Components V2 forbids.
  if (changed.flags & IsComponentsV2) refuseLegacyFields(fields, { content: changed.content, embeds: changed.embeds });
  return change;
}

/** True if a message shows nothing. With Components V2, a file is visible only if a component shows the file. */
function isEmpty({ content, embeds, components, attachments, flags }: MessageContent): boolean {
  if (flags & IsComponentsV2) return components.length === 0;
  return content.trim() === '' && embeds.length + components.length + attachments.length === 0;
}

function readContent(
  hub: Hub,
  fields: Fields,
  files: readonly UploadedFile[],
  settable: number,
  edited?: Message,
): MessageContent {
  const flags = (fields.integer('flags', { min: 0, max: Number.POSITIVE_INFINITY }) ?? 0) & settable;
  const isV2 = ((flags | (edited?.flags ?? 0)) & IsComponentsV2) !== 0;
  const content = fields.text('content', { max: 2_000 }) ?? '';
  // Crier sends no embeds, so the playground rejects every embed.
  fields.list('embeds', { max: 0 });
  const components = readMessageComponents(fields, isV2);
  if (isV2) refuseLegacyFields(fields);
  checkAllowedMentions(fields);
  fields.flag('tts');
  fields.flag('enforce_nonce');
  return {
    content,
    embeds: [],
    components: numbered(components) as APIMessageTopLevelComponent[],
    attachments: readAttachments(hub, fields, files),
    flags,
  };
}

function refuseLegacyFields(fields: Fields, given: Json = fields.json): void {
  for (const key of ['content', 'embeds', 'poll', 'sticker_ids']) {
    const value = given[key];
    if (value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)) continue;
    const message = `The '${key}' field cannot be used when using MessageFlags.IS_COMPONENTS_V2`;
    fields.fail(key, 'MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2', message);
  }
}

const SELECT_DEFAULTS: Json = { min_values: 1, max_values: 1, disabled: false };

/** The default values that Discord adds to components: https://discord.com/developers/docs/components/reference */
const COMPONENT_DEFAULTS: Readonly<Record<number, Json>> = {
  [COMPONENT.button]: { disabled: false },
  [COMPONENT.stringSelect]: SELECT_DEFAULTS,
  [COMPONENT.userSelect]: SELECT_DEFAULTS,
  [COMPONENT.roleSelect]: SELECT_DEFAULTS,
  [COMPONENT.channelSelect]: SELECT_DEFAULTS,
  [COMPONENT.separator]: { divider: true, spacing: 1 },
  [COMPONENT.container]: { accent_color: null, spoiler: false },
};

function numbered(components: readonly unknown[]): unknown[] {
  let next = 1;
  const visit = (value: unknown): unknown => {
    if (!isObject(value)) return value;
    const id = value.id || next++;
    const nested = Array.isArray(value.components) ? { components: value.components.map(visit) } : {};
    const accessory = value.accessory === undefined ? {} : { accessory: visit(value.accessory) };
    return { ...COMPONENT_DEFAULTS[Number(value.type)], ...value, id, ...nested, ...accessory };
  };
  return components.map(visit);
}

/** Checks the mentions a message allows: https://discord.com/developers/docs/resources/message#allowed-mentions-object */
function checkAllowedMentions(fields: Fields): void {
  if (!fields.json.allowed_mentions) return;
  const allowed = fields.object('allowed_mentions');
  const parse = allowed.set('parse', { max: 3 }) ?? [];
  allowed.flag('replied_user');
  if (parse.some((kind) => !['roles', 'users', 'everyone'].includes(kind as string))) {
    allowed.fail('parse', 'BASE_TYPE_CHOICES');
  }
  for (const kind of ['users', 'roles']) {
    const ids = allowed.set(kind, { max: 100 });
    for (const [index, id] of (ids ?? []).entries()) {
      if (!isSnowflake(id)) allowed.fail([kind, index], ...notASnowflake(id));
    }
    if (ids?.length && parse.includes(kind)) {
      const message = `parse:["${kind}"] and ${kind}: [ids...] are mutually exclusive.`;
      allowed.fail(undefined, 'MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE', message);
    }
  }
}

/** Checks the parts of a voice message: https://discord.com/developers/docs/resources/message#voice-messages */
function checkVoiceMessage(content: MessageContent): void {
  if (content.content !== '' || content.embeds.length > 0 || content.components.length > 0)
    throw apiError('voiceMessageContent');
  const [audio] = content.attachments;
  if (!audio || content.attachments.length !== 1 || !audio.contentType.startsWith('audio/'))
    throw apiError('voiceMessageAttachment');
  if (audio.durationSeconds === undefined || audio.waveform === undefined || !isWaveform(audio.waveform)) {
    throw apiError('voiceMessageMetadata');
  }
}

function isWaveform(waveform: string): boolean {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(waveform)) return false;
  const { length } = Buffer.from(waveform, 'base64');
  return length >= 1 && length <= 256;
}

/** Discord's limit of files in a message: https://discord.com/developers/docs/resources/message#create-message */
const MAX_ATTACHMENTS = 10;

function readAttachment(entry: Fields) {
  entry.snowflake('id', true);
  entry.text('title', { max: 1_024 });
  entry.flag('is_spoiler');
  entry.flag('is_remix');
  return {
    filename: entry.text('filename', { min: 1, max: 1_024 }),
    description: entry.text('description', { max: 1_024 }),
    durationSeconds: entry.number('duration_secs', { min: 0, max: 2 ** 31 - 1 }),
    waveform: entry.text('waveform', { max: 400 }),
  };
}

/** In `attachments`, the `id` of a new file is its index in the uploaded form. */
function readAttachments(hub: Hub, fields: Fields, files: readonly UploadedFile[]): Attachment[] {
  if (files.length > MAX_ATTACHMENTS) fields.fail('files', 'BASE_TYPE_MAX_LENGTH');
  const entries = fields.objects('attachments', { max: MAX_ATTACHMENTS });
  const described = entries.map((entry) => ({ id: String(entry.json.id), details: readAttachment(entry) }));
  return files.map(({ index, ...file }) => {
    const details = described.find(({ id }) => id === String(index))?.details;
    return newAttachment(hub, { ...file, ...details, filename: details?.filename ?? file.filename });
  });
}

/** An edit keeps the files in the field `attachments`. A missing field keeps all, and null keeps none. */
function keptAttachments(json: Json, message: Message): Attachment[] {
  if (!Array.isArray(json.attachments)) return json.attachments === null ? [] : message.attachments;
  const listed = new Set(json.attachments.filter(isObject).map((entry) => String(entry.id)));
  return message.attachments.filter((attachment) => listed.has(attachment.id));
}
