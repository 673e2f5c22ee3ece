/** How a stretch of text is spoken, relative to the voice's own way. */
export interface Prosody {
  /** Factor on the speed. */
  rate: number;
  /** Added to the synthesiser's 0–99 scales. */
  pitch: number;
  pitchRange: number;
  gainDb: number;
  /** Change of loudness from the start to the end of the stretch. */
  swellDb: number;
  /** Depth of a trembling of the loudness, 0–1. */
  tremble: number;
  whisper: boolean;
  /** Each word on a pitch of its own: going up and down, or held on the notes of a tune. */
  melody: 'none' | 'sing-song' | 'singing';
}

export const NEUTRAL: Prosody = {
  rate: 1,
  pitch: 0,
  pitchRange: 0,
  gainDb: 0,
  swellDb: 0,
  tremble: 0,
  whisper: false,
  melody: 'none',
};

/** Both at once: factors multiply, offsets add, within limits that still sound like speech. */
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

/** The effects of words in a delivery instruction, by the word's beginning ('whisper' also finds 'whispering'). */
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

const EMPHASIS = /\b(very|extremely|really|much)\b/;

/** The prosody of a delivery instruction in English; unknown words have no effect. */
export function prosodyOfStyle(style: string): Prosody {
  const text = style.toLowerCase();
  const strength = EMPHASIS.test(text) ? 1.5 : 1;
  return STYLE_WORDS.filter(([words]) => words.test(text)).reduce(
    (prosody, [, effect]) => combine(prosody, strengthen(effect, strength)),
    NEUTRAL,
  );
}

function strengthen(effect: Partial<Prosody>, strength: number): Partial<Prosody> {
  return {
    ...effect,
    ...(effect.rate !== undefined && { rate: effect.rate ** strength }),
    ...(effect.pitch !== undefined && { pitch: effect.pitch * strength }),
    ...(effect.pitchRange !== undefined && { pitchRange: effect.pitchRange * strength }),
    ...(effect.gainDb !== undefined && { gainDb: effect.gainDb * strength }),
  };
}

/** A seed moves speed and pitch a little, the more the higher the temperature; temperature also widens the melody. */
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
    // Too little to hear, and never the same for two seeds, so that two seeds never give the same bytes.
    gainDb: spread() * 0.5,
  };
}

/** mulberry32: the same numbers (0–1) for the same seed, on every machine. */
export function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
