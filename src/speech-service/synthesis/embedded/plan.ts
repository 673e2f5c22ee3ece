import { type InstantTag, parseTags, type TagSegment, type WrappingTag } from '../../../speech/interface/models.ts';
import type { TimbredJob } from '../engine.ts';
import { type LanguageTools, languageRuns } from './language.ts';

/** Tags of the model `ext` for a vocal sound, such as `[laugh]`. */
export type VocalEvent = Exclude<InstantTag, 'pause' | 'long-pause'>;

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

/** Words in a tag that stand for a vocal sound. The first match wins, so special words precede general ones. */
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

/** Returns speech, silences and vocal sounds as data, so that tests can check each tag without synthesis. */
export function planUtterance(job: TimbredJob, tools: LanguageTools = {}): Piece[] {
  const base = [
    { rate: job.speed },
    prosodyOfStyle(job.style ?? ''),
    prosodyOfChance(job.seed, job.temperature),
  ].reduce(combine, NEUTRAL);
  const pieces = job.tags === 'closed' ? planClosed(job, base, tools) : planOpen(job, base, tools);
  return pieces.flatMap((piece, at) => pauseAtEnd(piece, pieces[at + 1]));
}

/** The voice model `ext` knows only fixed lists of tags. Unknown tags are spoken as text. */
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

/** Models with open tags accept any words: a pause, a vocal sound, or a way of speaking for the words after it. */
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
        // Tags in angle brackets stand for brief vocal sounds, so an unknown tag becomes a breath.
        else if (job.tags === 'angle-open') pieces.push({ kind: 'event', event: 'breath', prosody: current });
      }
    }
  }
  return pieces;
}

function instant(name: string, prosody: Prosody, segment: TagSegment): Piece[] {
  if (segment.raw.startsWith('</')) return [];
  if (/\bpause|\bsilence|\bbeat\b/.test(name)) {
    const durationMs = /\blong/.test(name)
      ? LONG_PAUSE_MS
      : /\b(short|brief|small)/.test(name)
        ? SHORT_PAUSE_MS
        : PAUSE_MS;
    return [{ kind: 'silence', durationMs }];
  }
  const event = EVENT_WORDS.find(([words]) => words.test(name))?.[1];
  return event === undefined ? [] : [{ kind: 'event', event, prosody }];
}

/** Text without a letter, digit or symbol has nothing to speak and is left out. */
function speech(text: string, prosody: Prosody, job: TimbredJob, tools: LanguageTools): Piece[] {
  const { multilingual, language } = job;
  const itsTools = multilingual ? { ...tools, language } : { ...tools, detector: undefined };
  return languageRuns(text, job.timbre.language, itsTools)
    .flatMap((run) => sung(run.text, run.language, prosody))
    .filter((piece) => /[\p{L}\p{N}\p{S}\p{Extended_Pictographic}]/u.test(piece.text))
    .map((piece) => ({ kind: 'speech', ...piece }));
}

/** Steps of a melody on the synthesizer's pitch scale; `sing-song` alternates between up and down. */
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

/** Parts of a text are spoken separately, so this adds the silence of a full stop or comma at the end of a part. */
function pauseAtEnd(piece: Piece, next: Piece | undefined): Piece[] {
  if (piece.kind !== 'speech' || next === undefined || next.kind === 'silence') return [piece];
  const sign = /([.!?…。！？,;:、，])["'”’)\]]*\s*$/u.exec(piece.text)?.[1];
  if (sign === undefined) return [piece];
  return [piece, { kind: 'silence', durationMs: /[,;:、，]/u.test(sign) ? 120 : 260 }];
}

export type Prosody = typeof NEUTRAL;

const NEUTRAL = {
  rate: 1,
  pitch: 0,
  pitchRange: 0,
  gainDb: 0,
  /** The change of loudness from the start to the end of a spoken part, in decibels. */
  swellDb: 0,
  tremble: 0,
  whisper: false,
  melody: 'none' as 'none' | 'sing-song' | 'singing',
};

/** Combines two ways of speaking: factors multiply and offsets add, within limits that still sound like speech. */
export function combine(a: Prosody, b: Partial<Prosody>): Prosody {
  return {
    rate: clamp(a.rate * (b.rate ?? 1), 0.5, 2),
    pitch: clamp(a.pitch + (b.pitch ?? 0), -45, 45),
    pitchRange: clamp(a.pitchRange + (b.pitchRange ?? 0), -50, 49),
    gainDb: clamp(a.gainDb + (b.gainDb ?? 0), -18, 9),
    swellDb: clamp(a.swellDb + (b.swellDb ?? 0), -14, 14),
    tremble: Math.max(a.tremble, b.tremble ?? 0),
    whisper: a.whisper || (b.whisper ?? false),
    melody: b.melody ?? a.melody,
  };
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value));
}

/** Many of these words also match the beginning of a word: 'whisper' finds 'whispering'. */
const STYLE_WORDS: readonly (readonly [words: RegExp, effect: Partial<Prosody>])[] = [
  [/\b(whisper\w*|hushed|under (?:your|his|her) breath)\b/, { whisper: true, gainDb: -3 }],
  [/\b(fast\w*|quick\w*|rapid\w*|hurr\w+|rush\w*|breathless\w*|urgent\w*)\b/, { rate: 1.25 }],
  [/\b(slow\w*|leisurely|drawn|unhurried|deliberate\w*|drawl\w*)\b/, { rate: 0.78 }],
  [/\b(loud\w*|shout\w*|yell\w*|scream\w*|boom\w*|angr\w+|furious\w*)\b/, { gainDb: 5, pitch: 4, pitchRange: 8 }],
  [/\b(quiet\w*|soft\w*|gentl\w+|tender\w*|low voice|murmur\w*)\b/, { gainDb: -7, pitchRange: -5 }],
  [/\b(excite\w*|enthusias\w+|energetic\w*|thrill\w*)\b/, { rate: 1.12, pitch: 10, pitchRange: 25, gainDb: 2 }],
  [/\b(cheer\w*|happ\w+|joy\w*|bright\w*|playful\w*|delight\w*|warm\w*)\b/, { rate: 1.05, pitch: 8, pitchRange: 18 }],
  [
    /\b(sad\w*|gloom\w*|melanchol\w+|mourn\w*|tired\w*|weary|depress\w*)\b/,
    { rate: 0.86, pitch: -10, pitchRange: -18 },
  ],
  [/\b(calm\w*|relax\w*|sooth\w*|peaceful\w*|meditat\w*)\b/, { rate: 0.9, pitchRange: -8 }],
  [/\b(high|higher|squeak\w*|childlike|shrill)\b/, { pitch: 22 }],
  [/\b(deep\w*|low|lower|grave\w*|solemn\w*|ominous\w*)\b/, { pitch: -18 }],
  [/\b(serious\w*|formal\w*|news\w*|authoritative\w*)\b/, { rate: 0.96, pitch: -5 }],
  [/\b(monoton\w*|flat\w*|robot\w*|bored\w*|deadpan)\b/, { pitchRange: -45 }],
  [/\b(dramatic\w*|expressive\w*|theatric\w*)\b/, { pitchRange: 30, rate: 0.95 }],
  [/\b(nervous\w*|scared|afraid|trembl\w*|fear\w*|anxious\w*)\b/, { tremble: 0.35, pitch: 6 }],
  [/\b(sing|singing|sung|sing-song|singsong)\b/, { melody: 'sing-song' }],
];

const prosodyOfStyle = (style: string): Prosody =>
  STYLE_WORDS.filter(([words]) => words.test(style.toLowerCase())).reduce(
    (prosody, [, effect]) => combine(prosody, effect),
    NEUTRAL,
  );

/** Varies speed and pitch a little by the seed. A higher temperature increases the variation, and widens the melody. */
export function prosodyOfChance(seed: number | undefined, temperature: number | undefined): Prosody {
  const widen = temperature === undefined ? 0 : (temperature - 1) * 22;
  if (seed === undefined) return { ...NEUTRAL, pitchRange: widen };
  const random = seededRandom(seed);
  const amount = 0.4 + 0.6 * (temperature ?? 1);
  const spread = () => random() * 2 - 1;
  return {
    ...NEUTRAL,
    rate: 1 + spread() * 0.06 * amount,
    pitch: spread() * 7 * amount,
    pitchRange: widen + spread() * 10 * amount,
    // The seed also changes the loudness, inaudibly: rounded speed and pitch could give two seeds the same bytes.
    gainDb: spread() * 0.5,
  };
}

/** The random generator mulberry32: the same numbers (0–1) for the same seed on every machine. */
function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
