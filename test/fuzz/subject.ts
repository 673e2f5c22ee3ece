import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { withDeadline } from '../../src/services/time/timers.ts';

/** One kind of input from outside, and what must hold whatever it holds. */
export interface Subject {
  /** Also the name of its folder in `corpus`, and of its file in `dictionaries`. */
  readonly name: string;
  /** Beside those in the file. */
  readonly pieces?: readonly string[];
  /** Files are bytes, all else is text. */
  readonly kind: 'bytes' | 'text';
  /** Milliseconds of CPU time that one input may take. */
  readonly mostCpuMs: number;
  /** Inputs of one replay in the tests, besides the corpus: a process or a connection each is expensive. */
  readonly runs: number;
  open(): Promise<Checker> | Checker;
}

export interface Checker {
  /** Throws when something does not hold. */
  check(input: Buffer): void | Promise<void>;
  close?(): Promise<void>;
}

/** A scene's answer takes a second at most, ffmpeg's as well. */
const HANGS_AFTER_MS = 10_000;

const at = (path: string, name: string) =>
  fileURLToPath(new URL(`${path}/${name.replaceAll(' ', '-')}`, import.meta.url));
const folderOf = (name: string) => `${at('corpus', name)}/`;

/**
 * What the format is made of, a string of JSON a line: random bytes alone hardly ever get behind the first check.
 * Those for files are bytes, in Latin-1.
 */
function piecesFor({ name, kind, pieces = [] }: Subject): Buffer[] {
  const lines = readFileSync(`${at('dictionaries', name)}.txt`, 'utf8')
    .trimEnd()
    .split('\n');
  const encoding = kind === 'bytes' ? 'latin1' : 'utf8';
  return [...pieces, ...lines.map((line) => JSON.parse(line))].map((piece) => Buffer.from(piece, encoding));
}

/** Valid examples, and every input that once did harm. */
export function corpusOf({ name }: Subject) {
  const folder = folderOf(name);
  return readdirSync(folder)
    .sort()
    .map((file) => ({ file, input: readFileSync(`${folder}${file}`) }));
}

/** Adds an input that did harm; the name of its file. */
export function keep({ name, kind }: Subject, input: Buffer): string {
  const digest = createHash('sha256').update(input).digest('hex').slice(0, 12);
  const file = `${folderOf(name)}found-${digest}.${kind === 'bytes' ? 'bin' : 'txt'}`;
  writeFileSync(file, input);
  return file;
}

/** At a place between 0 and 1 of what there is. */
function edited(input: Buffer, { at, cut, put }: { at: number; cut: number; put: Buffer }): Buffer {
  const from = Math.floor(at * input.length);
  return Buffer.concat([input.subarray(0, from), put, input.subarray(from + cut)]);
}

/** Examples with some bytes changed, cut and put in, and inputs of pieces alone. */
export function inputsFor(subject: Subject): fc.Arbitrary<Buffer> {
  const examples = corpusOf(subject).map(({ input }) => input);
  const bytes = (maxLength: number) => fc.uint8Array({ maxLength }).map((raw) => Buffer.from(raw));
  const piece = fc.constantFrom(...piecesFor(subject));
  const any =
    subject.kind === 'bytes'
      ? bytes(2_000)
      : fc.string({ unit: 'binary', maxLength: 500 }).map((raw) => Buffer.from(raw));
  const edit = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    cut: fc.oneof(fc.constant(0), fc.nat(16), fc.nat(4_000)),
    put: fc.oneof(fc.constant(Buffer.alloc(0)), bytes(4), piece),
  });
  const changed = fc
    .tuple(fc.constantFrom(...examples), fc.array(edit, { maxLength: 6 }))
    .map(([example, edits]) => edits.reduce(edited, example));
  const joined = fc
    .array(fc.oneof({ weight: 3, arbitrary: piece }, bytes(6)), { maxLength: 40 })
    .map((parts) => Buffer.concat(parts));
  return fc.oneof({ weight: 4, arbitrary: changed }, { weight: 2, arbitrary: joined }, { weight: 1, arbitrary: any });
}

/** The check, and that it takes no longer than it may: in the best of some runs, since the machine does other things too. */
export async function checked({ mostCpuMs }: Subject, { check }: Checker, input: Buffer): Promise<void> {
  // Before the limit of the whole run, which fast-check takes for a success.
  const inTime = (work: void | Promise<void>) =>
    work && withDeadline(work, { timeoutMs: HANGS_AFTER_MS, what: 'This input' });
  let leastMs = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 8 && leastMs > mostCpuMs; run++) {
    const before = process.cpuUsage();
    await inTime(check(input));
    const { user, system } = process.cpuUsage(before);
    leastMs = (user + system) / 1_000;
  }
  if (leastMs > mostCpuMs) throw new Error(`It takes ${leastMs.toFixed(1)} ms of CPU time, ${mostCpuMs} at most`);
}
