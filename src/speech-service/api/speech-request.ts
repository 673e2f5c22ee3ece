import { countedCharacters } from '../../speech/interface/models.ts';
import { speechRequestSchema, type Voice, type WireSpeechRequest } from '../../speech/interface/schemas.ts';
import { SpeechApiError } from './api-error.ts';
import type { Engines, Speaker } from './engines.ts';

/** A request that may be synthesised, with everything derived that it needs. */
export type CheckedSpeechRequest = ReturnType<typeof checkSpeechRequest>;

/** Refuses in the documented order: JSON, schema (its first problem only), voice, model, length, format. */
export function checkSpeechRequest(body: string, engines: Engines) {
  const given = parse(body);
  const asked = findVoice(given, engines);
  const { voice } = asked;
  // A style that the voice does not take is ignored, also by what may speak in its place.
  const { style, ...rest } = given;
  const wire: WireSpeechRequest = voice.supports_style && style !== undefined ? given : rest;
  const { rules } = voice;
  const inputCharacters = billedCharacters(voice, wire);
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
  return { wire, asked, model: voice.model, format };
}

/** What a text counts for with this voice: a style that it does not take is ignored, and not billed either. */
export const billedCharacters = ({ model, supports_style }: Voice, { input, style }: WireSpeechRequest): number =>
  countedCharacters(model, input, supports_style ? style : undefined);

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

function findVoice(wire: WireSpeechRequest, engines: Engines): Speaker {
  if (wire.voiceId !== undefined) {
    // UUIDs are compared without regard to case, as UUIDs are.
    const id = wire.voiceId.toLowerCase();
    const [found] = engines.find((voice) => voice.id === id);
    if (found !== undefined) return found;
    throw new SpeechApiError('voice_not_found', 'There is no voice with this voiceId.', { param: 'voiceId' });
  }
  // Names are exact and case-sensitive.
  const sameName = engines.find(({ name }) => name === wire.voice);
  if (sameName.length === 0) {
    throw new SpeechApiError('voice_not_found', 'There is no voice with this name.', { param: 'voice' });
  }
  const model = wire.model ?? '';
  if (!engines.hasModel(model)) {
    throw new SpeechApiError('model_not_found', 'There is no model with this id.', { param: 'model' });
  }
  const found = sameName.find(({ voice }) => voice.model === model);
  if (found === undefined) {
    throw new SpeechApiError('voice_not_found', `${model} has no voice with this name.`, { param: 'voice' });
  }
  return found;
}
