import { fstatSync, openSync, readSync } from 'node:fs';
import { createRequire } from 'node:module';

/*
 * eSpeak NG's program (espeak-ng.wasm, 18.5 MB) without the 18 MB of language data that are compiled into it: those stay on
 * the disk, and a run reads the files that it opens. In memory they would be three times: in V8's copy of the program,
 * in the program's memory, and in what that is put back to after each run.
 */

/** A file of the language data, in the program's memory and on the disk. */
interface DataFile {
  readonly nameAddress: number;
  readonly address: number;
  readonly length: number;
  readonly position: number;
}

const HEADER_BYTES = 8;
/** The sections of WebAssembly, https://webassembly.github.io/spec/core/binary/modules.html#sections */
const DATA_SECTION = 11;
const I32_CONST = 0x41;
/** More than the head of a section or a segment takes. */
const HEAD_BYTES = 32;
/** Emscripten's table of files: name, length, contents, and a zero at its end. */
const ENTRY_BYTES = 12;

/** Reads the program from its file, which stays open for as long as the thread: Node closes what a thread has opened. */
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
      // Its kind, then an expression: a constant and its end.
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
    /** Puts the data into a fresh memory, but for these files. */
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

/** A number in LEB128, which these are as long as they are positive. */
function unsigned(bytes: Uint8Array, at: number): { value: number; next: number } {
  let value = 0;
  for (let next = at, shift = 0; ; next += 1, shift += 7) {
    const byte = bytes[next] ?? 0;
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return { value, next: next + 1 };
  }
}

/** The path of eSpeak NG's module, or why there is none: it is an optional package. */
export function findEspeak(): { entry: string } | { problem: string } {
  try {
    return { entry: createRequire(import.meta.url).resolve('espeak-ng') };
  } catch {
    return {
      problem:
        'The embedded synthesizer (espeak-ng, an optional package) is not installed: run npm ci without --omit=optional, or set SPEECH_ENGINE_URL.',
    };
  }
}
