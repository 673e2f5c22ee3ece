import type { Logger } from 'pino';
import * as z from 'zod';
import { lettersByScript } from '../../language/detection.ts';
import { unspeakableWords, writtenWords } from '../../language/speakable-words.ts';
import { countedCharacters, spokenText } from '../../speech/interface/models.ts';
import { parseJson, speechRequestSchema, type Voice, type WireSpeechRequest } from '../../speech/interface/schemas.ts';
import type { KeyStore, Ledger } from '../store/account.ts';
import { EngineError, plainJob, type SynthesisJob, type SynthesizedAudio } from '../synthesis/engine.ts';
import { type ApiErrorCode, SpeechApiError } from './api-error.ts';
import { type Engines, mayBePaid, othersMeet, type Speaker } from './engines.ts';

/** Tests set these faults while the service runs. A counter is the number of coming requests that it affects. */
export function noFaults() {
  return {
    latencyMs: 0,
    unavailable: 0,
    quota: 0,
    noCredits: 0,
    /** How many of the next speech requests fail with 500 after their credits were reserved, and are refunded. */
    serverError: 0,
    contentPolicy: 0,
    /** How many of the next speech requests are synthesized and billed, but get no answer, because the service closes the connection. */
    dropAfterBilling: 0,
    /** Milliseconds that an answer is held back after its charge. */
    billedLatencyMs: 0,
    /** How many of the next API requests get an HTML page with status 502, as from a gateway in front of the service. */
    html: 0,
    /** How many of the next audio downloads break off after half of the first chunk. */
    cutAudio: 0,
    /** How many of the next audio downloads get status 404, as from a host that does not have the audio yet. */
    missingAudio: 0,
    redirectedAudio: 0,
    /** The maximum speed of an audio download in bytes per second; 0 means unlimited. */
    audioBytesPerSecond: 0,
    audioLatencyMs: 0,
  };
}

export type ServiceFaults = ReturnType<typeof noFaults>;
const AMOUNTS = ['latencyMs', 'billedLatencyMs', 'audioBytesPerSecond', 'audioLatencyMs'] as const;
type FaultCounter = Exclude<keyof ServiceFaults, (typeof AMOUNTS)[number]>;

export function takeFault(faults: ServiceFaults, counter: FaultCounter): boolean {
  if (!(faults[counter] > 0)) return false;
  faults[counter] -= 1;
  return true;
}

const counter = z.union([z.int().min(0), z.literal('always').transform(() => Number.POSITIVE_INFINITY)]);
const amount = z.number().min(0).max(3_600_000);
const schemaOf = (name: string) => (AMOUNTS.some((one) => one === name) ? amount : counter);

/** Over HTTP, the counter of a fault may also be the word `always`. */
export const faultsSchema = z
  .strictObject(Object.fromEntries(Object.keys(noFaults()).map((name) => [name, schemaOf(name)])))
  .partial();

export interface ServerContext {
  engines: Engines;
  ledger: Ledger;
  faults: ServiceFaults;
  /** Keeps audio and returns its download path. `onCut` is called if the rest of the audio never comes. */
  store(audio: SynthesizedAudio, onCut: (error: unknown) => void): string;
  keys: KeyStore;
  /** Aborted when the speech service ends: running requests stop, and are refunded unless an engine may bill them. */
  closing: AbortSignal;
  log: Logger;
}

interface SpeechCall {
  readonly body: string;
  readonly requestId: string;
  readonly keyId: string;
  readonly signal: AbortSignal;
}

/** A failure refunds the reserved credits, unless an engine with a price may have billed the text. */
export async function generateSpeech(context: ServerContext, call: SpeechCall) {
  const { engines, faults } = context;
  const checked = checkSpeechRequest(call.body, engines);
  const { wire, asked, format } = checked;
  const wanted = {
    text: spokenText(wire.input, asked.voice.rules.tags),
    format,
    characters: billedCharacters(asked.voice, wire),
    areKanji: wire.language === 'ja',
  };
  const first = engines.speakerFor(asked, wanted);
  if (first === undefined) {
    throw refuse('voice_not_found', 'The engine of this voice is down at the moment.', voiceField(wire));
  }
  mustBeSpeakable(first, wire);
  refuseByFault(faults, asked.voice.model);
  let speaker = first;
  for (let wasAskedTwice = false; ; ) {
    try {
      return await speakWith(context, speaker, checked, call);
    } catch (error) {
      const isOver = !(error instanceof EngineError) || mayBePaid(error, speaker) || call.signal.aborted;
      // If the answer of an engine without a price is lost, the text is sent again, but only once: other texts wait.
      if (!isOver && isLost(error) && !wasAskedTwice) {
        wasAskedTwice = true;
        continue;
      }
      const isAsked = speaker.state === asked.state;
      const other = !isOver && isAsked && othersMeet(error) ? engines.fallbackFor(asked, wanted) : undefined;
      if (other === undefined) throw asApiError(error, speaker, call.signal);
      context.log.warn(
        { engine: asked.state.entry.name, err: error },
        'A speech engine failed: trying its fallback engine',
      );
      speaker = other;
      wasAskedTwice = false;
    }
  }
}

const refuse = (code: ApiErrorCode, message: string, param: string | null = null): SpeechApiError =>
  new SpeechApiError(code, message, { param });

const voiceField = ({ voiceId }: WireSpeechRequest): string => (voiceId === undefined ? 'voice' : 'voiceId');

const API_CODES: Readonly<Record<EngineError['kind'], ApiErrorCode>> = {
  down: 'provider_unavailable',
  // Only the operator can replace an API key that the engine rejects. After `server_error`, clients do not repeat the request.
  refused: 'server_error',
  busy: 'provider_unavailable',
  unavailable: 'provider_unavailable',
  quota: 'provider_quota_exceeded',
  rejected: 'invalid_request',
  policy: 'content_policy_violation',
  failed: 'server_error',
};

function asApiError(error: unknown, speaker: Speaker, signal: AbortSignal): unknown {
  if (!(error instanceof EngineError)) return error;
  const { kind, message, retryAfterMs } = error;
  if (mayBePaid(error, speaker)) {
    return new SpeechApiError(null, `${message} It may have billed this text.`, { cause: error });
  }
  if (signal.aborted) return signal.reason;
  // The engine's answer was lost twice, so the code is `server_error`, after which clients do not repeat the request.
  return new SpeechApiError(isLost(error) ? 'server_error' : API_CODES[kind], message, {
    headers: retryAfterMs === undefined ? {} : { 'Retry-After': String(Math.ceil(retryAfterMs / 1000)) },
    cause: error,
  });
}

/** True if the engine got the text, but its answer never came. */
const isLost = ({ kind, mayBeBilled }: EngineError): boolean => kind === 'unavailable' && mayBeBilled;

async function speakWith(
  { engines, ledger, faults, store, log }: ServerContext,
  speaker: Speaker,
  { wire, format, asked }: ReturnType<typeof checkSpeechRequest>,
  { requestId, keyId, signal }: SpeechCall,
) {
  const { voice, state } = speaker;
  const { entry } = state;
  // A fallback engine would read tags such as `[laughs]` aloud, so they are removed.
  const input = voice === asked.voice ? wire.input : spokenText(wire.input, asked.voice.rules.tags);
  const inputCharacters = billedCharacters(voice, wire);
  // Credits are rounded up to whole numbers. The small offset absorbs rounding errors of prices such as 0.1.
  const amount = Math.ceil(inputCharacters * entry.creditsPerCharacter - 1e-6);
  const order = { requestId, keyId, amount, model: voice.model, voice: voice.name };
  if (takeFault(faults, 'noCredits') || !ledger.reserve(order)) {
    const cost = amount.toLocaleString('en-US');
    throw refuse('insufficient_credits', `This request costs ${cost} credits, more than the account has left.`);
  }
  try {
    if (takeFault(faults, 'serverError')) throw refuse('server_error', 'Something went wrong on our side.');
    const job = toJob({ ...wire, input }, voice, format);
    const audio = await engines.synthesize(state, job, signal);
    if (signal.aborted) {
      // The client has disconnected, or the service is ending, so the speech request is not billed.
      audio.rest?.cancel();
      throw signal.reason;
    }
    const path = store(audio, (error) => {
      const outcome = entry.costsMoney ? 'credits stay charged' : 'credits are refunded';
      log.warn({ requestId, engine: entry.name, err: error }, `A speech engine's audio broke off: ${outcome}`);
      try {
        ledger.close(requestId, entry.costsMoney ? 'lost' : 'refunded');
      } catch (failure) {
        log.error({ requestId, err: failure }, 'Could not record that audio broke off: no refund follows');
      }
    });
    const answer = {
      credits_used: amount,
      credits_remaining: ledger.settle(requestId),
      usage: { input_characters: inputCharacters, model: voice.modelThatRuns },
      spoken_by: voice.id === asked.voice.id ? undefined : voice.id,
    };
    return { path, answer, isDropped: takeFault(faults, 'dropAfterBilling') };
  } catch (error) {
    ledger.close(requestId, mayBePaid(error, speaker) ? 'lost' : 'refunded');
    throw error;
  }
}

/** Before credits are reserved, rejects a text in which even one word has letters that the voice or its engine cannot read. */
function mustBeSpeakable({ voice, state }: Speaker, { input, language }: WireSpeechRequest): void {
  const isServed = voice.serverVoice !== undefined;
  const languages = isServed ? voice.languages : state.entry.engine.languages;
  if (languages === undefined) return;
  const written = writtenWords(spokenText(input, voice.rules.tags));
  const words = unspeakableWords(written, languages, language === 'ja');
  if (words.length === 0) return;
  const scripts = [...lettersByScript(words.join(' ')).keys()].map((script) => (script === 'Han' ? 'kanji' : script));
  const named = scripts.join(', ') || 'an unknown script';
  const reader = isServed ? 'This voice does not read' : 'No voice here reads';
  throw refuse('unsupported_language', `${reader} what is written in ${named}.`, 'input');
}

function refuseByFault(faults: ServiceFaults, model: string): void {
  if (takeFault(faults, 'unavailable')) {
    throw refuse('provider_unavailable', 'The speech provider is not available at the moment.');
  }
  if (takeFault(faults, 'quota')) {
    throw refuse('provider_quota_exceeded', `The provider's quota for ${model} is used up for now.`);
  }
  if (takeFault(faults, 'contentPolicy')) {
    throw refuse('content_policy_violation', 'The provider refuses to speak this text.', 'input');
  }
}

/** Parameters that the voice's model ignores are left out, so that they never change the audio. */
function toJob(wire: WireSpeechRequest, voice: Speaker['voice'], format: SynthesisJob['format']): SynthesisJob {
  const { rules, timbre, serverVoice } = voice;
  return {
    ...plainJob(wire.input, voice.name),
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

/** Checks a request in the API document's order: JSON, schema, voice, model, length, format. Reports only the first problem. */
function checkSpeechRequest(body: string, engines: Engines) {
  const given = parse(body);
  const asked = findVoice(given, engines);
  const { model, rules, supports_style: takesStyle } = asked.voice;
  // A style that the requested voice ignores is dropped, so that a fallback engine ignores it, too.
  const wire = takesStyle ? given : { ...given, style: undefined };
  const characters = billedCharacters(asked.voice, wire);
  if (characters > rules.maxInputLength) {
    const how = characters > wire.input.length ? ' with style' : '';
    const message = `input is ${characters} characters long${how}; ${model} takes at most ${rules.maxInputLength}.`;
    throw refuse('input_too_long', message, 'input');
  }
  const format = wire.response_format ?? rules.formats[0];
  if (!rules.formats.includes(format)) {
    const message = `${model} does not make ${format}; supported: ${rules.formats.join(', ')}.`;
    throw refuse('unsupported_response_format', message, 'response_format');
  }
  return { wire, asked, format };
}

const billedCharacters = ({ model, supports_style }: Voice, { input, style }: WireSpeechRequest): number =>
  countedCharacters(model, input, supports_style ? style : undefined);

function parse(body: string): WireSpeechRequest {
  const json = parseJson(body);
  if (json === undefined) throw refuse('invalid_request', 'The request body is not valid JSON.');
  const { data, error } = speechRequestSchema.safeParse(json);
  if (error) {
    const [issue] = error.issues;
    if (issue?.code === 'unrecognized_keys') {
      const name = issue.keys[0] ?? '';
      throw refuse('invalid_request', `Unknown field: ${name}`, name);
    }
    const param = issue?.path.map(String).join('.') || null;
    const message = issue?.message ?? 'Invalid request.';
    const named = param === null || message.startsWith(param) ? message : `${param}: ${message}`;
    throw refuse('invalid_request', named, param);
  }
  if (data.input.trim() === '') throw refuse('invalid_request', 'input must contain something to speak', 'input');
  return data;
}

function findVoice({ voiceId, voice: name, model = '' }: WireSpeechRequest, engines: Engines): Speaker {
  if (voiceId !== undefined) {
    // Voice ids are compared in lower case, because UUIDs are case-insensitive.
    const id = voiceId.toLowerCase();
    const [found] = engines.find((voice) => voice.id === id);
    if (found) return found;
    throw refuse('voice_not_found', 'There is no voice with this voiceId.', 'voiceId');
  }
  const sameName = engines.find((voice) => voice.name === name);
  if (sameName.length === 0) throw refuse('voice_not_found', 'There is no voice with this name.', 'voice');
  if (!engines.hasModel(model)) throw refuse('model_not_found', 'There is no model with this id.', 'model');
  const found = sameName.find(({ voice }) => voice.model === model);
  if (found) return found;
  throw refuse('voice_not_found', `${model} has no voice with this name.`, 'voice');
}
