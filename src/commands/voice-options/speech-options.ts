import type { ChatInputCommandInteraction } from 'discord.js';
import { quote, voiceName, voiceWithModel } from '../../discord/replies/quote.ts';
import { UserError } from '../../errors/user-errors.ts';
import { modelRules, NUMBER_RANGES, RESPONSE_FORMATS } from '../../speech/interface/models.ts';
import type { Voice } from '../../speech/interface/schemas.ts';
import {
  formatsOf,
  knownOptions,
  listedVoice,
  requestIssues,
  requestWarnings,
  type SpeechOptions,
  type SpeechRequest,
} from '../../speech/request.ts';
import { type Text, text } from '../../texts/catalog.ts';
import { numberOption, type OptionDefinition, stringOption } from '../framework/options.ts';
import { formatList } from './voice-option.ts';

/** The style counts toward some models' limit on the text's length. */
const STYLE_CHARACTERS = 200;

export const MANNER_OPTIONS: readonly OptionDefinition[] = [
  stringOption('style', 'say.style', { maxLength: STYLE_CHARACTERS }),
  numberOption('speed', 'say.speed', NUMBER_RANGES.speed),
  numberOption('temperature', 'say.temperature', NUMBER_RANGES.temperature),
];

export const SPEECH_OPTIONS: readonly OptionDefinition[] = [
  ...MANNER_OPTIONS,
  numberOption('seed', 'say.seed', NUMBER_RANGES.seed),
  stringOption('format', 'say.format', { choices: RESPONSE_FORMATS.map((value) => ({ name: value, value })) }),
];

export const givenOptions = (options: ChatInputCommandInteraction['options']): SpeechOptions => ({
  style: options.getString('style')?.trim() || undefined,
  speed: options.getNumber('speed') ?? undefined,
  temperature: options.getNumber('temperature') ?? undefined,
  seed: options.getInteger('seed') ?? undefined,
  responseFormat: RESPONSE_FORMATS.find((known) => known === options.getString('format')),
});

/** Throws a UserError. For a missing audio format, it names the models of `usable` voices that have the format. */
export function mustBeAcceptable(request: SpeechRequest, voice: Voice, usable: readonly Voice[]): void {
  const [issue, ...others] = requestIssues(request);
  if (!issue) return;
  const isFormat = [issue, ...others].some(({ problem }) => problem === 'unsupported');
  throw new UserError(isFormat ? refusedFormat(voice, request, usable) : text('speech.invalid-request'));
}

/** Throws a UserError for values that would make all of the member's stored options unreadable. */
export function mustBeInRange(speechOptions: SpeechOptions): void {
  const issues = requestIssues({ input: 'any', voice: { kind: 'id', voiceId: 'any' }, ...speechOptions });
  if (issues.length > 0) throw new UserError(text('speech.invalid-request'));
}

/** Requests with and without the voice's default format then share one cached audio, which is paid for once. */
export function withoutUsualFormat(request: SpeechRequest, voice: Voice): SpeechRequest {
  const { responseFormat, ...rest } = request;
  return responseFormat !== undefined && responseFormat === usualFormat(voice) ? rest : request;
}

/** The audio format that a voice uses if a request names none. Undefined if it is unknown. */
function usualFormat({ formats, model }: Voice): string | undefined {
  const family = modelRules(model);
  if (!family.known) return formats.length === 1 ? formats[0] : undefined;
  // If a voice has undocumented formats, its default may differ from its model's documented one, too.
  return formats.every((format) => family.formats.some((known) => known === format)) ? family.defaultFormat : undefined;
}

function refusedFormat(voice: Voice, { responseFormat }: SpeechRequest, usable: readonly Voice[]): Text {
  const format: string = responseFormat ?? '';
  const makers = usable.filter((other) => formatsOf(listedVoice(other)).includes(format));
  const what = { voice: voiceName(voice), formats: formatList(formatsOf(listedVoice(voice))), format };
  if (makers.length === 0) return text('refused.format', what);
  return text('refused.format-elsewhere', { ...what, models: { anyOf: modelNames(makers) } });
}

const NAMED_MODELS = 4;

export function modelNames(voices: readonly Voice[]): readonly string[] {
  const models = [...new Set(voices.map(({ model }) => model))].slice(0, NAMED_MODELS);
  return models.map((model) => quote(model, 40));
}

/** `takenBy` is a usable voice of the same name that takes all ignored options. It may ignore others. */
export function ignoredBy(voice: Voice, asked: Omit<SpeechRequest, 'input' | 'voice'>, usable: readonly Voice[]) {
  const ignored = (by: Voice) =>
    requestWarnings({ ...asked, input: '', voice: listedVoice(by) }).map(({ field }) => field);
  const fields = ignored(voice);
  if (fields.length === 0) return { lines: [] };
  const takenBy = usable.find(
    (other) =>
      other.name === voice.name &&
      modelRules(other.model).known &&
      !ignored(other).some((field) => fields.includes(field)),
  );
  const what = { voice: voiceName(voice), parameters: { list: fields.map((field) => text(`parameter.${field}`)) } };
  const line = takenBy
    ? text('say.ignored-but-by', { ...what, other: voiceWithModel(takenBy) })
    : text('say.ignored', what);
  return { lines: [line], takenBy };
}

export function optionList(voice: Voice): readonly Text[] {
  return knownOptions(voice).map((option) => text(`parameter.${option}`));
}
