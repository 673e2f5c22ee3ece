import type { Row } from '../row.ts';
import { row as firstPacket } from './01-first-packet.ts';
import { row as cached } from './02-cached.ts';
import { row as cold } from './03-cold.ts';
import { row as longText } from './04-long-text.ts';
import { withoutDave as speakers, withDave as speakersDave } from './05-speakers.ts';
import { row as memory } from './07-memory.ts';
import { row as cpu } from './08-cpu.ts';
import { row as stall } from './09-stall.ts';
import { row as failingGuild } from './10-failing-guild.ts';
import { row as backToBack } from './11-back-to-back.ts';
import { row as start } from './12-start.ts';
import { row as servers } from './13-servers.ts';

/** The rows in the table's order. A new row needs its file and a line here. */
export const ROWS: readonly Row[] = [
  firstPacket,
  cached,
  cold,
  longText,
  speakersDave,
  speakers,
  memory,
  cpu,
  stall,
  failingGuild,
  backToBack,
  start,
  servers,
];
