import type { Logger } from 'pino';
import { lettersByScript } from '../../language/scripts.ts';
import { unspeakableWords } from '../../language/speakable-words.ts';
import { modelRules } from '../../speech/interface/models.ts';
import { spokenText } from '../../speech/interface/tags.ts';
import type { KeyStore } from '../store/keys.ts';
import type { Ledger } from '../store/ledger.ts';
import { EngineError, type SpeechEngine, type SynthesisedAudio, type SynthesisJob } from '../synthesis/engine.ts';
import { SpeechApiError } from './api-error.ts';
import { MODELS_THAT_RUN } from './catalogue.ts';
import { type ServiceFaults, takeFault } from './faults.ts';
import { type CheckedSpeechRequest, checkSpeechRequest } from './speech-request.ts';

/** Credits per character. */
const CREDITS_PER_CHARACTER = 1;

/** Shared by the servers of the API and of the dashboard. */
export interface ServerContext {
  engine: SpeechEngine;
  ledger: Ledger;
  faults: ServiceFaults;
  /** Keeps audio and returns the path it is found under. */
  store(audio: SynthesisedAudio): string;
  keys: KeyStore;
  newRequestId(): string;
  /** Aborted when the service ends; requests under way are then given up and refunded. */
  closing: AbortSignal;
  log: Logger;
}

/** Checks, reserves, synthesises and settles one request; whatever goes wrong gives the credits back. */
export async function generateSpeech(
  context: ServerContext,
  request: { body: string; requestId: string; keyId: string | null; signal: AbortSignal },
) {
  const { ledger, faults } = context;
  const checked = checkSpeechRequest(request.body);
  mustBeSpeakable(context.engine, checked);
  refuseByFault(faults, checked);
  const amount = checked.inputCharacters * CREDITS_PER_CHARACTER;
  const { requestId, keyId, signal } = request;
  const order = { requestId, keyId, amount, model: checked.model, voice: checked.voice.name };
  if (takeFault(faults, 'noCredits') || !ledger.reserve(order)) {
    throw new SpeechApiError(
      'insufficient_credits',
      `This request costs ${amount} credits, more than the account has left.`,
    );
  }
  try {
    if (takeFault(faults, 'serverError')) throw new SpeechApiError('server_error', 'Something went wrong on our side.');
    const audio = await synthesise(context.engine, toJob(checked), keyId ?? 'dashboard', signal);
    // A request whose client is gone is not billed.
    signal.throwIfAborted();
    const path = context.store(audio);
    const creditsRemaining = ledger.settle(requestId);
    return {
      path,
      creditsUsed: amount,
      creditsRemaining,
      inputCharacters: checked.inputCharacters,
      model: MODELS_THAT_RUN[checked.model],
      /** The connection is to be closed without an answer although the credits are gone. */
      drop: takeFault(faults, 'dropAfterBilling'),
    };
  } catch (error) {
    ledger.refund(requestId);
    throw error;
  }
}

/** Before anything is reserved: an engine would spell the letters of these words one by one. */
function mustBeSpeakable({ languages }: SpeechEngine, { wire, model }: CheckedSpeechRequest): void {
  if (languages === undefined) return;
  const words = unspeakableWords(spokenText(wire.input, modelRules(model).tags), languages);
  if (words.length === 0) return;
  const scripts = [...lettersByScript(words.join(' ')).keys()].map((script) => (script === 'Han' ? 'kanji' : script));
  const named = scripts.length > 0 ? scripts.join(', ') : 'an unknown script';
  throw new SpeechApiError('unsupported_language', `No voice here reads what is written in ${named}.`, {
    param: 'input',
  });
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
function toJob({ wire, voice, model, format }: CheckedSpeechRequest): SynthesisJob {
  const rules = modelRules(model);
  return {
    text: wire.input,
    voiceName: voice.name,
    timbre: voice.timbre,
    tags: rules.tags,
    multilingual: voice.language === 'multiple',
    format,
    sampleRateHz: model === 'gpro38' ? 44_100 : 24_000,
    speed: rules.speed ? (wire.speed ?? 1) : 1,
    ...(rules.style && wire.style !== undefined && { style: wire.style }),
    ...(rules.seed && wire.seed !== undefined && { seed: wire.seed }),
    ...(rules.temperature && wire.temperature !== undefined && { temperature: wire.temperature }),
  };
}

async function synthesise(engine: SpeechEngine, job: SynthesisJob, owner: string, signal: AbortSignal) {
  try {
    return await engine.synthesise(job, { owner, signal });
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    const code = {
      unavailable: 'provider_unavailable',
      quota: 'provider_quota_exceeded',
      failed: 'server_error',
    } as const;
    throw new SpeechApiError(code[error.kind], error.message, { cause: error });
  }
}
