import { clearScreenDown, createInterface, cursorTo, moveCursor } from 'node:readline';
import type { DemoSession } from './session.ts';

interface PromptOptions {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  readonly terminal: boolean;
  readonly ended: Promise<unknown>;
  readonly interrupted: AbortSignal;
}

/** Returns how many lines failed. Lines from a pipe run one by one; at a terminal, lines may overlap. */
export async function runLines(session: DemoSession, options: PromptOptions): Promise<number> {
  const { input, output, terminal, ended, interrupted } = options;
  const readline = createInterface({
    input,
    output: terminal ? output : undefined,
    terminal,
    completer: (line: string, callback: (error: Error | null, result: [string[], string]) => void) => {
      session.complete(line).then(
        (result) => callback(null, result),
        () => callback(null, [[], line]),
      );
    },
  });
  // In raw mode the terminal sends no signal for Ctrl-C: readline emits an event instead, which becomes a signal here.
  readline.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  const close = () => readline.close();
  ended.then(close, close);
  let failures = 0;
  let isOver = false;
  const ask = () => {
    readline.setPrompt(session.prompt);
    readline.prompt(true);
  };
  /** Inserts text above the prompt, so that a half-typed line stays intact. */
  const show = (text: string) => {
    if (!terminal) return output.write(text);
    moveCursor(output, 0, -readline.getCursorPos().rows);
    cursorTo(output, 0);
    clearScreenDown(output);
    output.write(text);
    ask();
  };
  const run = async (line: string) => {
    if (!terminal) show(`${session.prompt}${line}\n`);
    const { ok, shown } = await session.run(line);
    if (!ok) failures += 1;
    // When the playground ends, the bot's replies are no longer shown: a user would think that the bot continues.
    if (!isOver && !interrupted.aborted) show(`${shown.join('\n')}\n\n`);
  };
  if (terminal) ask();
  for await (const typed of readline) {
    const line = typed.trim();
    if (/^(quit|exit)$/i.test(line)) break;
    const running = line === '' ? undefined : run(line);
    if (terminal) ask();
    else await running;
  }
  isOver = true;
  readline.close();
  return failures;
}
