import { canonicalTag, languageOfTag } from '../../speech/engines/language-tags.ts';
import type { ServerVoice } from '../../speech/engines/listed-voices.ts';
import { voiceIdOf } from '../../speech/engines/listed-voices.ts';
import { type AudioFormat, type KnownModelId, MODEL_IDS, modelRules } from '../../speech/interface/models.ts';
import type { ModelInfo, Voice } from '../../speech/interface/schemas.ts';
import type { SpeechEngine } from '../synthesis/engine.ts';
import { TIMBRES, type Timbre } from '../synthesis/timbres.ts';

type Rules = ReturnType<typeof modelRules>;

export interface CatalogueVoice extends Voice {
  supports_style: boolean;
  rules: Rules;
  /** The value of `usage.model`: the model that really runs, which is opaque to clients. */
  modelThatRuns: string;
  /** Of the service's own voices alone. */
  timbre?: Timbre;
  /** The name at its server, where it is one of a server's. */
  serverVoice?: string;
}

/** The same names recur across the gpro families, and two of them in `ext`, so that ambiguity can be tried. */
const GPRO_NAMES = ['aria', 'basil', 'clover', 'dorian', 'ember', 'fable', 'garnet', 'hazel'];
const EXT_NAMES = ['aria', 'ash', 'basil', 'briar', 'cove', 'dune', 'echo', 'flint'];
const ORPHEUS_VOICES = [
  ['ivy', 'en-GB 🇬🇧'],
  ['jasper', 'en-US 🇺🇸'],
  ['rowan', 'en-GB 🇬🇧'],
  ['wren', 'en-US 🇺🇸'],
] as const;

const MODEL_NAMES: Readonly<Record<KnownModelId, string>> = {
  gpro: 'Expressive 2.5',
  gpro31: 'Expressive 3.1 Flash',
  gpro38: 'Expressive 3.8 Flash',
  ext: 'Expressive with speech tags',
  orpheus: 'English',
};

const MODELS_THAT_RUN: Readonly<Record<KnownModelId, string>> = {
  gpro: 'crier-embedded-2.5-tts',
  gpro31: 'crier-embedded-3.1-flash-tts',
  gpro38: 'crier-embedded-3.8-flash-tts',
  ext: 'crier-embedded-ext',
  orpheus: 'crier-embedded-orpheus',
};

/** The service's own voices, which the embedded synthesiser speaks. */
export const VOICES: readonly CatalogueVoice[] = [
  ...(['gpro', 'gpro31', 'gpro38'] as const).flatMap((model) => GPRO_NAMES.map((name) => makeVoice(model, name))),
  ...EXT_NAMES.map((name) => makeVoice('ext', name)),
  ...ORPHEUS_VOICES.map(([name, language]) => makeVoice('orpheus', name, language)),
];

function makeVoice(model: KnownModelId, name: string, language = 'multiple'): CatalogueVoice {
  const rules = modelRules(model);
  const timbre = TIMBRES[name];
  if (timbre === undefined) throw new Error(`The voice ${name} has no timbre.`);
  return {
    id: voiceIdOf(model, name),
    name,
    model,
    language,
    formats: [...rules.formats],
    supports_style: rules.style,
    rules,
    modelThatRuns: MODELS_THAT_RUN[model],
    timbre,
  };
}

/** Those voices as the engine can speak with them. The interface has neither `languages` nor `takes_language`. */
export function ownVoices({ languages, takesLanguage }: SpeechEngine): CatalogueVoice[] {
  return VOICES.map((voice) => {
    const isMultiple = voice.language === 'multiple';
    return {
      ...voice,
      takes_language: (takesLanguage && isMultiple) || undefined,
      languages: languages && (isMultiple ? [...languages] : [voice.language.slice(0, 2)]),
    };
  });
}

/** WAV, which loses nothing, unless MP3 is asked for. */
const SERVER_FORMATS: readonly AudioFormat[] = ['wav', 'mp3'];
const SERVER_MAX_INPUT = 1000;

/** What the voices of a server take: speed, and a style where it has a place for one. */
export function serverRules(model: string, takesStyle: boolean): Rules {
  return {
    ...modelRules(model),
    formats: SERVER_FORMATS,
    defaultFormat: 'wav',
    style: takesStyle,
    seed: false,
    temperature: false,
    maxInputLength: SERVER_MAX_INPUT,
  };
}

/** A voice that a server lists, or that the file of engines names, where the server may call it otherwise. */
export interface ServedVoice extends ServerVoice {
  readonly server_name?: string;
}

/** By the first letter of Kokoro's voice names: https://huggingface.co/hexgrad/Kokoro-82M/blob/main/VOICES.md */
const KOKORO: Readonly<Record<string, string>> = {
  a: 'en-US',
  b: 'en-GB',
  e: 'es',
  f: 'fr',
  h: 'hi',
  i: 'it',
  j: 'ja',
  p: 'pt-BR',
  z: 'zh',
};

/** The language of a voice that is named as Kokoro's are, such as af_heart: its servers do not say. */
function languageOfKokoroName(name: string): string | undefined {
  const [, letter = ''] = /^([a-z])[fm]_[a-z0-9]+$/.exec(name) ?? [];
  return KOKORO[letter];
}

/** A voice of a server, whose model is the engine. `otherwise`: the languages where neither the voice nor its name says. */
export function serverVoice(
  rules: Rules,
  { name, languages, server_name: serverName = name }: ServedVoice,
  otherwise: readonly string[] | undefined,
): CatalogueVoice {
  const kokoro = languageOfKokoroName(serverName);
  const given = languages ?? (kokoro === undefined ? otherwise : [kokoro]);
  const tags = [...new Set(given?.flatMap((tag) => canonicalTag(tag) ?? []))];
  const codes = [...new Set(tags.flatMap((tag) => languageOfTag(tag) ?? []))];
  return {
    id: voiceIdOf(rules.id, name),
    name,
    model: rules.id,
    language: tags.length === 1 && tags[0] !== undefined ? tags[0] : 'multiple',
    languages: codes.length > 0 ? codes : undefined,
    formats: [...rules.formats],
    supports_style: rules.style,
    rules,
    modelThatRuns: `crier-${rules.id}`,
    serverVoice: serverName,
  };
}

/** As clients are told of it. */
export function listed({
  rules: _,
  modelThatRuns: __,
  timbre: ___,
  serverVoice: ____,
  ...voice
}: CatalogueVoice): Voice {
  return voice;
}

export const OWN_MODELS: readonly ModelInfo[] = MODEL_IDS.map((id) => modelInfo(modelRules(id), MODEL_NAMES[id]));

export function modelInfo({ id, maxInputLength, formats }: Rules, name: string): ModelInfo {
  return { id, name, max_input_length: maxInputLength, supported_formats: [...formats] };
}
