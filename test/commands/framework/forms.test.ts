import { expect, test } from 'vitest';
import { readAttachment } from '../../../src/commands/framework/forms.ts';
import { serverThat } from '../../loopback-server.ts';

/** Reads a file of these bytes, as one that was uploaded. */
async function uploaded(bytes: Buffer): Promise<string> {
  const url = await serverThat((_, response) => void response.end(bytes));
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
