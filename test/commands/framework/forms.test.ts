import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { readAttachment } from '../../../src/commands/framework/forms.ts';

/** Reads a file of these bytes, as one that was uploaded. */
async function uploaded(bytes: Buffer): Promise<string> {
  const server = createServer((_, response) => void response.end(bytes));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return readAttachment({ url, size: bytes.length }, { maxBytes: 1_000, signal: AbortSignal.timeout(10_000) });
}

test.each([
  ['UTF-8', Buffer.from('grün;ñ')],
  ['UTF-8 with its mark', Buffer.from('\uFEFFgrün;ñ')],
  ['UTF-16 with its mark, as spreadsheets write it', Buffer.from('\uFEFFgrün;ñ', 'utf16le')],
  ['UTF-16 in the other order', Buffer.from('\uFEFFgrün;ñ', 'utf16le').swap16()],
])('a file in %s is read', async (_, bytes) => {
  expect(await uploaded(bytes)).toBe('grün;ñ');
});

test.each([
  ['an older encoding', Buffer.from('grün;ñ', 'latin1')],
  ['no text', Buffer.from([0xff, 0xd8, 0xff, 0xe0])],
])('a file in %s is refused with what to save it as', async (_, bytes) => {
  await expect(uploaded(bytes)).rejects.toMatchObject({ text: { key: 'upload.not-text' } });
});
