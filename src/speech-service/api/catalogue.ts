import { createHash } from 'node:crypto';
import { type KnownModelId, MODEL_IDS, modelRules } from '../../speech/interface/models.ts';
import type { ModelInfo, Voice } from '../../speech/interface/schemas.ts';
import type { SpeechEngine } from '../synthesis/engine.ts';
import { TIMBRES, type Timbre } from '../synthesis/timbres.ts';

export interface CatalogueVoice extends Voice {
  model: KnownModelId;
  supports_style: boolean;
  timbre: Timbre;
}

const MODEL_NAMES: Readonly<Record<KnownModelId, string>> = {
  gpro: 'Expressive 2.5',
  gpro31: 'Expressive 3.1 Flash',
  gpro38: 'Expressive 3.8 Flash',
  ext: 'Expressive with speech tags',
  orpheus: 'English',
};

/** The value of `usage.model`: the model that really ran, which is opaque to clients. */
export const MODELS_THAT_RUN: Readonly<Record<KnownModelId, string>> = {
  gpro: 'crier-embedded-2.5-tts',
  gpro31: 'crier-embedded-3.1-flash-tts',
  gpro38: 'crier-embedded-3.8-flash-tts',
  ext: 'crier-embedded-ext',
  orpheus: 'crier-embedded-orpheus',
};

/** The same names recur across the gpro families, and two of them in `ext`, so that ambiguity can be tried. */
const GPRO_NAMES = ['aria', 'basil', 'clover', 'dorian', 'ember', 'fable', 'garnet', 'hazel'];
const EXT_NAMES = ['aria', 'ash', 'basil', 'briar', 'cove', 'dune', 'echo', 'flint'];
const ORPHEUS: readonly (readonly [name: string, language: string])[] = [
  ['ivy', 'en-GB 🇬🇧'],
  ['jasper', 'en-US 🇺🇸'],
  ['rowan', 'en-GB 🇬🇧'],
  ['wren', 'en-US 🇺🇸'],
];

export const VOICES: readonly CatalogueVoice[] = [
  ...(['gpro', 'gpro31', 'gpro38'] as const).flatMap((model) => GPRO_NAMES.map((name) => makeVoice(model, name))),
  ...EXT_NAMES.map((name) => makeVoice('ext', name)),
  ...ORPHEUS.map(([name, language]) => makeVoice('orpheus', name, language)),
];

const BY_ID = new Map(VOICES.map((voice) => [voice.id, voice]));

function makeVoice(model: KnownModelId, name: string, language = 'multiple'): CatalogueVoice {
  const rules = modelRules(model);
  const timbre = TIMBRES[name];
  if (timbre === undefined) throw new Error(`The voice ${name} has no timbre.`);
  return {
    id: voiceId(model, name),
    name,
    model,
    language,
    formats: [...rules.formats],
    supports_style: rules.style,
    timbre,
  };
}

/** The same on every machine and in every version: a name-based UUID (RFC 9562, version 5 layout). */
function voiceId(model: string, name: string): string {
  const hex = createHash('sha1').update(`crier speech service voice ${model} ${name}`).digest('hex');
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** UUIDs are compared without regard to case, as UUIDs are. */
export function findVoiceById(id: string): CatalogueVoice | undefined {
  return BY_ID.get(id.toLowerCase());
}

/** The voices as the engine can speak with them. `languages` is a field that the interface does not have. */
export function voicesBody({ languages, takesStyle }: Pick<SpeechEngine, 'languages' | 'takesStyle'>): {
  data: Voice[];
} {
  return {
    data: VOICES.map(({ timbre: _, ...voice }) => ({
      ...voice,
      ...(takesStyle === false && { supports_style: false }),
      ...(languages && { languages: voice.language === 'multiple' ? [...languages] : [voice.language.slice(0, 2)] }),
    })),
  };
}

export function modelsBody(): { data: ModelInfo[] } {
  return {
    data: MODEL_IDS.map((id) => ({
      id,
      name: MODEL_NAMES[id],
      max_input_length: modelRules(id).maxInputLength,
      supported_formats: [...modelRules(id).formats],
    })),
  };
}
