import type { BotLogLine } from './bot-process.ts';

/** In pino's numbers. */
const LEVELS: Readonly<Record<string, number>> = {
  ...{ trace: 10, debug: 20, info: 30, warn: 40, error: 50 },
  silent: Number.POSITIVE_INFINITY,
};

const numberOf = (chosen: string | undefined): number | undefined => LEVELS[chosen?.trim().toLowerCase() ?? ''];

/** At which level the bot runs for `--set LOG_LEVEL=chosen`: the demo follows it by its log, down to `debug`. */
export function levelToFollow(chosen: string | undefined): string {
  const level = numberOf(chosen);
  // The bot refuses what it does not know.
  if (level === undefined) return chosen || 'debug';
  return level < 20 ? 'trace' : 'debug';
}

/** Whether a line is to be seen at the chosen level, in the file of the log and with `--verbose`. */
export const isLogged = ({ level }: BotLogLine, chosen: string | undefined): boolean =>
  level === undefined || level >= (numberOf(chosen) ?? 0);
