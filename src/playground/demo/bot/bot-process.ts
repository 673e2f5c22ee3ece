import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { NODE_FLAGS } from '../../../process/child-environment.ts';

/** A line of the bot's log; other output becomes `{ msg }`. `takenAtMs` is its arrival by `performance.now()`. */
export type BotLogLine = { readonly level?: number; readonly msg?: string; readonly takenAtMs: number } & Record<
  string,
  unknown
>;

export interface BotProcess {
  readonly pid: number;
  readonly ended: Promise<BotEnd>;
  readonly log: readonly BotLogLine[];
  /** Finds the first line that `matches`, already logged or coming. Rejects at the deadline or when the bot ends. */
  logged(matches: (line: BotLogLine) => boolean, timeoutMs?: number): Promise<BotLogLine>;
  signal(signal: NodeJS.Signals): void;
  /** Sends SIGINT, which does not wait for current speech. Rejects if the bot had to be killed after `graceMs`. */
  stop(graceMs?: number): Promise<void>;
}

const KEPT_LOG_LINES = 200;
const LOGGED_MS = 30_000;
const MAIN = fileURLToPath(new URL('../../../main.ts', import.meta.url));
const PRELOAD = new URL('./preload.ts', import.meta.url).href;

const EXAMPLE = new URL('../../../../.env.example', import.meta.url);

export const SETTING_NAMES = [...readFileSync(EXAMPLE, 'utf8').matchAll(/^#?([A-Z][A-Z0-9_]*)=/gm)].map(
  ([, name = '']) => name,
);

const SET_ELSEWHERE = ['DISCORD_TOKEN', 'DISCORD_API_URL', 'DATA_DIR', 'LOG_LEVEL', 'FFMPEG_BIN'];

/** Empty values for the bot's settings: a developer's own `.env` then has no effect on a bot started here. */
export const UNCONFIGURED: Readonly<Record<string, string>> = {
  ...Object.fromEntries(SETTING_NAMES.filter((name) => !SET_ELSEWHERE.includes(name)).map((name) => [name, ''])),
  // Metrics are off: tests run many bots on one machine, and only one of them could use the default port.
  METRICS_PORT: 'off',
};

function parseLogLine(text: string): BotLogLine {
  const takenAtMs = performance.now();
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === 'object' && parsed !== null) return { ...parsed, takenAtMs };
  } catch {
    // If the bot crashes, Node prints plain text instead of JSON: such a line becomes the message of a log entry.
  }
  return { msg: text, takenAtMs };
}

interface BotEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export function createBotLog({
  ended,
  onLogLine,
}: {
  readonly ended: Promise<BotEnd>;
  readonly onLogLine: ((line: BotLogLine) => void) | undefined;
}) {
  const log: BotLogLine[] = [];
  const listeners = new Set<(line: BotLogLine) => void>(onLogLine ? [onLogLine] : []);
  const withLastLines = (problem: string) => {
    const lines = log.slice(-15).map((line) => JSON.stringify(line));
    return new Error(`${problem}; its last lines:\n${lines.join('\n')}`);
  };
  return {
    log: log as readonly BotLogLine[],
    take(text: string): void {
      const line = parseLogLine(text);
      log.push(line);
      if (log.length > KEPT_LOG_LINES) log.shift();
      for (const listener of listeners) listener(line);
    },
    async logged(matches: (line: BotLogLine) => boolean, timeoutMs = LOGGED_MS): Promise<BotLogLine> {
      const known = log.find(matches);
      if (known) return known;
      const { promise, resolve, reject } = Promise.withResolvers<BotLogLine>();
      const listener = (line: BotLogLine) => {
        if (matches(line)) resolve(line);
      };
      const timer = setTimeout(() => reject(withLastLines(`The bot did not log that in ${timeoutMs} ms`)), timeoutMs);
      listeners.add(listener);
      ended.then(({ code, signal }) => reject(withLastLines(`The bot ended (${signal ?? `exit ${code}`})`)), reject);
      return promise.finally(() => {
        clearTimeout(timer);
        listeners.delete(listener);
      });
    },
    withLastLines,
  };
}

export function startBotProcess(options: {
  readonly env: Readonly<Record<string, string>>;
  readonly onLogLine?: (line: BotLogLine) => void;
  /** A command, such as `unshare …`, that runs the bot: the bot's command line follows as its arguments. */
  readonly by?: readonly string[];
  readonly main?: string;
}): BotProcess {
  const command = [...(options.by ?? []), process.execPath, ...NODE_FLAGS, '--import', PRELOAD, options.main ?? MAIN];
  const child = spawn(command[0] ?? process.execPath, command.slice(1), {
    env: { ...process.env, ...UNCONFIGURED, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const exited = Promise.withResolvers<BotEnd>();
  const { promise: ended } = exited;
  const { log, logged, take, withLastLines } = createBotLog({ ended, onLogLine: options.onLogLine });
  const readers = [child.stdout, child.stderr].map((stream) => {
    if (!stream) throw new Error('The bot was started without its output streams');
    return createInterface({ input: stream }).on('line', take);
  });
  child.once('error', exited.reject);
  child.once('close', (code, signal) => {
    for (const reader of readers) reader.close();
    exited.resolve({ code, signal });
  });
  // If the bot cannot start and nobody awaits `ended`, an unhandled rejection would end this process.
  ended.catch(() => undefined);

  return {
    pid: child.pid ?? -1,
    ended,
    log,
    logged,
    signal: (signal) => void child.kill(signal),
    async stop(graceMs = 10_000) {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGINT');
      const outcome = await Promise.race([ended, sleep(graceMs, 'late', { ref: false })]);
      if (outcome !== 'late') return;
      child.kill('SIGKILL');
      await ended;
      throw withLastLines(`The bot did not end within ${graceMs} ms of SIGINT and was killed`);
    },
  };
}
