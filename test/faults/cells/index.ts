import type { Cell } from '../cell.ts';
import { DAVE } from './dave.ts';
import { DISCORD } from './discord.ts';
import { MACHINE } from './machine.ts';
import { VOICE } from './voice.ts';

export const CELLS: readonly Cell[] = [...VOICE, ...DAVE, ...DISCORD, ...MACHINE];
