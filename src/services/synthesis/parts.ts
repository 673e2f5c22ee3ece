import type { Clip } from '../../audio/clips/clip.ts';
import { modelRules, styleCharacters } from '../../speech/interface/models.ts';
import { requestCharacters, type SpeechRequest, sentStyle } from '../../speech/interface/schemas.ts';
import { MIN_SPLIT_ROOM, splitText } from '../../speech/split.ts';
import type { BilledText } from '../spending/spending.ts';

/** Progress of making or speaking a text in parts; `part` starts at 1. */
export interface ChunkProgress {
  /** The work on a text's part. 'ending': the text was canceled, but the request in flight may still be billed. */
  readonly kind: 'synthesizing' | 'speaking' | 'ending';
  readonly part: number;
  readonly parts: number;
  /** Milliseconds since the first attempt to request the part; undefined unless the service was too busy. */
  readonly busyForMs?: number;
  readonly isBilled?: boolean;
}

/** The user and the server (undefined in direct messages) whose spending limits count the audio. Servers take turns requesting audio. */
export interface Payer {
  readonly guildId: string | undefined;
  readonly userId: string;
}

export interface SynthesisOptions extends Payer {
  /** When the signal aborts, no more parts of the text are requested. */
  readonly signal: AbortSignal;
}

export interface RenderOptions extends SynthesisOptions {
  /** True if an earlier process paid for a restored text: it does not count as spoken for free. */
  readonly wasPaidBefore: boolean;
  /** Called synchronously and often with the progress of a text; must not throw. */
  readonly onProgress: ((progress: ChunkProgress) => void) | undefined;
}

export interface FileOptions extends SynthesisOptions {
  readonly maxBytes: number;
  /** The complete clip of the request if it was heard recently: no audio is made then. */
  readonly heard?: Clip | undefined;
}

/** The maximum duration of a short text's audio, which can be long because of numbers or a slow voice. */
const MIN_MS = 20_000;
/** Speaking time of a character at 150 English words a minute. It is fixed: a time learned from endless audio would allow longer audio. */
const MS_PER_CHARACTER = 65;
/** A character of syllabic writing can take four times as long as an English letter, and singing doubles the time. */
const SLOWNESS = 8;
/** Extra time for each passage with its own voice: it is separate audio, which may begin with silence. */
const PASSAGE_MS = 1_000;
/** Extra time in a text's maximum duration for each tag that requests a pause: the longest pause of any service. */
const MAX_PAUSE_MS = 60_000;

/** The minimum time of a letter: less than a fifth of the usual time. Shorter audio cannot be speech, even with a fast voice. */
const MIN_MS_PER_LETTER = 12;
/** How many letters of a word count for the minimum duration: in typed laughter, voices do not speak every letter. */
const LETTERS_OF_A_WORD = 20;

const TAG = /[[<]([^[\]<>]{1,80})[\]>]/g;
const PAUSE = /\b(?:long-)?(?:paus|silen|break|wait|warte|stille|espera)/i;

/** The maximum duration of a text's audio. Without a maximum, a voice that does not stop or a broken header could block the channel. */
export function longestSoundMs({ input, speed = 1, passages = [] }: SpeechRequest): number {
  // A digit counts as two characters: digits may be read one by one, and a seven takes 0.7 s in Finnish and Lithuanian.
  const digits = input.match(/\p{Nd}/gu)?.length ?? 0;
  const spokenMs = (SLOWNESS * (input.length + digits) * MS_PER_CHARACTER) / speed;
  const pauses = [...input.matchAll(TAG)].filter(([, tag = '']) => PAUSE.test(tag)).length;
  return Math.max(MIN_MS, Math.ceil(spokenMs)) + pauses * MAX_PAUSE_MS + passages.length * PASSAGE_MS;
}

/** The minimum duration of a text's audible audio in milliseconds. Shorter audio cannot be speech of the text. */
export function leastSoundMs({ input, speed = 1 }: SpeechRequest): number {
  const words = input.replaceAll(TAG, ' ').match(/[\p{L}\p{N}]+/gu) ?? [];
  const letters = words.reduce(
    (sum, word) => sum + Math.min(LETTERS_OF_A_WORD, word.replaceAll(/(.)\1+/gu, '$1').length),
    0,
  );
  return (letters * MIN_MS_PER_LETTER) / speed;
}

/** A text of up to this length, about 13 s of speech, is one request: it starts as early as a text in parts, and sounds more natural. */
const ONE_REQUEST_UNITS = 200;
/** Target lengths of a text's first parts. A part is made while the part before is heard, so it may be twice as long. */
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

/** The requests for the parts of a text. */
export type Parts = readonly [SpeechRequest, ...SpeechRequest[]];

/** Why audio is made: a 'listener' needs its beginning soon, a 'file' needs the whole. */
export type Purpose = 'listener' | 'file';

/** Splits a request into parts of up to `limit` UTF-16 units. If the style is billed with every part, the parts are few and long. */
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
  const [first = input, ...others] = isWhole
    ? [input]
    : splitText(input, { room, syntax: modelRules(model).tags, aims });
  return [{ ...request, input: first }, ...others.map((text) => ({ ...request, input: text }))];
}

/** Silence in milliseconds between a part of a text and the next part. */
export const pauseAfterMs = ({ input }: SpeechRequest): number =>
  SENTENCE_END.test(input) ? SENTENCE_PAUSE_MS : OTHER_PAUSE_MS;

/** Every part is billed with its style. Parts with different voices may have different models. */
export const billedText = (request: SpeechRequest): BilledText => ({
  model: modelRules(request.voice.model).id,
  characters: requestCharacters(request),
});

export const charactersOf = (texts: readonly BilledText[]): number =>
  texts.reduce((sum, { characters }) => sum + characters, 0);

/** Assumed before the first measurement of a model: the answer times of a slow service, and speech at 15 characters a second. */
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
