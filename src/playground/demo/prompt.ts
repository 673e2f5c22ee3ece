import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { clearScreenDown, createInterface, cursorTo } from 'node:readline';
import type { DemoSession } from './demo-session.ts';

const KEPT_HISTORY_LINES = 500;

export function loadHistory(path: string): string[] {
  // readline wants the newest line first; the file is kept in the order of typing.
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean).reverse() : [];
}

export function saveHistory(path: string, newestFirst: readonly string[]): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${newestFirst.slice(0, KEPT_HISTORY_LINES).toReversed().join('\n')}\n`, { mode: 0o600 });
}

interface Prompt {
  /** Ends with the input, and when `ended` settles, as there is no bot any more. */
  lines(): AsyncGenerator<string>;
  /** At a terminal above the line that is being typed, which stays as it is. */
  print(shown: readonly string[]): void;
}

/** The lines a person types, with completion and a history that outlives the run; or those of a pipe. */
export function openPrompt(
  session: DemoSession,
  options: { readonly historyFile: string; readonly ended: Promise<unknown> },
): Prompt {
  const terminal = Boolean(process.stdin.isTTY);
  let history = terminal ? loadHistory(options.historyFile) : [];
  const readline = createInterface({
    input: process.stdin,
    terminal,
    ...(terminal
      ? { output: process.stdout, history, historySize: KEPT_HISTORY_LINES, removeHistoryDuplicates: true }
      : {}),
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
  options.ended.then(
    () => readline.close(),
    () => readline.close(),
  );
  const ask = () => {
    if (!terminal) return;
    readline.setPrompt(session.prompt);
    readline.prompt();
  };
  let isAsking = false;
  return {
    async *lines() {
      try {
        ask();
        isAsking = true;
        for await (const line of readline) {
          isAsking = false;
          if (line.trim() !== '') yield line.trim();
          ask();
          isAsking = true;
        }
      } finally {
        isAsking = false;
        readline.close();
        if (terminal) saveHistory(options.historyFile, history);
      }
    },
    print(shown) {
      const isTyping = terminal && isAsking;
      if (isTyping) {
        cursorTo(process.stdout, 0);
        clearScreenDown(process.stdout);
      }
      process.stdout.write(`${shown.join('\n')}\n\n`);
      if (isTyping) readline.prompt(true);
    },
  };
}
