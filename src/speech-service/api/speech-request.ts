import { countedCharacters, isKnownModelId, modelRules } from '../../speech/interface/models.ts';
import { speechRequestSchema, type WireSpeechRequest } from '../../speech/interface/schemas.ts';
import { SpeechApiError } from './api-error.ts';
import { type CatalogueVoice, findVoiceById, VOICES } from './catalogue.ts';

/** A request that may be synthesised, with everything derived that it needs. */
export type CheckedSpeechRequest = ReturnType<typeof checkSpeechRequest>;

/** Refuses in the documented order: JSON, schema (its first problem only), voice, model, length, format. */
export function checkSpeechRequest(body: string) {
  const wire = parse(body);
  const voice = findVoice(wire);
  const rules = modelRules(voice.model);
  /** Counted toward the limit and billed. */
  const inputCharacters = countedCharacters(voice.model, wire.input, wire.style);
  if (inputCharacters > rules.maxInputLength) {
    throw new SpeechApiError(
      'input_too_long',
      `input is ${inputCharacters} characters long${inputCharacters > wire.input.length ? ' with style' : ''}; ${voice.model} takes at most ${rules.maxInputLength}.`,
      { param: 'input' },
    );
  }
  const format = wire.response_format ?? rules.defaultFormat;
  if (!rules.formats.includes(format)) {
    throw new SpeechApiError(
      'unsupported_response_format',
      `${voice.model} does not make ${format}; supported: ${rules.formats.join(', ')}.`,
      { param: 'response_format' },
    );
  }
  return { wire, voice, model: voice.model, format, inputCharacters };
}

function parse(body: string): WireSpeechRequest {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    throw new SpeechApiError('invalid_request', 'The request body is not valid JSON.');
  }
  const result = speechRequestSchema.safeParse(json);
  if (!result.success) {
    const issue = result.error.issues[0];
    if (issue?.code === 'unrecognized_keys') {
      const name = issue.keys[0] ?? '';
      throw new SpeechApiError('invalid_request', `Unknown field: ${name}`, { param: name });
    }
    const param = issue?.path.map(String).join('.') || null;
    const message = issue?.message ?? 'Invalid request.';
    const named = param === null || message.startsWith(param) ? message : `${param}: ${message}`;
    throw new SpeechApiError('invalid_request', named, { param });
  }
  if (result.data.input.trim() === '') {
    throw new SpeechApiError('invalid_request', 'input must contain something to speak', { param: 'input' });
  }
  return result.data;
}

function findVoice(wire: WireSpeechRequest): CatalogueVoice {
  if (wire.voiceId !== undefined) {
    const voice = findVoiceById(wire.voiceId);
    if (voice !== undefined) return voice;
    throw new SpeechApiError('voice_not_found', 'There is no voice with this voiceId.', { param: 'voiceId' });
  }
  // Names are exact and case-sensitive.
  const sameName = VOICES.filter(({ name }) => name === wire.voice);
  if (sameName.length === 0) {
    throw new SpeechApiError('voice_not_found', 'There is no voice with this name.', { param: 'voice' });
  }
  const model = wire.model ?? '';
  if (!isKnownModelId(model)) {
    throw new SpeechApiError('model_not_found', 'There is no model with this id.', { param: 'model' });
  }
  const voice = sameName.find((candidate) => candidate.model === model);
  if (voice === undefined) {
    throw new SpeechApiError('voice_not_found', `${model} has no voice with this name.`, { param: 'voice' });
  }
  return voice;
}
