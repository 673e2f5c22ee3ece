import { fstatSync, openSync, readSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { pathInPackage } from '../../../process/package.ts';
import { wavFileSamples } from '../../../sound/audio-file.ts';

/*
 * eSpeak NG (GPL-3.0-or-later) is an optional package that runs as a command: arguments and a text file in, a WAV file
 * out. No part of it is in Crier's source.
 */

export const ESPEAK_SAMPLE_RATE_HZ = 22_050;

interface EspeakRequest {
  text: string;
  voice: string;
  /** eSpeak NG speaks at least 80 words a minute, so lower values count as 80. */
  wordsPerMinute: number;
  pitch: number;
  pitchRange: number;
}

export type Espeak = ReturnType<typeof createRunner>;

/** Declares the used part of WebAssembly's API, because TypeScript declares WebAssembly only for browsers. */
interface WebAssemblyApi {
  compile(bytes: Uint8Array): Promise<object>;
  instantiate(module: object, imports: object): Promise<{ exports: unknown }>;
}
const { WebAssembly } = globalThis as unknown as { WebAssembly: WebAssemblyApi };

interface EspeakExports {
  memory: { readonly buffer: ArrayBuffer };
  stackSave(): number;
  stackRestore(pointer: number): void;
  stackAlloc(bytes: number): number;
  __main_argc_argv(argc: number, argv: number): number;
}

interface EspeakModule {
  FS: {
    streams: unknown[];
    lookupPath(path: string): { node: { contents: Uint8Array } };
    writeFile(path: string, data: string): void;
    readFile(path: string): Uint8Array;
    unlink(path: string): void;
    analyzePath(path: string): { exists: boolean };
  };
}

interface EspeakOptions {
  noInitialRun: boolean;
  ___emscripten_embedded_file_data?: number;
  instantiateWasm(imports: object, done: (instance: object) => void): object;
  print(line: string): void;
  printErr(line: string): void;
}

export async function loadEspeak(): Promise<Espeak> {
  const found = findEspeak();
  if ('problem' in found) throw new Error(found.problem);
  const { default: factory }: { default: (options: EspeakOptions) => Promise<EspeakModule> } = await import(
    pathToFileURL(found.entry).href
  );
  const binary = openEspeakProgram(join(dirname(found.entry), 'espeak-ng.wasm'));
  const compiled = await WebAssembly.compile(binary.program);
  const messages: string[] = [];
  const instance = Promise.withResolvers<EspeakExports>();
  const table = () => binary.readTable(options.___emscripten_embedded_file_data ?? 0);
  const options: EspeakOptions = {
    noInitialRun: true,
    instantiateWasm(imports, done) {
      WebAssembly.instantiate(compiled, imports)
        .then((made) => {
          const exports = made.exports as EspeakExports;
          binary.fill(new Uint8Array(exports.memory.buffer), table());
          instance.resolve(exports);
          done(made);
        })
        .catch(instance.reject);
      return {};
    },
    print: (line) => messages.push(line),
    printErr: (line) => messages.push(line),
  };
  const started = factory(options);
  const exports = await instance.promise;
  const module = await started;
  return createRunner(module, exports, messages, readOnDemand(module, exports, binary, table()));
}

/** Loads eSpeak NG's language files when they are opened. Returns a function that drops the loaded files. */
function readOnDemand(
  { FS }: EspeakModule,
  { memory }: EspeakExports,
  { read }: EspeakBinary,
  table: ReturnType<EspeakBinary['readTable']>,
) {
  const opened = new Map<number, Uint8Array>();
  const bytes = Buffer.from(memory.buffer);
  for (const { nameAddress, position, length } of table) {
    const { node } = FS.lookupPath(bytes.toString('utf8', nameAddress, bytes.indexOf(0, nameAddress)));
    Object.defineProperty(node, 'contents', {
      get() {
        const contents = opened.get(position) ?? read(position, length);
        opened.set(position, contents);
        return contents;
      },
    });
  }
  return () => opened.clear();
}

type EspeakBinary = ReturnType<typeof openEspeakProgram>;

/** eSpeak NG expects a fresh process for each run. Restoring its memory takes 2.5 ms, a new instance 90 ms. */
function createRunner(module: EspeakModule, exports: EspeakExports, messages: string[], afterRun: () => void) {
  const { memory } = exports;
  // In eSpeak NG's memory, zero pages are not copied and only changed pages are restored, to save physical memory.
  const fresh = pagesOf(memory.buffer).map((page) => (page.equals(ZEROS) ? undefined : Buffer.from(page)));
  const stackPointer = exports.stackSave();

  const reset = () => {
    pagesOf(memory.buffer).forEach((page, index) => {
      const before = fresh[index] ?? ZEROS;
      if (!page.equals(before)) page.set(before);
    });
    afterRun();
    // A crash leaves eSpeak NG's files open, so all streams except the standard streams are dropped.
    module.FS.streams.length = STANDARD_STREAMS;
    exports.stackRestore(stackPointer);
    messages.length = 0;
  };

  const run = (args: readonly string[]): number => {
    const argv = ['espeak-ng', ...args];
    const table = exports.stackAlloc((argv.length + 1) * 4);
    const pointers = argv.map((argument) => {
      const bytes = Buffer.from(`${argument}\0`);
      const pointer = exports.stackAlloc(bytes.length);
      new Uint8Array(memory.buffer).set(bytes, pointer);
      return pointer;
    });
    new Uint32Array(memory.buffer, table, argv.length + 1).set([...pointers, 0]);
    try {
      return exports.__main_argc_argv(argv.length, table);
    } catch (error) {
      // Emscripten's exit() throws an ExitStatus: eSpeak NG ended normally with this exit code.
      if (error instanceof Object && 'name' in error && error.name === 'ExitStatus' && 'status' in error) {
        return Number(error.status);
      }
      throw error;
    }
  };

  return {
    phonemes(text: string, voice: string): string {
      module.FS.writeFile('/text', sanitise(text));
      try {
        run(['-b', '1', '-q', '-x', '-f', '/text', '-v', voice]);
        return messages.join('\n').trim();
      } finally {
        reset();
      }
    },
    /** The same request always gives the same samples, because each run of eSpeak NG starts with fresh memory. */
    speak(request: EspeakRequest): Float32Array {
      module.FS.writeFile('/text', sanitise(request.text));
      try {
        const status = run([
          ...['-b', '1', '-D', '-z', '-f', '/text', '-w', '/speech.wav', '-v', request.voice],
          ...['-s', String(Math.round(Math.max(80, request.wordsPerMinute)))],
          ...['-p', String(percent(request.pitch)), '-P', String(percent(request.pitchRange))],
        ]);
        if (status !== 0) throw new Error(`eSpeak NG ended with status ${status}: ${messages.join(' ').slice(0, 200)}`);
        // A text with nothing to speak, such as punctuation only, produces no WAV file.
        if (!module.FS.analyzePath('/speech.wav').exists) return new Float32Array(0);
        return wavFileSamples(module.FS.readFile('/speech.wav'));
      } finally {
        if (module.FS.analyzePath('/speech.wav').exists) module.FS.unlink('/speech.wav');
        reset();
      }
    },
  };
}

const STANDARD_STREAMS = 3;
const PAGE_BYTES = 65_536;
const ZEROS = Buffer.alloc(PAGE_BYTES);

function pagesOf(buffer: ArrayBuffer): Buffer[] {
  return Array.from({ length: buffer.byteLength / PAGE_BYTES }, (_, index) =>
    Buffer.from(buffer, index * PAGE_BYTES, PAGE_BYTES),
  );
}

function percent(value: number): number {
  return Math.round(Math.min(99, Math.max(0, value)));
}

/** eSpeak NG drops a word's rest after 200 phonemes, and crashes at 80 suffixes. Real words have up to 60 letters. */
const ENDLESS_WORD = /\S{61,}/gu;
/** Long runs without spaces, such as Chinese text, are cut after punctuation if possible. Combining marks stay with their letters. */
const PART_OF_WORD = /.{20,59}\p{P}|(?:.\p{M}{0,8}){1,60}/gu;
/** eSpeak NG spells numbers from 16 digits on, and drops their rest from 33 digits on. */
const WALL_OF_DIGITS = /\p{Nd}{16,}/gu;
/** Long rows of consonants or signs are split, because eSpeak NG spells each with up to eleven phonemes. */
const WALL_OF_SIGNS = /(?:[b-df-hj-np-tv-xz]{16}|(?:[\p{S}\p{P}]\s?){16})(?=\S)/giu;
/** A clause in eSpeak NG has room for 1,000 phonemes. A digit or a Chinese character has five. */
const ENDLESS_CLAUSE = /(?:(?![,;:!?…]\s|\n\n|\.\s+\P{Ll}|[。，、；：！？])[\s\S]){180}\S*\s+/gu;

/** eSpeak NG silently drops everything beyond its limits, so the text is split to stay within them. */
function sanitise(text: string): string {
  return (
    text
      // NUL ends eSpeak NG's text, and `[[`, even with a soft hyphen between, begins phonemes. Both are replaced.
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the object of the search
      .replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, ' ')
      .replaceAll('[', '(')
      .replace(WALL_OF_DIGITS, (digits) =>
        (digits.match(/.{1,10}/gu) ?? []).map((ten) => [...ten].join(' ')).join(', '),
      )
      .replace(WALL_OF_SIGNS, '$&\n\n')
      .replace(ENDLESS_WORD, (word) => word.match(PART_OF_WORD)?.join(' ') ?? word)
      .replace(ENDLESS_CLAUSE, (clause) => `${clause.trimEnd()}, `)
  );
}

/*
 * The 18 MB of language data in eSpeak NG's program stay on disk, and only opened files are read. In memory, they would
 * exist three times: in V8's copy, in the program's memory, and in the copy for restoring it.
 */

interface DataFile {
  readonly nameAddress: number;
  readonly address: number;
  readonly length: number;
  readonly position: number;
}

const HEADER_BYTES = 8;
/** Numbers in WebAssembly's binary format: https://webassembly.github.io/spec/core/binary/modules.html#sections */
const DATA_SECTION = 11;
const I32_CONST = 0x41;
const HEAD_BYTES = 32;
/** Bytes of an entry in Emscripten's table of files: name, length and contents. A zero ends the table. */
const ENTRY_BYTES = 12;

/** The file of eSpeak NG's program stays open for reading its language data. Node closes it when the thread ends. */
export function openEspeakProgram(path: string) {
  const descriptor = openSync(path, 'r');
  const read = (position: number, length: number): Buffer => {
    const bytes = Buffer.alloc(length);
    return bytes.subarray(0, readSync(descriptor, bytes, 0, length, position));
  };
  const fileBytes = fstatSync(descriptor).size;
  const parts = [read(0, HEADER_BYTES)];
  const segments: { address: number; position: number; length: number }[] = [];
  for (let at = HEADER_BYTES; at < fileBytes; ) {
    const head = read(at, HEAD_BYTES);
    const size = unsigned(head, 1);
    const end = at + size.next + size.value;
    if (head[0] === DATA_SECTION) readSegments(at + size.next);
    else parts.push(read(at, end - at));
    at = end;
  }

  function readSegments(from: number): void {
    const count = unsigned(read(from, HEAD_BYTES), 0);
    let position = from + count.next;
    for (let index = 0; index < count.value; index += 1) {
      const head = read(position, HEAD_BYTES);
      // A WebAssembly data segment begins with its kind, its address (a constant with an end mark) and its length.
      if (head[0] !== 0 || head[1] !== I32_CONST) throw new Error(`${path} has data of a kind that is not known here`);
      const address = unsigned(head, 2);
      const length = unsigned(head, address.next + 1);
      position += length.next;
      segments.push({ address: address.value, position, length: length.value });
      position += length.value;
    }
  }

  function positionOf(address: number): number {
    const segment = segments.find((one) => address >= one.address && address < one.address + one.length);
    if (segment === undefined) throw new Error(`${path} has nothing at ${address}`);
    return segment.position + address - segment.address;
  }

  function readTable(address: number): DataFile[] {
    const files: DataFile[] = [];
    for (let at = positionOf(address); ; at += ENTRY_BYTES) {
      const entry = read(at, ENTRY_BYTES);
      const nameAddress = entry.readUInt32LE(0);
      if (nameAddress === 0) return files;
      const contents = entry.readUInt32LE(8);
      files.push({ nameAddress, length: entry.readUInt32LE(4), address: contents, position: positionOf(contents) });
    }
  }

  return {
    program: Buffer.concat(parts) as Uint8Array<ArrayBuffer>,
    readTable,
    read,
    /** Copies the initial data into the memory of a new instance, except the language data (`files`). */
    fill(memory: Uint8Array, files: readonly DataFile[]): void {
      const inOrder = files.toSorted((one, other) => one.address - other.address);
      for (const { address, position, length } of segments) {
        const put = (from: number, to: number) => memory.set(read(position + from - address, to - from), from);
        const within = inOrder.filter((file) => file.address >= address && file.address < address + length);
        let from = address;
        for (const file of within) {
          put(from, file.address);
          from = file.address + file.length;
        }
        put(from, address + length);
      }
    },
  };
}

/** Reads a number in LEB128. A signed constant that is not negative is read as the same value. */
function unsigned(bytes: Uint8Array, at: number): { value: number; next: number } {
  let value = 0;
  for (let next = at, shift = 0; ; next += 1, shift += 7) {
    const byte = bytes[next] ?? 0;
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return { value, next: next + 1 };
  }
}

export function findEspeak(): { entry: string } | { problem: string } {
  const entry = pathInPackage('espeak-ng');
  if (entry !== undefined) return { entry };
  return {
    problem:
      'The embedded synthesizer (espeak-ng, an optional package) is not installed: run npm ci without --omit=optional, or set SPEECH_ENGINE_URL.',
  };
}
