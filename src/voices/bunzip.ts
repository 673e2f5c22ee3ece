// Decompresses a bzip2 file in a worker thread: the work takes up to a minute without a pause, and only ending the
// thread can stop it.
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import bzip from 'seek-bzip';

export interface BunzipJob {
  readonly from: string;
  readonly to: string;
  /** The maximum size of the decompressed file: a few hundred bytes of a hostile bzip2 file can become gigabytes. */
  readonly maxBytes: number;
}

const CHUNK = 1 << 16;

function bunzip({ from, to, maxBytes }: BunzipJob): void {
  const input = openSync(from, 'r');
  const output = openSync(to, 'wx', 0o600);
  const read = Buffer.alloc(CHUNK);
  const written = Buffer.alloc(CHUNK);
  let readAt = 0;
  let available = 0;
  let writtenAt = 0;
  let total = 0;
  const fill = () => {
    if (readAt < available) return true;
    readAt = 0;
    available = readSync(input, read);
    return available > 0;
  };
  const flush = () => {
    for (let from = 0; from < writtenAt; ) from += writeSync(output, written, from, writtenAt - from);
    writtenAt = 0;
  };
  const readByte = () => {
    // The bzip2 library would read zeros forever after the end of a truncated file, so an error stops it.
    if (!fill()) throw new Error('ends too early');
    return read[readAt++] as number;
  };
  try {
    bzip.decode(
      {
        readByte,
        read(buffer, at, length) {
          for (let index = 0; index < length; index++) buffer[at + index] = readByte();
          return length;
        },
        eof: () => !fill(),
      },
      {
        writeByte(byte) {
          if (++total > maxBytes) throw new Error(`unpacks to more than ${Math.round(maxBytes / 1e6)} MB`);
          written[writtenAt++] = byte;
          if (writtenAt === CHUNK) flush();
        },
      },
      true,
    );
    flush();
  } catch (error) {
    // seek-bzip throws TypeErrors for bad data, such as a wrong checksum.
    if (error instanceof TypeError) throw new Error('is damaged', { cause: error });
    throw error;
  } finally {
    closeSync(input);
    closeSync(output);
  }
}

bunzip(workerData as BunzipJob);
