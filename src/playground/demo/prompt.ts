import { clearScreenDown, createInterface, cursorTo, moveCursor } from 'node:readline';
import type { DemoSession } from './session.ts';

interface PromptOptions {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  /** A person types, with completion; otherwise the lines of a pipe. */
  readonly terminal: boolean;
  /** Settles when there is no bot any more. */
  readonly ended: Promise<unknown>;
  /** Aborted when a signal ends the playground: what the bot then says of its own end is shown no more. */
  readonly interrupted: AbortSignal;
}

/**
 * Runs the lines until quit, the end of the input, or that of the bot; returns how many failed. Those of a pipe run one after
 * the other. At a terminal further lines are typed while one runs, whose end is shown above the prompt.
 */
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
  // In raw mode the terminal sends no signal for Ctrl-C: readline emits an event, which is turned into one.
  readline.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  const close = () => readline.close();
  ended.then(close, close);
  let failures = 0;
  let isOver = false;
  const ask = () => {
    readline.setPrompt(session.prompt);
    readline.prompt(true);
  };
  /** In the place of the prompt, and of what was typed ahead: the next prompt shows it again. */
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
    // What the bot says of its own end would read as if it were to go on.
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
