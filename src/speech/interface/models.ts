/**
 * The rules of each model family, in one table for the client, the bot, the command line and the embedded service. An
 * unknown model gets permissive rules, so that a new one works on the day it appears.
 */

export const MODEL_IDS = ['gpro', 'gpro31', 'gpro38', 'ext', 'orpheus'] as const;
export type KnownModelId = (typeof MODEL_IDS)[number];

export type AudioFormat = 'wav' | 'mp3';

/**
 * How text may carry tags: not at all, `[any words]`, `<any words>` (open lists, only the form is known), or the two
 * closed lists of `ext` (see tags.ts).
 */
export type TagSyntax = 'none' | 'square-open' | 'angle-open' | 'closed';

interface ModelRules {
  /** The canonical id, as it goes on the wire. */
  readonly id: string;
  readonly known: boolean;
  readonly formats: readonly AudioFormat[];
  readonly defaultFormat: AudioFormat;
  /** Whether each parameter has an effect; a parameter without one is ignored by the service. */
  readonly style: boolean;
  readonly seed: boolean;
  readonly temperature: boolean;
  readonly speed: boolean;
  readonly tags: TagSyntax;
  /** UTF-16 units. An account's limit can be lower: `GET /models` decides, see `inputLimit`. */
  readonly maxInputLength: number;
  /** Whether `style` (and the characters joining it to the text) is counted and billed with the input. */
  readonly styleCountsTowardLimit: boolean;
}

export interface NumberRange {
  readonly min: number;
  readonly max: number;
  readonly integer: boolean;
}

export const TEMPERATURE_RANGE: NumberRange = { min: 0, max: 2, integer: false };
export const SPEED_RANGE: NumberRange = { min: 0.7, max: 1.5, integer: false };
/** The document only says 'integer'; every implementation takes a non-negative 32-bit one. */
export const SEED_RANGE: NumberRange = { min: 0, max: 2_147_483_647, integer: true };

/** Default when the service's own list gives no limit: the smallest one of any family. */
export const DEFAULT_MAX_INPUT_LENGTH = 500;

/** If the style counts, it is joined to the text with a few characters that count too. */
export const STYLE_JOINING_CHARACTERS = 4;

const directed = {
  known: true,
  formats: ['wav'],
  defaultFormat: 'wav',
  style: true,
  seed: true,
  temperature: true,
  speed: false,
  maxInputLength: 1000,
} as const;

const TABLE: Readonly<Record<KnownModelId, ModelRules>> = {
  gpro: { ...directed, id: 'gpro', tags: 'none', styleCountsTowardLimit: true },
  gpro31: { ...directed, id: 'gpro31', tags: 'square-open', styleCountsTowardLimit: true },
  gpro38: { ...directed, id: 'gpro38', tags: 'angle-open', styleCountsTowardLimit: false },
  ext: {
    id: 'ext',
    known: true,
    formats: ['mp3', 'wav'],
    defaultFormat: 'mp3',
    style: false,
    seed: false,
    temperature: false,
    speed: true,
    tags: 'closed',
    maxInputLength: 1000,
    styleCountsTowardLimit: false,
  },
  orpheus: {
    id: 'orpheus',
    known: true,
    formats: ['mp3'],
    defaultFormat: 'mp3',
    style: false,
    seed: true,
    temperature: false,
    speed: false,
    tags: 'none',
    maxInputLength: 500,
    styleCountsTowardLimit: false,
  },
};

/** `grok` (any case) is the name for `ext` in common use and in older clients; every other id is passed on unchanged. */
export function canonicalModelId(modelId: string): string {
  return modelId.trim().toLowerCase() === 'grok' ? 'ext' : modelId.trim();
}

export function isKnownModelId(modelId: string): modelId is KnownModelId {
  return Object.hasOwn(TABLE, modelId);
}

/** The rules of a model; permissive ones for an unknown or undefined model. Aliases are accepted. */
export function modelRules(modelId: string | undefined): ModelRules {
  const id = modelId === undefined ? '' : canonicalModelId(modelId);
  if (isKnownModelId(id)) return TABLE[id];
  return {
    id,
    known: false,
    formats: ['mp3', 'wav'],
    defaultFormat: 'mp3',
    style: true,
    seed: true,
    temperature: true,
    speed: true,
    tags: 'none',
    maxInputLength: DEFAULT_MAX_INPUT_LENGTH,
    // Counting too much makes a part shorter; counting too little makes the service refuse it.
    styleCountsTowardLimit: true,
  };
}

/** The limit of a model in UTF-16 units as the service's own model list states it, else the smallest known one. */
export function inputLimit(
  modelId: string | undefined,
  models: readonly { id: string; max_input_length?: number | undefined }[] = [],
): number {
  const id = modelId === undefined ? undefined : canonicalModelId(modelId);
  const stated = models.find((model) => model.id === id)?.max_input_length;
  return stated !== undefined && stated > 0 ? Math.floor(stated) : DEFAULT_MAX_INPUT_LENGTH;
}

/** Characters of the limit that `style` takes up for this model, in UTF-16 units. */
export function styleCharacters(modelId: string | undefined, style: string | undefined): number {
  if (style === undefined || style === '' || !modelRules(modelId).styleCountsTowardLimit) return 0;
  return style.length + STYLE_JOINING_CHARACTERS;
}

export function countedCharacters(modelId: string | undefined, input: string, style?: string): number {
  return input.length + styleCharacters(modelId, style);
}
