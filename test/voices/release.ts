import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CatalogModel } from '../../src/voices/catalog.ts';
import { serverThat } from '../loopback-server.ts';
import { TONE as TINY_TONE } from './tiny-model.ts';

const { version: _, ...described } = TINY_TONE;

export const TONE: CatalogModel = { ...described, archive: 'vits-tone', megabytes: 0.02 };

/** One of the archives beside this file, which `tar` and `bzip2` made; `vits-tone` has the files of TINY_MODEL. */
export const archived = (name: string): Buffer =>
  readFileSync(join(import.meta.dirname, 'archives', `${name}.tar.bz2`));

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** A release server on loopback with one archive. */
export async function releaseServer(
  archive = archived(TONE.archive),
  { checksum = sha256(archive), name = TONE.archive } = {},
) {
  /** What was requested: the bytes from which on, or the list. */
  const requests: string[] = [];
  const { promise: hanging, resolve: hang } = Promise.withResolvers<void>();
  const server = {
    requests,
    address: '',
    /** The connection is lost after so many bytes of each answer. */
    cutAfter: Infinity,
    /** An answer ends after so many bytes, without an end of its connection. */
    hangAfter: Infinity,
    /** Resolves when an answer has ended so. */
    hanging,
  };
  server.address = await serverThat(({ url, headers }, response) => {
    if (url === '/tts-models/checksum.txt') {
      requests.push('checksum.txt');
      response.end(`${'0'.repeat(64)}  other.tar.bz2\n${checksum}  ${name}.tar.bz2\n`);
      return;
    }
    const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0);
    requests.push(`from ${from}`);
    if (from >= archive.length) {
      response.writeHead(416, { 'content-range': `bytes */${archive.length}` }).end();
      return;
    }
    const rest = archive.subarray(from);
    response.writeHead(from > 0 ? 206 : 200, {
      'content-length': rest.length,
      ...(from > 0 && { 'content-range': `bytes ${from}-${archive.length - 1}/${archive.length}` }),
    });
    const { cutAfter, hangAfter } = server;
    if (rest.length <= Math.min(cutAfter, hangAfter)) response.end(rest);
    else if (hangAfter < cutAfter) response.write(rest.subarray(0, hangAfter), () => hang());
    else response.write(rest.subarray(0, cutAfter), () => response.destroy());
  });
  server.address += '/tts-models';
  return server;
}
