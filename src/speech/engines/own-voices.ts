/* The local voice's own voices by name: those of its service, which any engine can speak, and which the settings refer to. */

/** The same names recur across the gpro families, and two of them in `ext`, so that ambiguity can be tried. */
export const GPRO_NAMES = ['aria', 'basil', 'clover', 'dorian', 'ember', 'fable', 'garnet', 'hazel'] as const;
export const EXT_NAMES = ['aria', 'ash', 'basil', 'briar', 'cove', 'dune', 'echo', 'flint'] as const;
export const ORPHEUS_VOICES = [
  ['ivy', 'en-GB 🇬🇧'],
  ['jasper', 'en-US 🇺🇸'],
  ['rowan', 'en-GB 🇬🇧'],
  ['wren', 'en-US 🇺🇸'],
] as const;

const NAMES: readonly string[] = [
  ...new Set<string>([...GPRO_NAMES, ...EXT_NAMES, ...ORPHEUS_VOICES.map(([name]) => name)]),
].sort();

/** What is wrong with a name that should be one of them, if anything. */
export const unknownVoice = (name: string): string | undefined =>
  NAMES.includes(name) ? undefined : `names ${name}, which is none of our voices: ${NAMES.join(', ')}`;
