import { pino } from 'pino';

export const silentLog = pino({ level: 'silent' });

/** A log, and what is written to it from a level on. */
export function writtenLog(level: 'trace' | 'info' | 'warn') {
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level, base: null, timestamp: false }, { write: (line) => lines.push(JSON.parse(line)) });
  return { log, lines };
}
