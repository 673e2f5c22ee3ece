import {
  type APIActionRowComponent,
  type APIButtonComponent,
  type APIComponentInContainer,
  type APIComponentInMessageActionRow,
  type APIContainerComponent,
  type APIMessageTopLevelComponent,
  type APIModalInteractionResponseCallbackData,
  type APISelectMenuComponent,
  type APISelectMenuOption,
  ButtonStyle,
  type ChannelType,
  ComponentType,
  escapeMarkdown,
  type InteractionReplyOptions,
  TextInputStyle,
} from 'discord.js';
import type { VoiceChoice } from '../../services/servers/server-settings.ts';
import { cutAt, firstGraphemes } from '../../services/text/readable/characters.ts';
import { soundLabel } from '../../services/voices/voice-catalog.ts';
import { type CommandIds, render, type Text, text } from '../../texts/catalog.ts';

/** Discord's limits: numbers of items, and lengths in characters (UTF-16 units). */
export const DISCORD_LIMITS = {
  /** Discord's length limit for a message: https://discord.com/developers/docs/resources/message#create-message */
  messageCharacters: 2_000,
  /** Discord's limit for all texts of a panel together. */
  panelCharacters: 4_000,
  /** Discord answers 500 if a panel's texts exceed this many bytes in UTF-8: https://github.com/discord/discord-api-docs/issues/8554 */
  panelBytes: 10_170,
  panelBytesPerText: 12,

  /**
   * Discord's limit for the number of suggestions:
   * https://discord.com/developers/docs/interactions/receiving-and-responding#interaction-response-object-autocomplete
   */
  choices: 25,
  /** Discord rejects a whole list of suggestions if the name or value of one is longer. */
  choiceCharacters: 100,

  /** The limit for the options of a select: https://discord.com/developers/docs/components/reference */
  menuOptions: 25,
  /** Discord's length limit for the label, value and description of a select's option. */
  menuOptionCharacters: 100,
  placeholderCharacters: 150,
  buttonLabelCharacters: 80,
  customIdCharacters: 100,
  fieldLabelCharacters: 45,
  fieldDescriptionCharacters: 100,
  fieldCharacters: 4_000,

  /**
   * Discord's length limit for the title of a form:
   * https://discord.com/developers/docs/interactions/receiving-and-responding#interaction-response-object-modal
   */
  formTitleCharacters: 45,
} as const;

/**
 * When a member uses a component, the Control named `control` is called with `argument`. The style is primary for the
 * main action, danger for an action that cannot be undone, else secondary.
 */
export const button = (control: string, label: Text, argument = '', style: keyof typeof STYLES = 'secondary') => ({
  label,
  control,
  argument,
  style,
  disabled: false,
});

export type Button = Readonly<ReturnType<typeof button>>;

interface SelectOption {
  readonly value: string;
  /** A string, such as a voice's name, is not translated. */
  readonly label: Text | string;
  readonly description?: Text | string;
  readonly chosen?: boolean;
}

interface SelectBase {
  readonly control: string;
  readonly argument: string;
  readonly placeholder: Text;
  /** How many options of a select can be chosen; undefined means exactly one. */
  readonly choosable?: { readonly atLeast: number; readonly atMost: number };
}

export type Select =
  | (SelectBase & { readonly kind: 'select'; readonly options: readonly SelectOption[] })
  | (SelectBase & { readonly chosen: readonly string[] } & (
        | { readonly kind: 'role-select' | 'user-select' }
        | { readonly kind: 'channel-select'; readonly channelTypes: readonly ChannelType[] }
      ));

export type Row = readonly Button[] | Select;

/** A part of a panel (Discord's "Components V2"); parts are shown one below the other. */
export type PanelPart =
  | { readonly kind: 'text'; readonly lines: readonly Text[] }
  | { readonly kind: 'section'; readonly line: Text; readonly button: Button }
  | { readonly kind: 'separator' }
  | { readonly kind: 'row'; readonly row: Row };

/** A form in a window of its own. When it is submitted, the Control named `control` gets the values by field name. */
export interface Modal {
  readonly title: Text;
  readonly control: string;
  readonly argument: string;
  readonly fields: readonly ModalField[];
}

interface FieldBase {
  readonly name: string;
  readonly label: Text;
  readonly description?: Text;
}

export type ModalField =
  | (FieldBase & {
      readonly kind: 'line' | 'paragraph';
      readonly required: boolean;
      readonly value: string;
      readonly maxLength: number;
    })
  | (FieldBase & { readonly kind: 'select'; readonly options: readonly SelectOption[] })
  | (FieldBase & { readonly kind: 'file' });

/** Who sees a reply. 'caller': only who used the command or button. 'message': everyone, as an edit of the button's message. */
export type Visibility = 'everyone' | 'caller' | 'message';

interface ReplyFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** A file's alternative text for screen readers. */
  readonly description?: string;
}

/** Audio that Discord shows as a voice message. A voice message cannot hold text or buttons. */
export interface VoiceMessage {
  readonly bytes: Uint8Array;
  readonly durationMs: number;
  /** The waveform of a voice message: up to 256 loudness values, 0 to 255. */
  readonly waveform: Uint8Array;
}

export interface Content {
  readonly lines: readonly Text[];
  readonly rows?: readonly Row[];
  readonly files?: readonly ReplyFile[];
  /** A panel (Discord's "Components V2") replaces `lines` and `rows`. A message that is a panel stays one. */
  readonly panel?: readonly PanelPart[];
}

/** A reply in one language, as discord.js sends it. */
export interface AnswerContent {
  readonly form: 'words' | 'panel' | 'voice-message';
  readonly content: string;
  readonly components: NonNullable<InteractionReplyOptions['components']>;
  readonly files: NonNullable<InteractionReplyOptions['files']>;
}

const STYLES = {
  primary: ButtonStyle.Primary,
  secondary: ButtonStyle.Secondary,
  danger: ButtonStyle.Danger,
} as const;

const SELECTS = {
  'role-select': [ComponentType.RoleSelect, 'role'],
  'user-select': [ComponentType.UserSelect, 'user'],
  'channel-select': [ComponentType.ChannelSelect, 'channel'],
} as const;

function cut(words: Text | string, limit: number, locale = ''): string {
  const whole = typeof words === 'string' ? words : render(words, locale);
  return whole.length <= limit ? whole : `${whole.slice(0, limit - 1).toWellFormed()}…`;
}

function drawRow(row: Row, locale: string): APIActionRowComponent<APIComponentInMessageActionRow> {
  const components = 'kind' in row ? [drawSelect(row, locale)] : row.map((button) => drawButton(button, locale));
  return { type: ComponentType.ActionRow, components };
}

function drawButton(button: Button, locale: string): APIButtonComponent {
  return {
    type: ComponentType.Button,
    style: STYLES[button.style],
    label: cut(button.label, DISCORD_LIMITS.buttonLabelCharacters, locale),
    custom_id: customId(button.control, button.argument),
    disabled: button.disabled,
  };
}

function drawSelect(select: Select, locale: string): APISelectMenuComponent {
  const common = {
    custom_id: customId(select.control, select.argument),
    placeholder: cut(select.placeholder, DISCORD_LIMITS.placeholderCharacters, locale),
    min_values: select.choosable?.atLeast ?? 1,
    max_values: select.choosable?.atMost ?? 1,
  };
  if (select.kind === 'select') {
    return {
      type: ComponentType.StringSelect,
      ...common,
      options: select.options.map((one) => drawOption(one, locale)),
    };
  }
  const [type, defaultType] = SELECTS[select.kind];
  return {
    type,
    ...common,
    default_values: select.chosen.map((id) => ({ id, type: defaultType })),
    channel_types: select.kind === 'channel-select' ? select.channelTypes : undefined,
  } as APISelectMenuComponent;
}

function drawOption({ value, label, description, chosen }: SelectOption, locale: string): APISelectMenuOption {
  return {
    value,
    label: cut(label, DISCORD_LIMITS.menuOptionCharacters, locale),
    description: description && cut(description, DISCORD_LIMITS.menuOptionCharacters, locale),
    default: chosen,
  };
}

/** With `ids`, the ids of the registered commands, members can click the commands in the text. */
export function drawContent(
  { lines, rows = [], files = [], panel }: Content,
  locale: string,
  ids: CommandIds,
): AnswerContent {
  const attached = files.map(({ name, bytes, description }) => ({
    name,
    attachment: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    description,
  }));
  if (panel) return { form: 'panel', content: '', components: drawPanel(panel, locale, ids), files: attached };
  const content = fitting(wordsOf(lines, locale, ids), DISCORD_LIMITS.messageCharacters);
  return { form: 'words', content, components: rows.map((row) => drawRow(row, locale)), files: attached };
}

/** Cuts a text to a limit, at the end of a line if possible: Discord would show half a mention as raw text. */
function fitting(words: string, limit: number): string {
  const end = words.length > limit ? words.lastIndexOf('\n', limit - 2) : 0;
  return end > 0 ? `${words.slice(0, end)}\n…` : cut(words, limit);
}

const VOICE_MESSAGE_NAME = 'voice-message.ogg';

/** Draws a voice message in Discord's format: https://discord.com/developers/docs/resources/message#voice-messages */
export function drawVoiceMessage({ bytes, durationMs, waveform }: VoiceMessage): AnswerContent {
  const file = {
    name: VOICE_MESSAGE_NAME,
    attachment: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    duration: durationMs / 1000,
    waveform: Buffer.from(waveform).toString('base64'),
  };
  return { form: 'voice-message', content: '', components: [], files: [file] };
}

/** A voice message as an attached file, for replies in which Discord accepts no voice message. */
export const voiceFile = ({ bytes }: VoiceMessage): ReplyFile => ({ name: VOICE_MESSAGE_NAME, bytes });

/** Draws a panel as one container. If the texts exceed Discord's limits, the longest texts are shortened. */
export function drawPanel(parts: readonly PanelPart[], locale: string, ids: CommandIds): APIMessageTopLevelComponent[] {
  const components = parts.map((part) => drawPart(part, locale, ids));
  const texts = components
    .flatMap((component) => (component.type === ComponentType.Section ? component.components : [component]))
    .filter((component) => component.type === ComponentType.TextDisplay);
  const sizes = texts.map(({ content }) => shareOfPanel(content));
  while (sizes.reduce((sum, size) => sum + size, 0) > 1) {
    const longest = sizes.indexOf(Math.max(...sizes));
    const words = texts[longest];
    if (!words) break;
    words.content = fitting(words.content, words.content.length - 1);
    sizes[longest] = shareOfPanel(words.content);
  }
  const container: APIContainerComponent = { type: ComponentType.Container, components };
  return [container];
}

/** The larger share that a text uses of a panel's limits in characters and bytes; 1 fills the panel. */
function shareOfPanel(words: string): number {
  const { panelCharacters, panelBytes, panelBytesPerText } = DISCORD_LIMITS;
  return Math.max(words.length / panelCharacters, (Buffer.byteLength(words) + panelBytesPerText) / panelBytes);
}

function drawPart(part: PanelPart, locale: string, ids: CommandIds): APIComponentInContainer {
  switch (part.kind) {
    case 'separator':
      return { type: ComponentType.Separator };
    case 'row':
      return drawRow(part.row, locale);
    case 'section': {
      const words = { type: ComponentType.TextDisplay as const, content: wordsOf([part.line], locale, ids) };
      return { type: ComponentType.Section, components: [words], accessory: drawButton(part.button, locale) };
    }
    case 'text':
      return { type: ComponentType.TextDisplay, content: wordsOf(part.lines, locale, ids) };
  }
}

export function wordsOf(lines: readonly Text[], locale: string, ids: CommandIds): string {
  return lines.map((line) => render(line, locale, ids)).join('\n');
}

export function drawModal(modal: Modal, locale: string): APIModalInteractionResponseCallbackData {
  return {
    custom_id: customId(modal.control, modal.argument),
    title: cut(modal.title, DISCORD_LIMITS.formTitleCharacters, locale),
    components: modal.fields.map((field) => ({
      type: ComponentType.Label,
      label: cut(field.label, DISCORD_LIMITS.fieldLabelCharacters, locale),
      description: field.description && cut(field.description, DISCORD_LIMITS.fieldDescriptionCharacters, locale),
      component: drawField(field, locale),
    })),
  };
}

function drawField(field: ModalField, locale: string) {
  const common = { custom_id: field.name, required: true };
  switch (field.kind) {
    case 'file':
      return { type: ComponentType.FileUpload as const, ...common };
    case 'select':
      return {
        type: ComponentType.StringSelect as const,
        ...common,
        min_values: 1,
        max_values: 1,
        options: field.options.map((one) => drawOption(one, locale)),
      };
    default:
      return {
        type: ComponentType.TextInput as const,
        ...common,
        required: field.required,
        style: field.kind === 'line' ? TextInputStyle.Short : TextInputStyle.Paragraph,
        value: field.value || undefined,
        min_length: field.required ? 1 : undefined,
        max_length: field.maxLength,
      };
  }
}

/** Any client can send any id: the Control must validate the argument and check the sender's permissions. */
export function customId(control: string, argument: string): string {
  const id = argument === '' ? control : `${control}:${argument}`;
  if (control.includes(':') || id.length > DISCORD_LIMITS.customIdCharacters) throw new Error(`No custom id: ${id}`);
  return id;
}

export function parseCustomId(id: string): { readonly control: string; readonly argument: string } {
  const [control = '', ...argument] = id.split(':');
  return { control, argument: argument.join(':') };
}

/** The maximum length of a quotation in graphemes: enough for members to recognize their own text. */
const QUOTED_GRAPHEMES = 160;
/** Quotations are also limited in UTF-16 units: one grapheme may have dozens, and the other texts of the reply must still fit. */
const UNITS_PER_GRAPHEME = 2;

const segmenter = new Intl.Segmenter();

/** A member's text for use in a reply: on one line, shortened, without effect as Markdown, and without mentions. */
export function quote(words: string, limit: number = QUOTED_GRAPHEMES): string {
  const line = words.replaceAll(/\s+/g, ' ').trim();
  const short = shortened(line, limit);
  return (
    escapeMarkdown(short, { heading: true, bulletedList: true, numberedList: true, maskedLink: true })
      // In quotations, `<@1>`, `<#1>` and `<:name:1>` stay plain text, and so do @everyone and @here.
      .replaceAll('<', '\\<')
      .replaceAll('@', '@\u200b')
  );
}

/** The maximum of quoted lines, because the rest of the reply needs room too. */
const QUOTED_LINES = 10;

/** The Markdown `mark` starts each quoted line but the first, which the reply's own text marks. */
export function quoteLines(words: string, mark = ''): string {
  const lines = words.split('\n').filter((line) => line.trim() !== '');
  const shown: string[] = [];
  let left = QUOTED_GRAPHEMES;
  for (const line of lines.slice(0, QUOTED_LINES)) {
    if (left <= 0) break;
    // At the start of a quoted line, `-#` and `>` are escaped: Discord would show small print or a quotation.
    shown.push(quote(line, left).replace(/^(?=-#|>)/, '\\'));
    left -= [...segmenter.segment(line)].length;
  }
  const hasMore = left >= 0 && shown.length < lines.length;
  return [...shown, ...(hasMore ? ['…'] : [])].join(`\n${mark}`);
}

function shortened(line: string, limit: number): string {
  const units = limit * UNITS_PER_GRAPHEME;
  if (firstGraphemes(cutAt(line, units), limit) === line) return line;
  return `${firstGraphemes(cutAt(line, units - 1), limit - 1).trimEnd()}…`;
}

/** The fields of a voice, or of a stored choice of a voice, that replies show. */
export type Labeled = Omit<VoiceChoice, 'voiceId'>;

export const voiceWithModel = ({ name, model }: Labeled, quoted = quote): Text =>
  text('voice.label', { name: quoted(name, 80), model: quoted(model, 40) });

/** A voice's name, with its model if an earlier voice of the catalog has the name, or if gender and accent are unknown. */
export const voiceName = (voice: Labeled, quoted = quote): Text | string =>
  soundLabel(voice) === undefined || voice.isVariant ? voiceWithModel(voice, quoted) : quoted(voice.name, 80);

export function voiceLabel(voice: Labeled): Text {
  const sound = soundLabel(voice, (words) => quote(words, 40));
  if (sound === undefined) return voiceWithModel(voice);
  return text('voice.label-with-sound', { voice: voiceName(voice), sound });
}

/** Returns a duration in milliseconds as a clock shows it: '0:07', '12:30', '1:05:00'. */
export function clockTime(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const tail = `${minutes.toString().padStart(hours > 0 ? 2 : 1, '0')}:${rest.toString().padStart(2, '0')}`;
  return hours > 0 ? `${hours}:${tail}` : tail;
}
