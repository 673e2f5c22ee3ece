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
  type TagSyntax,
} from './interface/models.ts';
import type { Voice, WireSpeechRequest } from './interface/schemas.ts';

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

/** All options that a voice may have, in the order in which replies list them. */
const VOICE_OPTIONS = [...PARAMETERS, 'tags'] as const;
type VoiceOption = (typeof VOICE_OPTIONS)[number];

export const tagsOf = (voice: Voice): TagSyntax => modelRules(voice.model).tags;

export function knownOptions(voice: Voice): readonly VoiceOption[] {
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
  readonly language?: string;
}

/** How a text is to be spoken. Options that the voice's model does not use are not sent. */
export type SpeechOptions = { readonly [Name in NumberParameter]?: number } & {
  readonly style?: string;
  readonly responseFormat?: AudioFormat;
};

export type SpeechRequest = SpeechOptions & {
  readonly input: string;
  readonly voice: VoiceSelection;
  /** The input in passages of one voice each, sent as separate requests; `voice` is the first passage's voice. */
  readonly passages?: readonly Passage[];
  /** The language of the text (ISO 639-1), if it has only one. Sent only for voices with `takesLanguage`. */
  readonly language?: string;
};

export type RequestField = Exclude<keyof SpeechRequest, 'passages' | 'language'> | 'voiceId' | 'model';

/** Why a speech request was rejected before it was sent. Callers use the numbers and lists in their reply. */
export type RequestIssue =
  | {
      readonly field: RequestField;
      readonly problem: 'empty' | 'not-a-number' | 'not-an-integer';
    }
  | { readonly field: RequestField; readonly problem: 'out-of-range'; readonly min: number; readonly max: number }
  | { readonly field: 'responseFormat'; readonly problem: 'unsupported'; readonly allowed: readonly string[] };

export interface RequestWarning {
  readonly field: Parameter;
  readonly model: string;
}

/** Requests with problems are never sent, because the service would reject them. Ranges apply to every model. */
export function requestIssues(request: SpeechRequest): RequestIssue[] {
  const issues: RequestIssue[] = [];
  if (request.input.trim() === '') issues.push({ field: 'input', problem: 'empty' });
  if (request.voice.kind === 'id') {
    if (request.voice.voiceId.trim() === '') issues.push({ field: 'voiceId', problem: 'empty' });
  } else {
    if (request.voice.voice.trim() === '') issues.push({ field: 'voice', problem: 'empty' });
    if (request.voice.model.trim() === '') issues.push({ field: 'model', problem: 'empty' });
  }
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

export function requestWarnings(asked: SpeechRequest): RequestWarning[] {
  const [first = [], ...others] = requestsOf(asked).map(warningsOf);
  return first.filter(({ field }) => others.every((warnings) => warnings.some((warning) => warning.field === field)));
}

function warningsOf({ voice, ...request }: SpeechRequest): RequestWarning[] {
  const model = modelRules(voice.model).id;
  return PARAMETERS.filter((field) => isSet(request[field]) && !supports(voice, field)).map((field) => ({
    field,
    model,
  }));
}

export function sentStyle({ voice, style }: SpeechRequest): string | undefined {
  return isSet(style) && supports(voice, 'style') ? style : undefined;
}

export function requestCharacters(request: SpeechRequest): number {
  return countedCharacters(request.voice.model, request.input, sentStyle(request));
}

export const billsStyle = (request: SpeechRequest): boolean => requestCharacters(request) > request.input.length;

/** The service rejects null, and may answer parameters that the model ignores with status 400. */
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

function isSet<T>(value: T | undefined): value is T {
  return value !== undefined && value !== '';
}
