/** How one voice sounds, in the embedded synthesiser's own terms. */
export interface Timbre {
  /** The language (with accent) used for text in Latin letters. */
  language: string;
  /** A voice variant: formants, breathiness and the like. */
  variant: string;
  /** 0–99; 50 is the variant's own pitch. */
  pitch: number;
  /** 0–99; how far the melody moves; 50 is the variant's own. */
  pitchRange: number;
  wordsPerMinute: number;
}

const timbre = (language: string, variant: string, pitch: number, wordsPerMinute: number, pitchRange = 50): Timbre => ({
  language,
  variant,
  pitch,
  pitchRange,
  wordsPerMinute,
});

/** By voice name: a name sounds the same in every model family that has it. */
export const TIMBRES: Readonly<Record<string, Timbre>> = {
  aria: timbre('en-us', 'f2', 52, 165, 60),
  ash: timbre('en-us', 'm7', 40, 160, 55),
  basil: timbre('en-gb', 'm3', 45, 165),
  briar: timbre('en-gb-x-rp', 'Alicia', 50, 170, 60),
  clover: timbre('en-us', 'Annie', 60, 175, 65),
  cove: timbre('en-us', 'michael', 42, 155),
  dorian: timbre('en-gb-scotland', 'm1', 35, 160),
  dune: timbre('en-us', 'john', 50, 170),
  echo: timbre('en-gb', 'f5', 48, 180, 70),
  ember: timbre('en-us', 'steph', 45, 170, 60),
  fable: timbre('en-gb-x-rp', 'm8', 55, 150, 65),
  flint: timbre('en-us-nyc', 'boris', 40, 165),
  garnet: timbre('en-us', 'belinda', 50, 160, 55),
  hazel: timbre('en-gb', 'f4', 42, 165, 60),
  ivy: timbre('en-gb', 'f3', 55, 170, 60),
  jasper: timbre('en-us', 'm2', 48, 168),
  rowan: timbre('en-gb', 'm5', 50, 158),
  wren: timbre('en-us', 'f1', 58, 172, 60),
};
