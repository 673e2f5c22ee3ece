import { canonicalTag, languageOfTag } from '../../speech/interface/languages.ts';
import { type KnownModelId, MODEL_IDS, modelRules } from '../../speech/interface/models.ts';
import type { ModelInfo, Voice } from '../../speech/interface/schemas.ts';
import type { FliteVoice } from '../synthesis/embedded/flite.ts';
import type { SpeechEngine, Timbre } from '../synthesis/engine.ts';
import { type ServerVoice, voiceIdOf } from '../synthesis/listed-voices.ts';

type Rules = ReturnType<typeof modelRules>;

export interface CatalogVoice extends Voice {
  supports_style: boolean;
  rules: Rules;
  /** Answers name the model that really speaks as `usage.model`, for people: clients do not interpret the name. */
  modelThatRuns: string;
  /** How the built-in synthesizer speaks the voice; undefined for voices that another server speaks. */
  timbre: Timbre | undefined;
  serverVoice: string | undefined;
}

const GPRO_NAMES = ['aria', 'basil', 'clover', 'dorian', 'ember', 'fable', 'garnet', 'hazel'];
const ORPHEUS_VOICES = [
  ['ivy', 'en-GB 🇬🇧'],
  ['jasper', 'en-US 🇺🇸'],
  ['rowan', 'en-GB 🇬🇧'],
  ['wren', 'en-US 🇺🇸'],
] as const;

/** `name` is for the list of models; `runs` is the model that really speaks, as answers report it (`usage.model`). */
const MODELS: Readonly<Record<KnownModelId, { readonly name: string; readonly runs: string }>> = {
  gpro: { name: 'Expressive 2.5', runs: 'crier-embedded-2.5-tts' },
  gpro31: { name: 'Expressive 3.1 Flash', runs: 'crier-embedded-3.1-flash-tts' },
  gpro38: { name: 'Expressive 3.8 Flash', runs: 'crier-embedded-3.8-flash-tts' },
  ext: { name: 'Expressive with speech tags', runs: 'crier-embedded-ext' },
  orpheus: { name: 'English', runs: 'crier-embedded-orpheus' },
};

type Row = readonly [string, string, 'f' | 'm', number, number, number, number, FliteVoice?];

function timbre(...[language, variant, gender, pitch, wordsPerMinute, pitchRange, gainDb, flite]: Row): Timbre {
  return { language, variant, female: gender === 'f', pitch, pitchRange, wordsPerMinute, gainDb, flite };
}

/** A voice sounds the same in every model. British English is `en`, because eSpeak NG ignores variants of `en-gb`. */
export const TIMBRES: Readonly<Record<string, Timbre>> = {
  aria: timbre('en-us', 'f2', 'f', 52, 165, 60, -1, 'slt'),
  ash: timbre('en-us', 'm7', 'm', 40, 160, 55, 0, 'rms'),
  basil: timbre('en', 'm3', 'm', 45, 165, 50, 0),
  briar: timbre('en-gb-x-rp', 'Alicia', 'f', 50, 170, 60, 0),
  clover: timbre('en-us', 'Annie', 'f', 60, 175, 65, 0),
  cove: timbre('en-us', 'michael', 'm', 42, 155, 50, 1),
  dorian: timbre('en-gb-scotland', 'm1', 'm', 35, 160, 50, 1, 'awb'),
  dune: timbre('en-us', 'john', 'm', 50, 170, 50, -3.5),
  echo: timbre('en', 'f5', 'f', 48, 180, 70, 0),
  ember: timbre('en-us', 'steph', 'f', 45, 170, 60, 0),
  fable: timbre('en-gb-x-rp', 'm8', 'm', 55, 150, 65, 4),
  flint: timbre('en-us-nyc', 'boris', 'm', 40, 165, 50, 3.5),
  garnet: timbre('en-us', 'belinda', 'f', 50, 160, 55, -2.5),
  hazel: timbre('en', 'f4', 'f', 42, 165, 60, 0),
  ivy: timbre('en', 'f3', 'f', 55, 170, 60, 0),
  jasper: timbre('en-us', 'm2', 'm', 48, 168, 50, 2.5),
  rowan: timbre('en', 'm5', 'm', 50, 158, 50, 0),
  wren: timbre('en-us', 'f1', 'f', 58, 172, 60, -0.5),
};

const ACCENTS: Readonly<Record<string, string>> = {
  en: 'British',
  'en-gb': 'British',
  'en-gb-scotland': 'Scottish',
  'en-gb-x-rp': 'British',
  'en-us': 'American',
  'en-us-nyc': 'New York',
};

/** The voices of `ext` come first: the first voice is the default, and `ext` has every name and accepts a speed. */
export const VOICES: readonly CatalogVoice[] = [
  ...Object.keys(TIMBRES).map((name) => makeVoice('ext', name)),
  ...(['gpro', 'gpro31', 'gpro38'] as const).flatMap((model) => GPRO_NAMES.map((name) => makeVoice(model, name))),
  ...ORPHEUS_VOICES.map(([name, language]) => makeVoice('orpheus', name, language)),
];

function makeVoice(model: KnownModelId, name: string, language = 'multiple'): CatalogVoice {
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
    gender: timbre.female ? 'female' : 'male',
    accent: ACCENTS[timbre.language],
    rules,
    modelThatRuns: MODELS[model].runs,
    timbre,
    serverVoice: undefined,
  };
}

export function ownVoices({ languages }: SpeechEngine): CatalogVoice[] {
  return VOICES.map((voice) => {
    const isMultiple = voice.language === 'multiple';
    return {
      ...voice,
      takes_language: (languages !== undefined && isMultiple) || undefined,
      languages: languages && (isMultiple ? [...languages] : [voice.language.slice(0, 2)]),
    };
  });
}

export function serverRules(model: string, takesStyle: boolean): Rules {
  return {
    ...modelRules(model),
    formats: ['wav', 'mp3'],
    style: takesStyle,
    seed: false,
    temperature: false,
    maxInputLength: 1000,
  };
}

/** A voice that an engine's server lists, or that the engines file names. The file may give the voice another name. */
export interface ServedVoice extends ServerVoice, Pick<Voice, 'gender' | 'accent'> {
  readonly server_name?: string;
}

/** First letters of Kokoro's voice names: https://huggingface.co/hexgrad/Kokoro-82M/blob/main/VOICES.md */
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

/** Kokoro's servers list only names, but a name tells the rest: `af_heart` is an American woman. */
function readKokoroName(name: string): Pick<Voice, 'gender' | 'accent'> & { readonly language?: string } {
  const [, letter = '', gender] = /^([a-z])([fm])_[a-z0-9]+$/.exec(name) ?? [];
  const language = KOKORO[letter];
  if (language === undefined) return {};
  return { language, gender: gender === 'f' ? 'female' : 'male', accent: ACCENTS[language.toLowerCase()] };
}

/** `otherwise` has the voice's languages if neither its server nor its name tells them. */
export function serverVoice(
  rules: Rules,
  { name, languages, server_name: serverName = name, ...sound }: ServedVoice,
  otherwise: readonly string[] | undefined,
): CatalogVoice {
  const { language, gender, accent } = readKokoroName(serverName);
  const given = languages ?? (language === undefined ? otherwise : [language]);
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
    gender: sound.gender ?? gender,
    accent: sound.accent ?? accent,
    rules,
    modelThatRuns: `crier-${rules.id}`,
    timbre: undefined,
    serverVoice: serverName,
  };
}

export function listed({ rules: _, modelThatRuns: __, timbre: ___, serverVoice: ____, ...voice }: CatalogVoice): Voice {
  return voice;
}

export const OWN_MODELS: readonly ModelInfo[] = MODEL_IDS.map((id) => modelInfo(modelRules(id), MODELS[id].name));

export function modelInfo({ id, maxInputLength, formats }: Rules, name: string): ModelInfo {
  return { id, name, max_input_length: maxInputLength, supported_formats: [...formats] };
}
