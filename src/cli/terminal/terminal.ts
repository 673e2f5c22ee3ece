import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { styleText } from 'node:util';
import type { Interrupt } from './exit.ts';

export function print(text: string): void {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
}

/** Characters that JSON leaves unescaped but terminals may obey: DEL, C1, line separators and direction controls. */
const OBEYED_BY_TERMINALS = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

export function json(value: unknown, indent?: number): string {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value, null, indent).replace(OBEYED_BY_TERMINALS, escaped);
}

/** Messages go to stderr, because stdout carries the data. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Waits for slow readers. Rejects if the bytes cannot be written. */
export async function printBytes(bytes: Uint8Array, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onAbort = () => reject(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  process.stdout.write(bytes, (error) => (error ? reject(error) : resolve()));
  await promise.finally(() => signal.removeEventListener('abort', onAbort));
}

type Style = 'bold' | 'dim' | 'red' | 'yellow' | 'green' | 'cyan';

/** Only a terminal gets colors, unless NO_COLOR (https://no-color.org) or a dumb terminal rules them out. */
export function styled(style: Style, text: string, stream: NodeJS.WriteStream): string {
  const { NO_COLOR, TERM } = process.env;
  const hasColors = stream.isTTY === true && !NO_COLOR && TERM !== 'dumb';
  return hasColors ? styleText(style, text, { validateStream: false }) : text;
}

export function warn(text: string): void {
  note(`${styled('yellow', 'warning:', process.stderr)} ${plainLines(text)}`);
}

export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/**
 * Makes untrusted text safe for one line. Control characters could steer the terminal, line breaks could forge table
 * rows, and direction controls could reorder other text.
 */
export function plain(text: string): string {
  return text.replace(/[\t-\r\u0085\u2028\u2029]+/g, ' ').replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '');
}

export const plainLines = (text: string): string => text.split('\n').map(plain).join('\n');

export const number = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: 2 });

export const counted = (count: number, singular: string): string =>
  `${number(count)} ${singular}${count === 1 ? '' : 's'}`;

/**
 * Resolves with undefined if the input ended. With `hidden`, the terminal does not show what the user types. Rejects
 * with the signal's reason after Ctrl-C.
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

export async function confirm(question: string, interrupt: Interrupt): Promise<boolean> {
  const answer = await ask(`${question} [y/N] `, interrupt);
  return /^y(es)?$/i.test(answer?.trim() ?? '');
}
