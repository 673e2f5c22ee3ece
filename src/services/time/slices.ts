import { createSlices } from '../../audio/clips/slices.ts';

/** Resolves at once while the work's time slice lasts, otherwise in a later round of the event loop. */
export type Pause = () => Promise<void>;

/** Milliseconds for work on texts in each round of the event loop. More would delay the voice packets of all Discord servers. */
const SLICE_MS = 2;

const slices = createSlices(SLICE_MS);
let begun = 0;

/** Returns the `Pause` of a piece of work. Work that began earlier gets time slices first, even if it takes longer. */
export function inSlices(): Pause {
  begun += 1;
  return slices(begun);
}
