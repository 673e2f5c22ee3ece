/** Unknown models get permissive rules, so that new models work from their first day. */

export const MODEL_IDS = ['gpro', 'gpro31', 'gpro38', 'ext', 'orpheus'] as const;
export type KnownModelId = (typeof MODEL_IDS)[number];

export const RESPONSE_FORMATS = ['mp3', 'wav'] as const;
export type AudioFormat = (typeof RESPONSE_FORMATS)[number];

/** A model takes no tags, any words in `[]`, any words in `<>`, or (model `ext`) only tags from fixed lists. */
export type TagSyntax = 'none' | 'square-open' | 'angle-open' | 'closed';

/** True for each parameter that the model uses. The service ignores the others. */
interface ModelRules extends Readonly<Record<Parameter, boolean>> {
  readonly id: string;
  readonly known: boolean;
  /** The first format is the model's default. */
  readonly formats: readonly [AudioFormat, ...AudioFormat[]];
  readonly tags: TagSyntax;
  /** The model's maximum input in UTF-16 units. The account's own limit (see `inputLimit`) can be lower. */
  readonly maxInputLength: number;
  /** True if the style, and the characters that join it to the text, count toward the input limit and the bill. */
  readonly styleCountsTowardLimit: boolean;
}

export interface NumberRange {
  readonly min: number;
  readonly max: number;
  readonly integer: boolean;
}

export const TEMPERATURE_RANGE: NumberRange = { min: 0, max: 2, integer: false };
export const SPEED_RANGE: NumberRange = { min: 0.7, max: 1.5, integer: false };
/** The API document only says that a seed is an integer, but every implementation takes integers from 0 to 2³¹ − 1. */
export const SEED_RANGE: NumberRange = { min: 0, max: 2_147_483_647, integer: true };

/** Requests, their checks and the options of commands are made from this table of numeric parameters. */
export const NUMBER_RANGES = { speed: SPEED_RANGE, temperature: TEMPERATURE_RANGE, seed: SEED_RANGE } as const;
export type NumberParameter = keyof typeof NUMBER_RANGES;
export const NUMBER_PARAMETERS = Object.keys(NUMBER_RANGES) as readonly NumberParameter[];

/** The parameters that a model may ignore, in the order in which replies list them. */
export const PARAMETERS = ['style', ...NUMBER_PARAMETERS] as const;
export type Parameter = (typeof PARAMETERS)[number];

/** The input limit if the service's model list states none: the smallest limit of all known models. */
export const DEFAULT_MAX_INPUT_LENGTH = 500;

/** How many characters the speech service puts between a style and the text. They count toward a model's limit if the style does. */
export const STYLE_JOINING_CHARACTERS = 4;

const plain = {
  known: true,
  style: false,
  seed: false,
  temperature: false,
  speed: false,
  tags: 'none',
  maxInputLength: 1000,
  styleCountsTowardLimit: false,
} as const;
const directed = {
  ...plain,
  formats: ['wav'],
  style: true,
  seed: true,
  temperature: true,
} as const;

const TABLE: Readonly<Record<KnownModelId, ModelRules>> = {
  gpro: { ...directed, id: 'gpro', styleCountsTowardLimit: true },
  gpro31: { ...directed, id: 'gpro31', tags: 'square-open', styleCountsTowardLimit: true },
  gpro38: { ...directed, id: 'gpro38', tags: 'angle-open' },
  ext: { ...plain, id: 'ext', formats: ['mp3', 'wav'], speed: true, tags: 'closed' },
  orpheus: { ...plain, id: 'orpheus', formats: ['mp3'], seed: true, maxInputLength: 500 },
};

/** `grok` (any case) is another name of the model `ext`, which older clients use. */
export function canonicalModelId(modelId: string): string {
  return modelId.trim().toLowerCase() === 'grok' ? 'ext' : modelId.trim();
}

export function isKnownModelId(modelId: string): modelId is KnownModelId {
  return Object.hasOwn(TABLE, modelId);
}

export function modelRules(modelId: string | undefined): ModelRules {
  const id = modelId === undefined ? '' : canonicalModelId(modelId);
  if (isKnownModelId(id)) return TABLE[id];
  return {
    ...directed,
    id,
    known: false,
    formats: ['mp3', 'wav'],
    speed: true,
    maxInputLength: DEFAULT_MAX_INPUT_LENGTH,
    // If an unknown model does not count the style toward its limit, a text's parts are only shorter than necessary.
    styleCountsTowardLimit: true,
  };
}

/** The input limit in UTF-16 units from the service's model list; without one, `DEFAULT_MAX_INPUT_LENGTH`. */
export function inputLimit(
  modelId: string | undefined,
  models: readonly { id: string; max_input_length?: number | undefined }[] = [],
): number {
  const { id } = modelRules(modelId);
  const stated = models.find((model) => model.id === id)?.max_input_length;
  return stated !== undefined && stated > 0 ? Math.floor(stated) : DEFAULT_MAX_INPUT_LENGTH;
}

export function styleCharacters(modelId: string | undefined, style: string | undefined): number {
  if (style === undefined || style === '' || !modelRules(modelId).styleCountsTowardLimit) return 0;
  return style.length + STYLE_JOINING_CHARACTERS;
}

export function countedCharacters(modelId: string | undefined, input: string, style?: string): number {
  return input.length + styleCharacters(modelId, style);
}

/** Tags of the speech model `ext` for pauses and for vocal sounds, such as a laugh, written `[name]`. */
export const INSTANT_TAGS = [
  'pause',
  'long-pause',
  'laugh',
  'chuckle',
  'giggle',
  'cry',
  'sigh',
  'breath',
  'inhale',
  'exhale',
  'tsk',
  'tongue-click',
  'lip-smack',
  'hum-tune',
] as const;
export type InstantTag = (typeof INSTANT_TAGS)[number];

/** Tags for ways of speaking of the speech model `ext`, written `<name>…</name>` around words. */
export const WRAPPING_TAGS = [
  'soft',
  'whisper',
  'loud',
  'emphasis',
  'slow',
  'fast',
  'higher-pitch',
  'lower-pitch',
  'build-intensity',
  'decrease-intensity',
  'laugh-speak',
  'sing-song',
  'singing',
] as const;
export type WrappingTag = (typeof WRAPPING_TAGS)[number];

/** The `raw` fields of all pieces of a tagged text, joined, are the text itself. */
export type TagSegment =
  /** 'stray' is text that only looks like a tag: the speech service speaks it as words. */
  | { readonly kind: 'text' | 'stray'; readonly raw: string }
  /** A tag that stands alone, such as `[laugh]`. If a model accepts any words as a tag, every tag stands alone. */
  | { readonly kind: 'instant'; readonly raw: string; readonly name: string }
  /** The start or end of a pair of tags around words, such as `<whisper>…</whisper>`. Pairs are complete and nest. */
  | { readonly kind: 'open' | 'close'; readonly raw: string; readonly name: WrappingTag };

/** Words in brackets are a tag only if they have up to 60 characters: longer ones are ordinary text. */
const NAME = String.raw`\p{L}[^<>\[\]\r\n]{0,59}`;
/** Tags of the speech model `ext` have up to four words of letters, joined by hyphens, underscores or single spaces. */
const EXT_NAME = String.raw`\p{L}+(?:[-_ ]\p{L}+){0,3}`;
const PATTERNS: Readonly<Record<Exclude<TagSyntax, 'none'>, RegExp>> = {
  'square-open': new RegExp(String.raw`\[(?<square>${NAME})\]`, 'gu'),
  'angle-open': new RegExp(`<(?<slash>/?)(?<angle>${NAME})>`, 'gu'),
  closed: new RegExp(String.raw`\[(?<square>${EXT_NAME})\]|<(?<slash>/?)(?<angle>${EXT_NAME})>`, 'gu'),
};

const isInstant = (name: string): name is InstantTag => (INSTANT_TAGS as readonly string[]).includes(name);
const isWrapping = (name: string): name is WrappingTag => (WRAPPING_TAGS as readonly string[]).includes(name);

export function parseTags(text: string, syntax: TagSyntax): TagSegment[] {
  if (syntax === 'none') return text === '' ? [] : [{ kind: 'text', raw: text }];
  const segments: TagSegment[] = [];
  const openAt: { name: WrappingTag; position: number }[] = [];
  let end = 0;
  for (const match of text.matchAll(PATTERNS[syntax])) {
    if (match.index > end) segments.push({ kind: 'text', raw: text.slice(end, match.index) });
    const raw = match[0];
    end = match.index + raw.length;
    const { square, angle, slash } = match.groups ?? {};
    const name = square ?? angle ?? '';
    if (syntax !== 'closed' || (square !== undefined && isInstant(square))) {
      segments.push({ kind: 'instant', raw, name });
    } else if (square !== undefined || !isWrapping(name)) segments.push({ kind: 'stray', raw });
    else if (slash === '') {
      openAt.push({ name, position: segments.length });
      // An opening tag counts as plain text until its closing tag is found.
      segments.push({ kind: 'stray', raw });
    } else {
      const opener = openAt.findLastIndex((open) => open.name === name);
      const start = openAt[opener];
      const opening = start && segments[start.position];
      if (start && opening) {
        // A tag that is still open when the pair around it closes counts as plain text.
        openAt.length = opener;
        segments[start.position] = { kind: 'open', raw: opening.raw, name };
        segments.push({ kind: 'close', raw, name });
      } else segments.push({ kind: 'stray', raw });
    }
  }
  if (end < text.length) segments.push({ kind: 'text', raw: text.slice(end) });
  return segments;
}

/** Removes the tags from a text. Text that only looks like a tag stays, because it is spoken as words. */
export function spokenText(text: string, syntax: TagSyntax): string {
  return parseTags(text, syntax)
    .filter((segment) => segment.kind === 'text' || segment.kind === 'stray')
    .map((segment) => segment.raw)
    .join('');
}

const SPEAKABLE = /[\p{L}\p{N}\p{Extended_Pictographic}]/u;

/** Text without a letter, a digit or an emoji would be silent, but billed. */
export const isSpeakable = (words: string): boolean => SPEAKABLE.test(words);

/** Turns `[laugh]` into 'laugh', and repeats until no tag is left: one run turns `[[laugh]]` into `[laugh]`. */
export function removeTags(text: string, syntax: TagSyntax): string {
  let result = text;
  while (true) {
    const segments = parseTags(result, syntax);
    if (segments.every((segment) => segment.kind === 'text')) return result;
    result = segments.map(withoutBrackets).join('');
  }
}

function withoutBrackets(segment: TagSegment): string {
  if (segment.kind === 'text') return segment.raw;
  if (segment.kind === 'open' || segment.kind === 'close') return '';
  return segment.raw.replace(/^(?:<\/?|\[)|[>\]]$/g, '');
}
