import type { Logger } from 'pino';
import { lettersByScript } from '../../language/scripts.ts';
import { unspeakableWords, writtenWords } from '../../language/speakable-words.ts';
import { countedCharacters } from '../../speech/interface/models.ts';
import { speechRequestSchema, type Voice, type WireSpeechRequest } from '../../speech/interface/schemas.ts';
import { spokenText } from '../../speech/interface/tags.ts';
import type { KeyStore } from '../store/keys.ts';
import type { Ledger } from '../store/ledger.ts';
import { EngineError, type SynthesisJob, type SynthesizedAudio } from '../synthesis/engine.ts';
import { type ApiErrorCode, SpeechApiError } from './api-error.ts';
import { type Engines, mayBePaid, type Speaker } from './engines.ts';
import { type ServiceFaults, takeFault } from './faults.ts';

/** Shared by the servers of the API and of the dashboard. */
export interface ServerContext {
  engines: Engines;
  ledger: Ledger;
  faults: ServiceFaults;
  /** Keeps audio and returns the path it is found under. `onCut` is called where the rest of it does not come. */
  store(audio: SynthesizedAudio, onCut: (error: unknown) => void): string;
  keys: KeyStore;
  /** Aborted when the service ends; requests under way are then given up, and refunded unless they may be billed. */
  closing: AbortSignal;
  log: Logger;
}

interface SpeechCall {
  readonly body: string;
  readonly requestId: string;
  readonly keyId: string;
  readonly signal: AbortSignal;
}

/**
 * Checks, reserves, synthesizes and settles one request. Any failure gives the credits back, unless an engine with a
 * price may have billed it.
 */
export async function generateSpeech(context: ServerContext, call: SpeechCall) {
  const { engines, faults } = context;
  const checked = checkSpeechRequest(call.body, engines);
  const { wire, asked, format } = checked;
  const { rules } = asked.voice;
  const characters = billedCharacters(asked.voice, wire);
  const text = spokenText(wire.input, rules.tags);
  const wanted = { text, format, characters, areKanji: wire.language === 'ja' };
  const first = engines.speakerFor(asked, wanted);
  if (first === undefined) {
    throw new SpeechApiError('voice_not_found', 'The engine of this voice is down at the moment.', {
      param: wire.voiceId === undefined ? 'voice' : 'voiceId',
    });
  }
  mustBeSpeakable(first, checked);
  refuseByFault(faults, checked);
  try {
    return await speakUpToTwice(context, first, checked, call);
  } catch (error) {
    const isAsked = first.state === asked.state;
    const other = isAsked && error instanceof EngineError ? engines.speakerAfter(asked, error, wanted) : undefined;
    if (other === undefined) throw asApiError(error, first, call);
    return await speakUpToTwice(context, other, checked, call).catch((failure: unknown) => {
      throw asApiError(failure, other, call);
    });
  }
}

const API_CODES: Readonly<Record<EngineError['kind'], ApiErrorCode>> = {
  down: 'provider_unavailable',
  // Retries are useless before the operator has acted.
  refused: 'server_error',
  busy: 'provider_unavailable',
  unavailable: 'provider_unavailable',
  quota: 'provider_quota_exceeded',
  rejected: 'invalid_request',
  policy: 'content_policy_violation',
  failed: 'server_error',
};

function asApiError(error: unknown, speaker: Speaker, { signal }: SpeechCall): unknown {
  if (!(error instanceof EngineError)) return error;
  const { kind, message, retryAfterMs } = error;
  if (mayBePaid(error, speaker)) {
    return new SpeechApiError(null, `${message} It may have billed this text.`, { cause: error });
  }
  if (signal.aborted) return signal.reason;
  // It was asked twice for an answer that was lost: clients are not to go on with it.
  return new SpeechApiError(isLost(error) ? 'server_error' : API_CODES[kind], message, {
    headers: retryAfterMs === undefined ? {} : { 'Retry-After': String(Math.ceil(retryAfterMs / 1000)) },
    cause: error,
  });
}

/** It was sent the text, and its answer did not come. */
const isLost = ({ kind, mayBeBilled }: EngineError): boolean => kind === 'unavailable' && mayBeBilled;

/**
 * If the engine bills nothing, a lost answer is requested a second time, but no third time: others wait for the engine.
 */
async function speakUpToTwice(...order: Parameters<typeof speakWith>): ReturnType<typeof speakWith> {
  const [, speaker, , { signal }] = order;
  try {
    return await speakWith(...order);
  } catch (error) {
    const mayBeAskedAgain = error instanceof EngineError && isLost(error) && !mayBePaid(error, speaker);
    if (!mayBeAskedAgain || signal.aborted) throw error;
    return speakWith(...order);
  }
}

async function speakWith(
  { engines, ledger, faults, store, log }: ServerContext,
  speaker: Speaker,
  { wire, format, asked }: CheckedSpeechRequest,
  { requestId, keyId, signal }: SpeechCall,
) {
  const { voice, state } = speaker;
  const { entry } = state;
  // A server would read the tags of the voice that it speaks for.
  const input = voice === asked.voice ? wire.input : spokenText(wire.input, asked.voice.rules.tags);
  const inputCharacters = billedCharacters(voice, wire);
  // Credits are whole; what is not is rounded up, but for the errors of fractions such as 0.1.
  const amount = Math.ceil(inputCharacters * entry.creditsPerCharacter - 1e-6);
  const order = { requestId, keyId, amount, model: voice.model, voice: voice.name };
  if (takeFault(faults, 'noCredits') || !ledger.reserve(order)) {
    throw new SpeechApiError(
      'insufficient_credits',
      `This request costs ${amount.toLocaleString('en-US')} credits, more than the account has left.`,
    );
  }
  try {
    if (takeFault(faults, 'serverError')) throw new SpeechApiError('server_error', 'Something went wrong on our side.');
    const audio = await engines.synthesize(state, toJob({ ...wire, input }, voice, format), {
      owner: keyId ?? 'dashboard',
      signal,
    });
    if (signal.aborted) {
      // A request whose client is gone is not billed.
      audio.rest?.cancel();
      throw signal.reason;
    }
    const path = store(audio, (error) => {
      const isKept = entry.costsMoney;
      const outcome = isKept ? 'it may have billed the text' : 'the credits are given back';
      log.warn({ requestId, engine: entry.name, err: error }, `The engine broke off: ${outcome}`);
      try {
        if (isKept) ledger.markLost(requestId);
        else ledger.giveBack(requestId);
      } catch (failure) {
        log.error({ requestId, err: failure }, 'Could not correct the charge');
      }
    });
    const creditsRemaining = ledger.settle(requestId);
    return {
      path,
      creditsUsed: amount,
      creditsRemaining,
      inputCharacters,
      model: voice.modelThatRuns,
      spokenBy: voice.id === asked.voice.id ? undefined : voice.id,
      /** The connection is to be closed without an answer although the credits are gone. */
      drop: takeFault(faults, 'dropAfterBilling'),
    };
  } catch (error) {
    if (mayBePaid(error, speaker)) ledger.settleLost(requestId);
    else ledger.refund(requestId);
    throw error;
  }
}

/** Before anything is reserved: an engine would spell the letters of these words one by one. */
function mustBeSpeakable({ voice, state }: Speaker, { wire }: CheckedSpeechRequest): void {
  const languages = voice.serverVoice === undefined ? state.entry.engine.languages : voice.languages;
  if (languages === undefined) return;
  const written = writtenWords(spokenText(wire.input, voice.rules.tags));
  const words = unspeakableWords(written, languages, wire.language === 'ja');
  if (words.length === 0) return;
  const scripts = [...lettersByScript(words.join(' ')).keys()].map((script) => (script === 'Han' ? 'kanji' : script));
  const named = scripts.length > 0 ? scripts.join(', ') : 'an unknown script';
  const reader = voice.serverVoice === undefined ? 'No voice here reads' : 'This voice does not read';
  throw new SpeechApiError('unsupported_language', `${reader} what is written in ${named}.`, { param: 'input' });
}

function refuseByFault(faults: ServiceFaults, { model }: CheckedSpeechRequest): void {
  if (takeFault(faults, 'unavailable')) {
    throw new SpeechApiError('provider_unavailable', 'The speech provider is not available at the moment.');
  }
  const quotaApplies = faults.quotaModels.length === 0 || faults.quotaModels.includes(model);
  if (quotaApplies && takeFault(faults, 'quota')) {
    throw new SpeechApiError('provider_quota_exceeded', `The provider's quota for ${model} is used up for now.`);
  }
  if (takeFault(faults, 'contentPolicy')) {
    throw new SpeechApiError('content_policy_violation', 'The provider refuses to speak this text.', {
      param: 'input',
    });
  }
}

/** Parameters that the model ignores are left out, so that they cannot change a byte. */
function toJob(
  wire: CheckedSpeechRequest['wire'],
  voice: Speaker['voice'],
  format: SynthesisJob['format'],
): SynthesisJob {
  const { rules, timbre, serverVoice } = voice;
  return {
    text: wire.input,
    voiceName: voice.name,
    serverVoice,
    timbre,
    tags: rules.tags,
    multilingual: voice.language === 'multiple',
    format,
    sampleRateHz: voice.model === 'gpro38' ? 44_100 : 24_000,
    speed: rules.speed ? (wire.speed ?? 1) : 1,
    style: rules.style ? wire.style : undefined,
    seed: rules.seed ? wire.seed : undefined,
    temperature: rules.temperature ? wire.temperature : undefined,
    language: voice.takes_language ? wire.language : undefined,
  };
}

/** A request that may be synthesized, with everything derived that it needs. */
type CheckedSpeechRequest = ReturnType<typeof checkSpeechRequest>;

/** Refuses in the documented order: JSON, schema (its first problem only), voice, model, length, format. */
function checkSpeechRequest(body: string, engines: Engines) {
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
const billedCharacters = ({ model, supports_style }: Voice, { input, style }: WireSpeechRequest): number =>
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
