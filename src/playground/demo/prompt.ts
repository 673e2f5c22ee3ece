import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { clearScreenDown, createInterface, cursorTo, moveCursor } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import type { DemoSession } from './demo-session.ts';

const KEPT_HISTORY_LINES = 500;
/** At a terminal the next line can be typed after this, also while the bot still speaks. */
const NEXT_LINE_AFTER_MS = 1_000;

export function loadHistory(path: string): string[] {
  // readline wants the newest line first; the file is kept in the order of typing.
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean).reverse() : [];
}

export function saveHistory(path: string, newestFirst: readonly string[]): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${newestFirst.slice(0, KEPT_HISTORY_LINES).toReversed().join('\n')}\n`, { mode: 0o600 });
}

interface PromptOptions {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  /** A person types, with completion and a history that outlives the run; otherwise the lines of a pipe. */
  readonly terminal: boolean;
  readonly historyFile: string;
  /** Settles when there is no bot any more. */
  readonly ended: Promise<unknown>;
  /** Aborted when a signal ends the playground: what the bot then says of its own end is shown no more. */
  readonly interrupted?: AbortSignal;
  readonly nextLineAfterMs?: number;
}

function openReadline(session: DemoSession, { input, output, terminal, historyFile, ended }: PromptOptions) {
  let history = terminal ? loadHistory(historyFile) : [];
  const readline = createInterface({
    input,
    terminal,
    ...(terminal ? { output, history, historySize: KEPT_HISTORY_LINES, removeHistoryDuplicates: true } : {}),
    completer: (line: string, callback: (error: Error | null, result: [string[], string]) => void) => {
      session.complete(line).then(
        (result) => callback(null, result),
        () => callback(null, [[], line]),
      );
    },
  });
  readline.on('history', (lines) => {
    history = lines;
  });
  // In raw mode the terminal sends no signal for Ctrl-C: readline emits an event, which is turned into one.
  readline.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  const close = () => readline.close();
  ended.then(close, close);
  return { readline, saveLines: () => terminal && saveHistory(historyFile, history) };
}

/** What becomes of lines that were not waited for. */
const cutShort = (lines: readonly string[]): string =>
  ['Not finished, and stopped because the playground ends:', ...lines.map((line) => `  ${line}`), ''].join('\n');

/**
 * Runs the lines until quit, the end of the input, or that of the bot; returns how many failed. Those of a pipe run one after
 * the other. At a terminal a line that takes long goes on while further ones are typed, and its end is shown above the prompt.
 */
export async function runLines(session: DemoSession, options: PromptOptions): Promise<number> {
  const { output, terminal } = options;
  const { readline, saveLines } = openReadline(session, options);
  let failures = 0;
  let asking = false;
  let isOver = false;
  const ask = () => {
    if (!terminal) return;
    readline.setPrompt(session.prompt);
    readline.prompt(true);
    asking = true;
  };
  /** In the place of the prompt, and of what was typed ahead: the next prompt shows it again. */
  const showAbove = (text: string) => {
    moveCursor(output, 0, -readline.getCursorPos().rows);
    cursorTo(output, 0);
    clearScreenDown(output);
    output.write(text);
  };
  const say = (text: string) => (terminal ? showAbove(text) : output.write(text));
  const runShown = async (line: string, typed: string) => {
    const { ok, shown } = await session.run(line);
    if (!ok) failures += 1;
    // What the bot says of its own end would read as if it were to go on.
    if (isOver || options.interrupted?.aborted) return;
    const text = `${shown.join('\n')}\n\n`;
    if (!terminal) output.write(text);
    else if (!asking) showAbove(text);
    else {
      showAbove(`${typed}\n${text}`);
      ask();
    }
  };
  let hasBotEnded = false;
  const noteEnd = () => {
    hasBotEnded = true;
  };
  options.ended.then(noteEnd, noteEnd);
  let isToldToQuit = false;
  try {
    ask();
    for await (const input of readline) {
      asking = false;
      const line = input.trim();
      isToldToQuit = /^(quit|exit)$/i.test(line);
      if (isToldToQuit) break;
      if (line !== '') {
        const typed = `${session.prompt}${line}`;
        if (!terminal) output.write(`${typed}\n`);
        const running = runShown(line, typed);
        const nextLine = delay(options.nextLineAfterMs ?? NEXT_LINE_AFTER_MS, undefined, { ref: false });
        await (terminal ? Promise.race([running, nextLine]) : running);
      }
      ask();
    }
    // A pipe that ends can no longer say wait.
    if (!terminal && !isToldToQuit && !hasBotEnded && session.hasPending()) await runShown('wait', '');
    isOver = true;
    const left = session.inProgress();
    if (left.length > 0 && !hasBotEnded && !options.interrupted?.aborted) say(cutShort(left));
  } finally {
    asking = false;
    isOver = true;
    readline.close();
    saveLines();
  }
  return failures;
}
