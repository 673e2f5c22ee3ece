import { styleText } from 'node:util';

/** Data of the command, for whoever reads the pipe. */
export function print(text: string): void {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
}

/** What a person should know: never on stdout. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Writes bytes to stdout and waits until a slow reader has taken them; rejects when they cannot be written. */
export async function printBytes(bytes: Uint8Array, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onAbort = () => reject(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  process.stdout.write(bytes, (error) => (error ? reject(error) : resolve()));
  await promise.finally(() => signal.removeEventListener('abort', onAbort));
}

export type Style = 'bold' | 'dim' | 'red' | 'yellow' | 'green' | 'cyan';

/** Colours only for eyes: a terminal, unless NO_COLOR (https://no-color.org) or a dumb terminal says otherwise. */
export function hasColours(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv = process.env): boolean {
  return stream.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
}

export function styled(style: Style, text: string, stream: NodeJS.WriteStream): string {
  return hasColours(stream) ? styleText(style, text, { validateStream: false }) : text;
}

export function warn(text: string): void {
  note(`${styled('yellow', 'warning:', process.stderr)} ${text}`);
}

/** Whether somebody can be asked: keys come from a terminal, and the question is seen on one. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** Control characters of others' texts must not steer the terminal. */
export function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');
}

export const number = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: 2 });

/** '1 credit', '2 credits'. */
export function counted(count: number, singular: string, plural = `${singular}s`): string {
  return `${number(count)} ${count === 1 ? singular : plural}`;
}
