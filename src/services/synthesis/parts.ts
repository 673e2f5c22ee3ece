import { modelRules, styleCharacters } from '../../speech/interface/models.ts';
import { requestCharacters, type SpeechRequest, sentStyle } from '../../speech/request.ts';
import { MIN_SPLIT_LIMIT, roomForText, splitText } from '../../speech/split.ts';
import type { BilledText } from '../spending/spending.ts';

export interface Part {
  readonly request: SpeechRequest;
  /** Silence before the next part; absent for the last one. */
  readonly pauseAfterMs?: number;
}

/**
 * Up to this length a text is one request, in UTF-16 units. Some 13 s of speech: the model hears the whole melody, and the
 * first word comes no later than with a part of two thirds of it.
 */
const ONE_REQUEST_UNITS = 200;
/**
 * What the first parts aim at. The first is about 8 s of speech: time to make the second, which may be twice as long as
 * long as the service is twice as fast as speech; and so on, up to the model's limit.
 */
const AIMS = [120, 240, 480] as const;
/** Some 16 s of speech: time to make a part as long as the limit allows. */
const AIM_BEFORE_A_LONG_ONE = 240;

/** The pauses of a speaker between two sentences, and within a sentence. */
const SENTENCE_PAUSE_MS = 300;
const OTHER_PAUSE_MS = 120;
/** Punctuation that ends a sentence in any script, with what may stand behind it: quotes, brackets, closing tags. */
const SENTENCE_END = /[.!?…。！？｡۔؟।॥։።](?:["'“”‘’«»‹›)\]」』]|\s|<\/[^<>]+>)*$/u;

export type Parts = readonly [Part, ...Part[]];

/** What a text is made for: to be heard as soon as possible, or to be had as a whole. */
export type Purpose = 'listener' | 'file';

/**
 * A text as one request, or as the parts of it that follow each other. `limit` is what the model takes, in UTF-16 units.
 * Where the style is billed with every part, there are as few as the limit allows, but for the first one of a listener.
 */
export function planParts(request: SpeechRequest, limit: number, purpose: Purpose = 'listener'): Parts {
  const { input } = request;
  const { model } = request.voice;
  const style = sentStyle(request);
  const options = { limit, syntax: modelRules(model).tags, model, style };
  const room = roomForText(options);
  // If the style alone fills the limit, the service's own refusal says what is wrong.
  const paysByPart = styleCharacters(model, style) > 0;
  const oneRequestUnits = paysByPart && purpose === 'file' ? room : Math.min(ONE_REQUEST_UNITS, room);
  const aims = !paysByPart ? AIMS : purpose === 'file' ? [] : [AIM_BEFORE_A_LONG_ONE];
  const isWhole = input.length <= oneRequestUnits || room < MIN_SPLIT_LIMIT;
  const inputs = isWhole ? [input] : splitText(input, { ...options, aims });
  const [first = input, ...others] = inputs;
  const part = (text: string, index: number): Part => ({
    request: { ...request, input: text },
    pauseAfterMs: index < inputs.length - 1 ? pauseAfterMs(text) : undefined,
  });
  return [part(first, 0), ...others.map((text, index) => part(text, index + 1))];
}

const pauseAfterMs = (text: string): number => (SENTENCE_END.test(text) ? SENTENCE_PAUSE_MS : OTHER_PAUSE_MS);

/** The parts of the passages of a text, one after the other. */
export function joinPassages([first, ...others]: readonly [Parts, ...Parts[]]): Parts {
  return others.reduce((before, next) => {
    const last = before.at(-1) as Part;
    const paused = { ...last, pauseAfterMs: pauseAfterMs(last.request.input) };
    return [...before.slice(0, -1), paused, ...next] as unknown as Parts;
  }, first);
}

/** What a request is billed for, in UTF-16 units, by the name that the voice's model has in the interface. */
export const billedText = (request: SpeechRequest): BilledText => ({
  model: modelRules(request.voice.model).id,
  characters: requestCharacters(request),
});

/** What the parts of a text are billed for: each of them carries the style, and may be by another model. */
export const billedTexts = (parts: Parts): BilledText[] => parts.map(({ request }) => billedText(request));

export const charactersOf = (texts: readonly BilledText[]): number =>
  texts.reduce((sum, { characters }) => sum + characters, 0);

/** Assumed until something was measured: a slow service, and speech at some 15 characters a second. */
const ASSUMED = { fixedMs: 1_500, answerMsPerCharacter: 6, spokenMsPerCharacter: 65 };
/** The pauses before and after the words: without them short texts would teach a rate far too slow for long ones. */
const EDGES_MS = 300;
/** The weight of a new value; the last few requests say most about the next. */
const WEIGHT = 0.3;

interface Learned {
  /** What the last requests took, against what was assumed for them. */
  slowness: number;
  spokenMsPerCharacter: number;
}

/** What is known of how long the service takes and how long its speech lasts, model by model. */
export function createSpeechPace() {
  // The service's models are the only entries.
  const models = new Map<string, Learned>();

  function of({ voice: { model = '' } }: SpeechRequest): Learned {
    const known = models.get(model) ?? { slowness: 1, spokenMsPerCharacter: ASSUMED.spokenMsPerCharacter };
    models.set(model, known);
    return known;
  }
  const assumedMs = ({ input }: SpeechRequest) => ASSUMED.fixedMs + ASSUMED.answerMsPerCharacter * input.length;
  /** Characters as they would be at normal speed. */
  const extent = ({ input, speed = 1 }: SpeechRequest) => input.length / speed;
  const blend = (before: number, now: number) => before + WEIGHT * (now - before);

  return {
    /** From a request to its first sound. */
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
