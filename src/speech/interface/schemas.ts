import * as z from 'zod';
import {
  type AudioFormat,
  canonicalModelId,
  countedCharacters,
  modelRules,
  NUMBER_PARAMETERS,
  NUMBER_RANGES,
  type NumberParameter,
  PARAMETERS,
  type Parameter,
  RESPONSE_FORMATS,
  SPEED_RANGE,
  type TagSyntax,
  TEMPERATURE_RANGE,
} from './models.ts';

/* Answers are parsed tolerantly. The request body is strict, because the service rejects unknown fields and null. */

/** Returns undefined for a text that is not JSON, such as a proxy's page. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const voiceSchema = z.object({
  id: z.string().min(1),
  name: z.string().min(1),
  model: z.string().min(1),
  language: z.string().default('multiple'),
  formats: z.array(z.string()).default([]),
  /** True if the voice takes a style. If a voice list omits the field, the model's rules decide. */
  supports_style: z.boolean().optional(),
  languages: z.array(z.string()).optional().catch(undefined),
  /** An extension of the API document: true if requests for the voice may contain `language`. */
  takes_language: z.boolean().optional().catch(undefined),
  /** The fields `gender` and `accent` extend the API document. The accent is an English word, such as 'Scottish'. */
  gender: z.enum(['female', 'male']).optional().catch(undefined),
  accent: z.string().min(1).optional().catch(undefined),
});
export type Voice = z.infer<typeof voiceSchema> & {
  /** Set by the bot if a voice before this one has the same name: replies then show the model beside the name. */
  readonly isVariant?: boolean;
};

export const modelInfoSchema = z.object({
  id: z.string().min(1),
  name: z.string().optional(),
  max_input_length: z.number().positive().optional(),
  supported_formats: z.array(z.string()).optional(),
});
export type ModelInfo = z.infer<typeof modelInfoSchema>;

/** The `metadata` of a billing transaction is not parsed: it may contain payment ids, which must never be shown. */
const billingTransactionSchema = z.object({
  id: z.string().optional(),
  type: z.string().optional(),
  amount: z.number().optional(),
  description: z.string().nullish(),
  created_at: z.string().optional(),
  reference_id: z.string().nullish(),
  subscription_id: z.string().nullish(),
});

export const billingSchema = z.object({
  creditsLeft: z.number(),
  lastUpdated: z.string().nullable().catch(null),
  userId: z.string().nullable().catch(null),
  lastBillingTransaction: billingTransactionSchema.nullable().catch(null),
});
export type Billing = z.infer<typeof billingSchema>;

export const speechResultSchema = z.object({
  url: z.url({ protocol: /^https?$/ }),
  credits_used: z.number().transform((credits) => Math.max(0, credits)),
  credits_remaining: z.number(),
  usage: z
    .object({ input_characters: z.number().optional(), model: z.string().optional() })
    .optional()
    .catch(undefined),
  /** An extension of the API document: the id of the voice that spoke instead of the requested voice. */
  spoken_by: z.string().optional().catch(undefined),
});

const errorSchema = z.object({
  message: z.string().optional().catch(undefined),
  type: z.string().optional().catch(undefined),
  param: z.string().nullish().catch(undefined),
  code: z.string().optional().catch(undefined),
});
/** A proxy in front of the speech API may send `error` as a plain string. */
export const errorBodySchema = z.object({ error: z.union([errorSchema, z.string()]) });
export type WireError = z.infer<typeof errorSchema>;

/** The schema checks no rules of single models. A number out of range is rejected even for a model that ignores the parameter. */
export const speechRequestSchema = z
  .strictObject({
    input: z.string().min(1, 'input must not be empty'),
    model: z.string().min(1).optional(),
    voice: z.string().min(1).optional(),
    voiceId: z.guid('voiceId must be a UUID').optional(),
    style: z.string().optional(),
    seed: z.int('seed must be an integer').optional(),
    temperature: z.number().min(TEMPERATURE_RANGE.min).max(TEMPERATURE_RANGE.max).optional(),
    response_format: z.enum(RESPONSE_FORMATS).optional(),
    speed: z.number().min(SPEED_RANGE.min).max(SPEED_RANGE.max).optional(),
    /** An extension of the API document: the input's language (ISO 639-1), for voices with `takes_language`. */
    language: z
      .string()
      .regex(/^[a-z]{2}$/, 'language must be an ISO 639-1 code')
      .optional(),
  })
  .superRefine((body, context) => {
    const refuse = (param: string, message: string) => context.addIssue({ code: 'custom', path: [param], message });
    if (body.voiceId !== undefined) {
      if (body.voice !== undefined) refuse('voice', 'voice must not be sent together with voiceId');
      if (body.model !== undefined) refuse('model', 'model must not be sent together with voiceId');
    } else if (body.voice === undefined && body.model === undefined) {
      refuse('voice', 'send voiceId, or voice together with model');
    } else if (body.voice === undefined) {
      refuse('voice', 'voice is required together with model');
    } else if (body.model === undefined) {
      refuse('model', 'model is required together with voice');
    }
  });
export type WireSpeechRequest = z.infer<typeof speechRequestSchema>;

interface ListedVoice {
  /** `supports_style: false` in the voice list overrides the model's rules. Never sent to the service. */
  readonly ignoresStyle?: true;
  /** The voice's own audio formats in the voice list, which override the model's formats. Never sent to the service. */
  readonly formats?: readonly string[];
  /** True if the voice list says that requests may name the language of their text. Never sent to the service. */
  readonly takesLanguage?: true;
}

/** A voice, by its id alone or by its name and model: the speech service rejects any other combination. */
export type VoiceSelection =
  | (ListedVoice & {
      readonly kind: 'id';
      readonly voiceId: string;
      /** The voice's model selects its rules and quota. Never sent: the service derives it from the voice's id. */
      readonly model?: string;
    })
  | (ListedVoice & {
      readonly kind: 'name';
      readonly voice: string;
      readonly model: string;
      readonly voiceId?: never;
    });

export function listedVoice(voice: Voice): VoiceSelection {
  return {
    kind: 'id',
    voiceId: voice.id,
    model: voice.model,
    ignoresStyle: voice.supports_style === false || undefined,
    formats: voice.formats.length > 0 ? voice.formats : undefined,
    takesLanguage: voice.takes_language || undefined,
  };
}

export const takesStyle = (voice: Voice): boolean => supports(listedVoice(voice), 'style');

/** The speech parameters and speech tags that a voice may accept, in the order in which replies list them. */
const VOICE_OPTIONS = [...PARAMETERS, 'tags'] as const;

export const tagsOf = (voice: Voice): TagSyntax => modelRules(voice.model).tags;

export function knownOptions(voice: Voice) {
  const { known } = modelRules(voice.model);
  return VOICE_OPTIONS.filter((option) => {
    if (option === 'tags') return tagsOf(voice) !== 'none';
    if (!known) return option === 'style' && voice.supports_style === true;
    return supports(listedVoice(voice), option);
  });
}

export interface Passage {
  readonly input: string;
  readonly voice: VoiceSelection;
  /** The language of the text (ISO 639-1), if it has only one. Sent only for voices with `takesLanguage`. */
  readonly language?: string;
}

/** How a text is to be spoken. Options that the voice's model does not use are not sent. */
export type SpeechOptions = { readonly [Name in NumberParameter]?: number } & {
  readonly style?: string;
  readonly responseFormat?: AudioFormat;
};

export type SpeechRequest = SpeechOptions &
  Passage & {
    /** The input in passages of one voice each, sent as separate requests; `voice` is the first passage's voice. */
    readonly passages?: readonly Passage[];
  };

/** Why a speech request was rejected before it was sent. Callers use the numbers and lists in their reply. */
export type RequestIssue =
  | { readonly field: 'input'; readonly problem: 'empty' }
  | { readonly field: NumberParameter; readonly problem: 'not-a-number' | 'not-an-integer' }
  | { readonly field: NumberParameter; readonly problem: 'out-of-range'; readonly min: number; readonly max: number }
  | { readonly field: 'responseFormat'; readonly problem: 'unsupported'; readonly allowed: readonly string[] };

export type RequestWarning = ReturnType<typeof requestWarnings>[number];

/** Requests with problems are never sent: the service would reject them. Number ranges apply even to parameters that a model ignores. */
export function requestIssues(request: SpeechRequest): RequestIssue[] {
  const issues: RequestIssue[] = [];
  if (request.input.trim() === '') issues.push({ field: 'input', problem: 'empty' });
  for (const field of NUMBER_PARAMETERS) {
    const value = request[field];
    if (value === undefined) continue;
    const { min, max, integer } = NUMBER_RANGES[field];
    if (!Number.isFinite(value)) issues.push({ field, problem: 'not-a-number' });
    else if (integer && !Number.isInteger(value)) issues.push({ field, problem: 'not-an-integer' });
    else if (value < min || value > max) issues.push({ field, problem: 'out-of-range', min, max });
  }
  const allowed = formatsOf(request.voice);
  if (request.responseFormat !== undefined && !allowed.includes(request.responseFormat)) {
    issues.push({ field: 'responseFormat', problem: 'unsupported', allowed });
  }
  return issues;
}

/** A voice's own list of formats overrides the table of models, because a service may support more formats. */
export const formatsOf = ({ formats, model }: VoiceSelection): readonly string[] =>
  formats ?? modelRules(model).formats;

/** Asks for WAV if no format is named and the voice offers it: MP3 has to be encoded and decoded before it plays. */
export const preferringWav = (request: SpeechRequest): SpeechRequest =>
  request.responseFormat === undefined && formatsOf(request.voice).includes('wav')
    ? { ...request, responseFormat: 'wav' }
    : request;

function supports({ model, ignoresStyle }: VoiceSelection, field: Parameter): boolean {
  return modelRules(model)[field] && !(field === 'style' && ignoresStyle);
}

export const takesSpeed = (request: SpeechRequest): boolean =>
  requestsOf(request).every(({ voice: { model } }) => {
    const { known, speed } = modelRules(model);
    return known && speed;
  });

/** Returns one request per passage of the text, without a format that the passage's voice cannot produce. */
export function requestsOf({ passages, ...request }: SpeechRequest): readonly SpeechRequest[] {
  if (!passages) return [request];
  const { responseFormat, ...rest } = request;
  return passages.map(({ input, voice, language }) => ({
    ...rest,
    input: input.trim(),
    voice,
    language,
    responseFormat: responseFormat && formatsOf(voice).includes(responseFormat) ? responseFormat : undefined,
  }));
}

export function requestWarnings(asked: SpeechRequest) {
  const [first = [], ...others] = requestsOf(asked).map(warningsOf);
  return first.filter(({ field }) => others.every((warnings) => warnings.some((warning) => warning.field === field)));
}

function warningsOf({ voice, ...request }: SpeechRequest) {
  const model = modelRules(voice.model).id;
  return PARAMETERS.filter(
    (field) => request[field] !== undefined && request[field] !== '' && !supports(voice, field),
  ).map((field) => ({
    field,
    model,
  }));
}

export function sentStyle({ voice, style }: SpeechRequest): string | undefined {
  return style && supports(voice, 'style') ? style : undefined;
}

export function requestCharacters(request: SpeechRequest): number {
  return countedCharacters(request.voice.model, request.input, sentStyle(request));
}

export const billsStyle = (request: SpeechRequest): boolean => requestCharacters(request) > request.input.length;

/** Omits null and parameters that the model ignores: the service rejects null, and may answer ignored parameters with status 400. */
export function toWire(request: SpeechRequest): WireSpeechRequest {
  const { voice } = request;
  const style = sentStyle(request);
  const body: WireSpeechRequest = { input: request.input };
  if (voice.kind === 'id') body.voiceId = voice.voiceId;
  else Object.assign(body, { voice: voice.voice, model: canonicalModelId(voice.model) });
  if (style !== undefined) body.style = style;
  for (const field of NUMBER_PARAMETERS) {
    if (request[field] !== undefined && supports(voice, field)) body[field] = request[field];
  }
  if (request.responseFormat !== undefined) body.response_format = request.responseFormat;
  if (request.language !== undefined && voice.takesLanguage) body.language = request.language;
  return body;
}

/**
 * Keeps one of several voices with the same name, gender and accent. All known models count as one engine. Voices of
 * different engines all stay, because equal names may belong to different people.
 */
export function oneOfEachName(voices: readonly Voice[]): Voice[] {
  const known = new Set<string>();
  return voices.filter(({ name, model, language, gender, accent }) => {
    if (gender === undefined && accent === undefined) return true;
    const engine = modelRules(model).known ? '' : model;
    // An accent such as 'Scottish' implies the language, so the language distinguishes only voices without an accent.
    return known.size < known.add([name, gender, accent ?? language, engine].join('\n')).size;
  });
}

/** Voices with the name of another voice before them in the list: the bot shows their model beside the name. */
export function variantsIn(voices: readonly Voice[]): ReadonlySet<Voice> {
  const names = new Set<string>();
  return new Set(voices.filter(({ name }) => names.size === names.add(name).size));
}

/** How a voice sounds, in English: 'female, American'. Empty if its service does not say. */
export const soundOf = ({ gender, accent }: Voice): string => [gender ?? [], accent ?? []].flat().join(', ');

export const nameWithModel = ({ name, model }: Pick<Voice, 'name' | 'model'>): string => `${name} (${model})`;
