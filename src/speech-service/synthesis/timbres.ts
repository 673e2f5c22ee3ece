/** How one voice sounds, in the embedded synthesiser's own terms. */
export interface Timbre {
  /** The language (with accent) used for text in Latin letters. */
  language: string;
  /** A voice variant: formants, breathiness and the like. */
  variant: string;
  female: boolean;
  /** 0–99; 50 is the variant's own pitch. */
  pitch: number;
  /** 0–99; how far the melody moves; 50 is the variant's own. */
  pitchRange: number;
  wordsPerMinute: number;
  /** Brings every voice to about −20 dB (RMS of a sentence against full scale). */
  gainDb: number;
}

/** Language, variant, gender, pitch, words a minute, pitch range, gain. */
type Row = readonly [string, string, 'f' | 'm', number, number, number, number];

function timbre(...[language, variant, gender, pitch, wordsPerMinute, pitchRange, gainDb]: Row): Timbre {
  return { language, variant, female: gender === 'f', pitch, pitchRange, wordsPerMinute, gainDb };
}

/**
 * By voice name: a name sounds the same in every model family that has it. British is plain `en` here: the synthesiser
 * ignores a variant after its other name, `en-gb`.
 */
export const TIMBRES: Readonly<Record<string, Timbre>> = {
  aria: timbre('en-us', 'f2', 'f', 52, 165, 60, -1),
  ash: timbre('en-us', 'm7', 'm', 40, 160, 55, 0),
  basil: timbre('en', 'm3', 'm', 45, 165, 50, 0),
  briar: timbre('en-gb-x-rp', 'Alicia', 'f', 50, 170, 60, 0),
  clover: timbre('en-us', 'Annie', 'f', 60, 175, 65, 0),
  cove: timbre('en-us', 'michael', 'm', 42, 155, 50, 1),
  dorian: timbre('en-gb-scotland', 'm1', 'm', 35, 160, 50, 1),
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
