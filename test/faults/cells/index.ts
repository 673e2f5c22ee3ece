import type { Cell } from '../cell.ts';
import { VOICE_CODES } from './voice-codes.ts';

/** The matrix: a row for each. */
export const CELLS: readonly Cell[] = [...VOICE_CODES];
