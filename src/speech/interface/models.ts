/** Unknown models get permissive rules, so that new models work from their first day. */

export const MODEL_IDS = ['gpro', 'gpro31', 'gpro38', 'ext', 'orpheus'] as const;
export type KnownModelId = (typeof MODEL_IDS)[number];

export const RESPONSE_FORMATS = ['mp3', 'wav'] as const;
export type AudioFormat = (typeof RESPONSE_FORMATS)[number];

/** Tags are written not at all, as `[any words]`, as `<any words>`, or (model `ext`) only from fixed lists. */
export type TagSyntax = 'none' | 'square-open' | 'angle-open' | 'closed';

/** True for each parameter that the model uses. The service ignores the others. */
interface ModelRules extends Readonly<Record<Parameter, boolean>> {
  readonly id: string;
  readonly known: boolean;
  readonly formats: readonly AudioFormat[];
  readonly defaultFormat: AudioFormat;
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

/** The speech service joins a style and the text by this many characters, which count if the style counts. */
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
  defaultFormat: 'wav',
  style: true,
  seed: true,
  temperature: true,
} as const;

const TABLE: Readonly<Record<KnownModelId, ModelRules>> = {
  gpro: { ...directed, id: 'gpro', styleCountsTowardLimit: true },
  gpro31: { ...directed, id: 'gpro31', tags: 'square-open', styleCountsTowardLimit: true },
  gpro38: { ...directed, id: 'gpro38', tags: 'angle-open' },
  ext: { ...plain, id: 'ext', formats: ['mp3', 'wav'], defaultFormat: 'mp3', speed: true, tags: 'closed' },
  orpheus: { ...plain, id: 'orpheus', formats: ['mp3'], defaultFormat: 'mp3', seed: true, maxInputLength: 500 },
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
    // Counting an unknown model's style without need only makes the parts of a text shorter.
    styleCountsTowardLimit: true,
  };
}

/** The input limit in UTF-16 units from the service's model list; without one, `DEFAULT_MAX_INPUT_LENGTH`. */
export function inputLimit(
  modelId: string | undefined,
  models: readonly { id: string; max_input_length?: number | undefined }[] = [],
): number {
  const id = modelId === undefined ? undefined : canonicalModelId(modelId);
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
