import {
  INSTANT_TAGS,
  type InstantTag,
  parseTags,
  type TagSegment,
  type WrappingTag,
} from '../../../speech/interface/tags.ts';
import type { TimbredJob } from '../engine.ts';
import { type LanguageTools, languageRuns } from './language.ts';
import { combine, NEUTRAL, type Prosody, prosodyOfChance, prosodyOfStyle } from './prosody.ts';

type Pause = 'pause' | 'long-pause';
const isVocalEvent = (tag: InstantTag): tag is Exclude<InstantTag, Pause> => tag !== 'pause' && tag !== 'long-pause';

/** The instant tags that are sounds; the pauses are silence. */
const VOCAL_EVENTS = INSTANT_TAGS.filter(isVocalEvent);
export type VocalEvent = (typeof VOCAL_EVENTS)[number];

/** The pieces of an utterance, in order. */
export type Piece =
  | { kind: 'speech'; text: string; language: string; prosody: Prosody }
  | { kind: 'silence'; durationMs: number }
  | { kind: 'event'; event: VocalEvent; prosody: Prosody };

const PAUSE_MS = 500;
const LONG_PAUSE_MS = 1_200;
const SHORT_PAUSE_MS = 250;

const WRAPPING: Readonly<Record<WrappingTag, Partial<Prosody>>> = {
  soft: { gainDb: -8, pitchRange: -5 },
  whisper: { whisper: true, gainDb: -3 },
  loud: { gainDb: 6, pitch: 5, pitchRange: 8 },
  emphasis: { gainDb: 4, pitch: 8, pitchRange: 20, rate: 0.85 },
  slow: { rate: 0.65 },
  fast: { rate: 1.5 },
  'higher-pitch': { pitch: 30 },
  'lower-pitch': { pitch: -30 },
  'build-intensity': { swellDb: 12, pitchRange: 8 },
  'decrease-intensity': { swellDb: -12, pitchRange: -5 },
  'laugh-speak': { tremble: 0.8, pitch: 12, pitchRange: 20, rate: 1.05 },
  'sing-song': { melody: 'sing-song' },
  singing: { melody: 'singing', rate: 0.75 },
};

/** Words of the open tag lists that mean a sound; first match wins, so the special ones stand first. */
const EVENT_WORDS: readonly (readonly [words: RegExp, event: VocalEvent])[] = [
  [/\b(tongue[- ]click\w*|clicks? (?:the )?tongue)\b/, 'tongue-click'],
  [/\b(lip[- ]smack\w*|smack\w*)\b/, 'lip-smack'],
  [/\b(tsk|tut)\w*\b/, 'tsk'],
  [/\b(chuckl\w*|snicker\w*)\b/, 'chuckle'],
  [/\b(giggl\w*|titter\w*)\b/, 'giggle'],
  [/\b(laugh\w*)\b/, 'laugh'],
  [/\b(cry|cries|crying|sob\w*|weep\w*)\b/, 'cry'],
  [/\b(sigh\w*)\b/, 'sigh'],
  [/\b(inhal\w*|gasp\w*|breath\w* in)\b/, 'inhale'],
  [/\b(exhal\w*|breath\w* out)\b/, 'exhale'],
  [/\b(breath\w*|yawn\w*|cough\w*|sniff\w*)\b/, 'breath'],
  [/\b(hum|hums|humming)\b/, 'hum-tune'],
];

/**
 * Plans the pieces without synthesis: a pure function, so that every tag can be tested as data.
 */
export function planUtterance(job: TimbredJob, tools: LanguageTools = {}): Piece[] {
  const base = [
    { rate: job.speed },
    prosodyOfStyle(job.style ?? ''),
    prosodyOfChance(job.seed, job.temperature),
  ].reduce(combine, NEUTRAL);
  const pieces = job.tags === 'closed' ? planClosed(job, base, tools) : planOpen(job, base, tools);
  return pieces.flatMap((piece, at) => pauseAtEnd(piece, pieces[at + 1]));
}

/** The closed lists of `ext`: wrapping tags nest, everything unknown is spoken as text. */
function planClosed(job: TimbredJob, base: Prosody, tools: LanguageTools): Piece[] {
  const pieces: Piece[] = [];
  const stack: Prosody[] = [base];
  let text = '';
  const now = () => stack.at(-1) ?? base;
  const flush = () => {
    pieces.push(...speech(text, now(), job, tools));
    text = '';
  };
  for (const segment of parseTags(job.text, 'closed')) {
    if (segment.kind === 'text' || segment.kind === 'stray') {
      text += segment.raw;
      continue;
    }
    flush();
    if (segment.kind === 'instant') pieces.push(...instant(segment.name, now(), segment));
    else if (segment.kind === 'open') stack.push(combine(now(), WRAPPING[segment.name]));
    else if (stack.length > 1) stack.pop();
  }
  flush();
  return pieces;
}

/** Open lists: a tag is a pause, a sound, or a way of speaking that lasts to the next way of speaking. */
function planOpen(job: TimbredJob, base: Prosody, tools: LanguageTools): Piece[] {
  const pieces: Piece[] = [];
  let current = base;
  for (const segment of parseTags(job.text, job.tags)) {
    if (segment.kind === 'text') pieces.push(...speech(segment.raw, current, job, tools));
    else if (segment.kind === 'instant') {
      const sound = instant(segment.name.toLowerCase(), current, segment);
      if (sound.length > 0) pieces.push(...sound);
      else {
        const style = prosodyOfStyle(segment.name);
        const changes = JSON.stringify(style) !== JSON.stringify(NEUTRAL);
        if (segment.raw.startsWith('</')) current = base;
        else if (changes) current = combine(base, style);
        // In angle brackets stand brief vocal events: one that is not known is a breath.
        else if (job.tags === 'angle-open') pieces.push({ kind: 'event', event: 'breath', prosody: current });
      }
    }
  }
  return pieces;
}

function instant(name: string, prosody: Prosody, segment: TagSegment): Piece[] {
  if (segment.raw.startsWith('</')) return [];
  if (/\bpause|\bsilence|\bbeat\b/.test(name) || name === 'long-pause') {
    const durationMs = /\blong/.test(name)
      ? LONG_PAUSE_MS
      : /\b(short|brief|small)/.test(name)
        ? SHORT_PAUSE_MS
        : PAUSE_MS;
    return [{ kind: 'silence', durationMs }];
  }
  const exact = VOCAL_EVENTS.find((event) => event === name);
  const event = exact ?? EVENT_WORDS.find(([words]) => words.test(name))?.[1];
  return event === undefined ? [] : [{ kind: 'event', event, prosody }];
}

/** Text without a letter, digit or symbol to say makes no piece. */
function speech(text: string, prosody: Prosody, job: TimbredJob, tools: LanguageTools): Piece[] {
  const { multilingual, language } = job;
  const itsTools = multilingual ? { ...tools, language } : { ...tools, detector: undefined };
  return languageRuns(text, job.timbre.language, itsTools)
    .flatMap((run) => sung(run.text, run.language, prosody))
    .filter((piece) => /[\p{L}\p{N}\p{S}\p{Extended_Pictographic}]/u.test(piece.text))
    .map((piece) => ({ kind: 'speech', ...piece }));
}

/** Steps of a tune on the synthesiser's pitch scale; `sing-song` only goes up and down. */
const TUNES: Readonly<Record<'sing-song' | 'singing', readonly number[]>> = {
  'sing-song': [14, -8],
  singing: [0, 8, 16, 8, 20, 16, 8, -4],
};

function sung(text: string, language: string, prosody: Prosody) {
  if (prosody.melody === 'none') return [{ text, language, prosody }];
  const tune = TUNES[prosody.melody];
  const flat = prosody.melody === 'singing' ? -50 : 0;
  return (text.match(/\S+\s*/g) ?? []).map((word, at) => ({
    text: word,
    language,
    prosody: combine(prosody, { pitch: tune[at % tune.length] ?? 0, pitchRange: flat }),
  }));
}

/** The text after a full stop or comma begins after the silence of that sign: each piece is spoken separately. */
function pauseAtEnd(piece: Piece, next: Piece | undefined): Piece[] {
  if (piece.kind !== 'speech' || next === undefined || next.kind === 'silence') return [piece];
  const sign = /([.!?…。！？,;:、，])["'”’)\]]*\s*$/u.exec(piece.text)?.[1];
  if (sign === undefined) return [piece];
  return [piece, { kind: 'silence', durationMs: /[,;:、，]/u.test(sign) ? 120 : 260 }];
}
