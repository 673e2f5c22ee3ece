import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { Interrupt } from './interrupt.ts';

/**
 * Asks on the terminal (the question goes to stderr) and resolves with the line, or undefined when the input ended.
 * `hidden` does not echo the input. Ctrl-C interrupts the command; rejects with the signal's reason.
 */
export function ask(
  question: string,
  interrupt: Interrupt,
  options: { hidden?: boolean } = {},
): Promise<string | undefined> {
  const { signal } = interrupt;
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
  if (signal.aborted) {
    reject(signal.reason);
    return promise;
  }
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({
    input: process.stdin,
    output: options.hidden ? nowhere : process.stderr,
    terminal: true,
    historySize: 0,
  });
  if (options.hidden) process.stderr.write(question);
  const onAbort = () => end(() => reject(signal.reason));
  const end = (settle: () => void) => {
    signal.removeEventListener('abort', onAbort);
    lines.off('close', onClose);
    lines.close();
    if (options.hidden) process.stderr.write('\n');
    settle();
  };
  const onClose = () => end(() => resolve(undefined));
  signal.addEventListener('abort', onAbort, { once: true });
  lines.on('close', onClose);
  lines.on('SIGINT', () => {
    if (!options.hidden) process.stderr.write('\n');
    interrupt.stop();
    if (!signal.aborted) end(() => reject(interrupt.signal.reason));
  });
  lines.question(options.hidden ? '' : question, (line) => end(() => resolve(line)));
  return promise;
}

/** A yes or no question; anything but yes is no. */
export async function confirm(question: string, interrupt: Interrupt): Promise<boolean> {
  const answer = await ask(`${question} [y/N] `, interrupt);
  return /^y(es)?$/i.test(answer?.trim() ?? '');
}
