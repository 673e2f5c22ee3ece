import { SETTINGS } from '../config/environment.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { nearestWord } from '../process/nearest-word.ts';
import type { VoiceFile } from '../speech-service/synthesis/neural/installed-voices.ts';

/*
 * The models that `voices add` can install: at least one for each language of the bot's menus except Hebrew and
 * Japanese. The releases of sherpa-onnx, the runtime, have no model for Hebrew, and their Kokoro model speaks no
 * Japanese: https://k2-fsa.github.io/sherpa/onnx/tts/pretrained_models/kokoro.html
 *
 * The names of archives and files come from sherpa-onnx's own scripts:
 * - https://github.com/k2-fsa/sherpa-onnx/blob/master/scripts/piper/generate.py
 * - https://github.com/k2-fsa/sherpa-onnx/blob/master/scripts/apk/generate-tts-apk-script.py
 * - for the speakers' numbers, `generate_voices_bin.py` below https://github.com/k2-fsa/sherpa-onnx/tree/master/scripts
 *
 * `license` is the license of the recordings, as the model card states it. Piper publishes the models themselves under
 * the MIT license.
 */

/** The release of sherpa-onnx with the models and `checksum.txt`. The setting VOICES_URL replaces this address. */
const RELEASE = 'https://github.com/k2-fsa/sherpa-onnx/releases/download/tts-models';

export function release(): string {
  const { data, error } = SETTINGS.VOICES_URL.schema.safeParse(process.env.VOICES_URL?.trim() || undefined);
  if (error) throw new OperatorError(`VOICES_URL ${error.issues.map(({ message }) => message).join(', ')}`);
  return data === undefined ? RELEASE : data.href.replace(/\/+$/, '');
}

export interface CatalogModel extends Omit<VoiceFile, 'version'> {
  /** The file name of the model in the release, without `.tar.bz2`. */
  readonly archive: string;
  readonly megabytes: number;
}

type Speaker = VoiceFile['voices'][number];
type Gender = NonNullable<Speaker['gender']>;

const KOKORO_FILES = {
  model: 'model.int8.onnx',
  tokens: 'tokens.txt',
  voices: 'voices.bin',
  dataDir: 'espeak-ng-data',
  lexicon: ['lexicon-us-en.txt', 'lexicon-zh.txt'],
  ruleFsts: ['phone-zh.fst', 'date-zh.fst', 'number-zh.fst'],
};

/** The name of a Kokoro voice states its language and gender: `bf_emma` is British and female. */
const KOKORO_LANGUAGES: Readonly<Record<string, readonly [language: string, accent?: string]>> = {
  a: ['en-US', 'American'],
  b: ['en-GB', 'British'],
  z: ['zh-CN'],
};

function kokoroSpeakers(first: number, names: string): Speaker[] {
  return names.split(' ').map((full, index) => {
    const [language, accent] = KOKORO_LANGUAGES[full.charAt(0)] ?? ['en-US'];
    const gender = full.charAt(1) === 'f' ? 'female' : 'male';
    const name = /\d/.test(full) ? full.replace('_', '-') : full.slice(3);
    return { name, speaker: first + index, gender, accent, languages: [language] };
  });
}

const kokoro: CatalogModel = {
  name: 'kokoro',
  archive: 'kokoro-int8-multi-lang-v1_0',
  megabytes: 132,
  kind: 'kokoro',
  files: KOKORO_FILES,
  memoryMb: 350,
  license: 'Apache-2.0',
  source: 'https://k2-fsa.github.io/sherpa/onnx/tts/pretrained_models/kokoro.html',
  voices: [
    // Kokoro's speakers 28 to 44 are left out, because sherpa-onnx does not support their languages.
    ...kokoroSpeakers(3, 'af_heart'),
    ...kokoroSpeakers(0, 'af_alloy af_aoede af_bella'),
    ...kokoroSpeakers(4, 'af_jessica af_kore af_nicole af_nova af_river af_sarah af_sky'),
    ...kokoroSpeakers(11, 'am_adam am_echo am_eric am_fenrir am_liam am_michael am_onyx am_puck am_santa'),
    ...kokoroSpeakers(20, 'bf_alice bf_emma bf_isabella bf_lily bm_daniel bm_fable bm_george bm_lewis'),
    ...kokoroSpeakers(45, 'zf_xiaobei zf_xiaoni zf_xiaoxiao zf_xiaoyi zm_yunjian zm_yunxi zm_yunxia zm_yunyang'),
  ],
};

const kokoroChinese: CatalogModel = {
  ...kokoro,
  name: 'kokoro-zh',
  archive: 'kokoro-int8-multi-lang-v1_1',
  megabytes: 147,
  memoryMb: 370,
  voices: [
    // Kokoro 1.1 has 55 Chinese women and 45 men with numbers for names. Eight of each are enough to choose from.
    ...kokoroSpeakers(3, 'zf_001 zf_002 zf_003 zf_004 zf_005 zf_006 zf_007 zf_008'),
    ...kokoroSpeakers(58, 'zm_009 zm_010 zm_011 zm_012 zm_013 zm_014 zm_015 zm_016'),
    ...kokoroSpeakers(0, 'af_maple af_sol bf_vale'),
  ],
};

const kitten: CatalogModel = {
  name: 'kitten',
  archive: 'kitten-nano-en-v0_2-fp16',
  megabytes: 27,
  kind: 'kitten',
  files: { model: 'model.fp16.onnx', tokens: 'tokens.txt', voices: 'voices.bin', dataDir: 'espeak-ng-data' },
  memoryMb: 130,
  license: 'Apache-2.0',
  source: 'https://k2-fsa.github.io/sherpa/onnx/tts/pretrained_models/kitten.html',
  voices: [2, 3, 4, 5].flatMap((number, index): Speaker[] => [
    { name: `expr-voice-${number}-f`, speaker: index * 2 + 1, gender: 'female', languages: ['en-US'] },
    { name: `expr-voice-${number}-m`, speaker: index * 2, gender: 'male', languages: ['en-US'] },
  ]),
};

/** Describes a model of Piper. `id` is Piper's name for the model, such as `de_DE-thorsten-medium`. */
function piper(
  id: string,
  license: string,
  speakers: readonly (readonly [name: string, gender?: Gender])[],
  { accent, megabytes = 64 }: { readonly accent?: string; readonly megabytes?: number } = {},
): CatalogModel {
  const [locale = '', speaker = '', quality = ''] = id.split('-');
  const language = locale.slice(0, 2);
  return {
    name: `piper-${language}`,
    archive: `vits-piper-${id}`,
    megabytes,
    kind: 'vits',
    files: { model: `${id}.onnx`, tokens: 'tokens.txt', dataDir: 'espeak-ng-data' },
    memoryMb: 200,
    license,
    source: `https://huggingface.co/rhasspy/piper-voices/tree/main/${language}/${locale}/${speaker}/${quality}`,
    voices: speakers.map(([name, gender], index) => ({
      name,
      speaker: index,
      gender,
      accent,
      languages: [locale.replace('_', '-')],
    })),
  };
}

const UNSTATED = 'not stated';

const korean: CatalogModel = {
  ...piper('ko_KO-kss-low', 'CC BY-NC-SA 4.0', [['kss', 'female']]),
  name: 'mimic3-ko',
  archive: 'vits-mimic3-ko_KO-kss_low',
  files: { model: 'ko_KO-kss_low.onnx', tokens: 'tokens.txt', dataDir: 'espeak-ng-data' },
  source: 'https://github.com/MycroftAI/mimic3-voices',
  voices: [{ name: 'kss', speaker: 0, gender: 'female', languages: ['ko-KR'] }],
};

export const CATALOG: readonly CatalogModel[] = [
  kokoro,
  kitten,
  kokoroChinese,
  piper('en_US-ljspeech-medium', 'public domain', [['ljspeech', 'female']], { accent: 'American' }),
  piper('es_ES-davefx-medium', 'CC0', [['davefx', 'male']]),
  piper('de_DE-thorsten-medium', 'CC0', [['thorsten', 'male']]),
  piper('fr_FR-siwis-medium', 'CC BY 4.0', [['siwis', 'female']]),
  piper('it_IT-paola-medium', 'CC0', [['paola', 'female']]),
  piper('pt_BR-faber-medium', 'CC0', [['faber', 'male']], { accent: 'Brazilian' }),
  piper('nl_BE-nathalie-medium', 'CC0', [['nathalie', 'female']], { accent: 'Belgian' }),
  piper('sv_SE-nst-medium', 'CC0', [['nst']]),
  piper('pl_PL-gosia-medium', 'CC0', [['gosia', 'female']]),
  piper('cs_CZ-jirka-medium', 'CC0', [['jirka', 'male']]),
  piper('ru_RU-denis-medium', 'CC0', [['denis', 'male']]),
  piper(
    'uk_UA-ukrainian_tts-medium',
    'CC0',
    [
      ['lada', 'female'],
      ['mykyta', 'male'],
      ['tetiana', 'female'],
    ],
    { megabytes: 77 },
  ),
  piper('tr_TR-fahrettin-medium', UNSTATED, [['fahrettin', 'male']]),
  piper('el_GR-rapunzelina-low', 'CC0', [['rapunzelina', 'female']]),
  piper('ro_RO-mihai-medium', 'CC0', [['mihai', 'male']]),
  piper('hu_HU-anna-medium', 'CC0', [['anna', 'female']]),
  piper('fi_FI-harri-medium', 'CC0', [['harri', 'male']]),
  piper('vi_VN-vais1000-medium', 'CC BY 4.0', [['vais1000', 'female']]),
  piper('id_ID-news_tts-medium', 'CC BY-NC-SA 4.0', [['news']]),
  piper('hi_IN-priyamvada-medium', 'CC BY-NC-SA 4.0', [['priyamvada', 'female']]),
  piper('ar_JO-kareem-medium', UNSTATED, [['kareem', 'male']], { accent: 'Jordanian' }),
  korean,
];

export function modelCalled(name: string): CatalogModel {
  const model = CATALOG.find((one) => one.name === name);
  if (model) return model;
  const names = CATALOG.map((one) => one.name);
  const nearest = nearestWord(name, names);
  throw new OperatorError(`there is no voice ${name}`, {
    remedy: nearest === undefined ? `the voices are: ${names.join(', ')}` : `did you mean ${nearest}?`,
  });
}
