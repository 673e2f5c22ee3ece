import { modelRules, styleCharacters } from '../../speech/interface/models.ts';
import { requestCharacters, type SpeechRequest, sentStyle } from '../../speech/request.ts';
import { MIN_SPLIT_ROOM, splitText } from '../../speech/split.ts';
import type { BilledText } from '../spending/spending.ts';

export interface Part {
  readonly request: SpeechRequest;
  /** Silence before the next part of the text in milliseconds; undefined for the last part. */
  readonly pauseAfterMs: number | undefined;
}

/** Up to this length, about 13 s of speech, one request sounds more natural than joined parts, and as soon. */
const ONE_REQUEST_UNITS = 200;
/** Target lengths of the first parts: while a part is heard, the next is made, which may be twice as long. */
const AIMS = [120, 240, 480] as const;
/**
 * Target length of the first part if the style is billed with every part: all later parts are long then. Speaking it
 * takes about 16 s, in which a part of maximum length can be made.
 */
const AIM_BEFORE_A_LONG_ONE = 240;

/** Silence between two parts of a text, like a speaker's pause after a sentence or within a sentence. */
const SENTENCE_PAUSE_MS = 300;
const OTHER_PAUSE_MS = 120;
/** Punctuation that ends a sentence in any writing system, with following quotes, brackets and closing tags. */
const SENTENCE_END = /[.!?…。！？｡۔؟।॥։።](?:["'“”‘’«»‹›)\]」』]|\s|<\/[^<>]+>)*$/u;

export type Parts = readonly [Part, ...Part[]];

/** Why audio is made: a 'listener' needs its beginning soon, a 'file' needs the whole. */
export type Purpose = 'listener' | 'file';

/** `limit` is in UTF-16 units. If the style is billed with every part, there are as few parts as possible. */
export function planParts(request: SpeechRequest, limit: number, purpose: Purpose = 'listener'): Parts {
  const { input } = request;
  const { model } = request.voice;
  const styleUnits = styleCharacters(model, sentStyle(request));
  const room = limit - styleUnits;
  // If the style leaves no room for the text, the text stays whole, and the service's error tells what is wrong.
  const paysByPart = styleUnits > 0;
  const oneRequestUnits = paysByPart && purpose === 'file' ? room : Math.min(ONE_REQUEST_UNITS, room);
  const aims = !paysByPart ? AIMS : purpose === 'file' ? [] : [AIM_BEFORE_A_LONG_ONE];
  const isWhole = input.length <= oneRequestUnits || room < MIN_SPLIT_ROOM;
  const inputs = isWhole ? [input] : splitText(input, { room, syntax: modelRules(model).tags, aims });
  const [first = input, ...others] = inputs;
  const part = (text: string, index: number): Part => ({
    request: { ...request, input: text },
    pauseAfterMs: index < inputs.length - 1 ? pauseAfterMs(text) : undefined,
  });
  return [part(first, 0), ...others.map((text, index) => part(text, index + 1))];
}

const pauseAfterMs = (text: string): number => (SENTENCE_END.test(text) ? SENTENCE_PAUSE_MS : OTHER_PAUSE_MS);

export function joinPassages([first, ...others]: readonly [Parts, ...Parts[]]): Parts {
  return others.reduce((before, next) => {
    const last = before.at(-1) as Part;
    const paused = { ...last, pauseAfterMs: pauseAfterMs(last.request.input) };
    return [...before.slice(0, -1), paused, ...next] as unknown as Parts;
  }, first);
}

export const billedText = (request: SpeechRequest): BilledText => ({
  model: modelRules(request.voice.model).id,
  characters: requestCharacters(request),
});

/** Each part includes the style. The parts of a script may have different models. */
export const billedTexts = (parts: Parts): BilledText[] => parts.map(({ request }) => billedText(request));

export const charactersOf = (texts: readonly BilledText[]): number =>
  texts.reduce((sum, { characters }) => sum + characters, 0);

/** The assumed speed of a model before the first measurement: a slow service, and 15 characters a second. */
const ASSUMED = { fixedMs: 1_500, answerMsPerCharacter: 6, spokenMsPerCharacter: 65 };
/** Assumed silence around the words: counted as speech, it would make rates learned from short texts too slow. */
const EDGES_MS = 300;
/** The weight of a new measurement in a model's average speed: the last few requests predict the next request best. */
const WEIGHT = 0.3;

interface Learned {
  /** How many times longer than assumed the model takes to answer: an average of its last requests. */
  slowness: number;
  spokenMsPerCharacter: number;
}

export function createSpeechPace() {
  // This map of measured speeds stays small, because it has one entry for each model of the speech service.
  const models = new Map<string, Learned>();

  function of({ voice: { model = '' } }: SpeechRequest): Learned {
    const known = models.get(model) ?? { slowness: 1, spokenMsPerCharacter: ASSUMED.spokenMsPerCharacter };
    models.set(model, known);
    return known;
  }
  const assumedMs = ({ input }: SpeechRequest) => ASSUMED.fixedMs + ASSUMED.answerMsPerCharacter * input.length;
  const extent = ({ input, speed = 1 }: SpeechRequest) => input.length / speed;
  const blend = (before: number, now: number) => before + WEIGHT * (now - before);

  return {
    /** The estimated milliseconds from a speech request to its first audio. */
    expectedMs: (request: SpeechRequest) => of(request).slowness * assumedMs(request),
    spokenMs: (request: SpeechRequest) => Math.round(EDGES_MS + extent(request) * of(request).spokenMsPerCharacter),
    answered(request: SpeechRequest, elapsedMs: number): void {
      const known = of(request);
      known.slowness = blend(known.slowness, elapsedMs / assumedMs(request));
    },
    spoken(request: SpeechRequest, durationMs: number): void {
      const observed = (durationMs - EDGES_MS) / extent(request);
      if (!(observed > 0 && Number.isFinite(observed))) return;
      const known = of(request);
      known.spokenMsPerCharacter = blend(known.spokenMsPerCharacter, observed);
    },
  };
}

export type SpeechPace = ReturnType<typeof createSpeechPace>;
