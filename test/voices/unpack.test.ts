import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packTar, type TarEntry } from 'modern-tar';
import { expect, test } from 'vitest';
import { extract, unpack } from '../../src/voices/unpack.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { archived } from './release.ts';

const inTime = () => AbortSignal.timeout(30_000);

/** Unpacks into a folder of its own. Whatever the archive holds, nothing may lie outside of that folder. */
async function unpacked(work: (folder: string, root: string) => Promise<void>): Promise<string> {
  const root = temporaryFolder();
  const folder = join(root, 'inner', 'voice');
  mkdirSync(folder, { recursive: true });
  try {
    await work(folder, root);
  } finally {
    expect(readdirSync(root).sort()).toEqual(['archive', 'inner']);
    expect(readdirSync(join(root, 'inner'))).toEqual(['voice']);
  }
  return folder;
}

const unpackedFrom = (archive: Buffer, signal = inTime()) =>
  unpacked(async (folder, root) => {
    writeFileSync(join(root, 'archive'), archive);
    await unpack(join(root, 'archive'), folder, { tar: join(root, 'tar'), maxBytes: 1_000_000, signal });
  });

const extracted = (entries: readonly Partial<TarEntry['header']>[]) =>
  unpacked(async (folder, root) => {
    const files = entries.map((header): TarEntry => ({ header: { name: 'voice/file', size: 0, ...header } }));
    writeFileSync(join(root, 'archive'), await packTar(files));
    await extract(join(root, 'archive'), folder, inTime());
  });

test.each(['', './'])('unpacks files and folders without the folder %svoice, which holds them all', async (before) => {
  const folder = await extracted([
    ...(before ? [{ name: before, type: 'directory' } as const] : []),
    { name: `${before}voice/`, type: 'directory' },
    { name: `${before}voice/model.onnx` },
    { name: `${before}voice/espeak-ng-data/lang/gmw/de` },
    { name: `${before}._voice` },
    { name: `${before}._notes` },
  ]);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.map(({ name }) => name).sort()).toEqual(['de', 'model.onnx']);
});

test.each<[what: string, entries: Partial<TarEntry['header']>[], told: string]>([
  ...['voice/../../evil', '../evil', '/etc/evil', 'voice\\..\\..\\evil', 'voice/C:/evil'].map(
    (name): [string, [{ name: string }], string] => [name, [{ name }], 'holds a path that leaves its folder'],
  ),
  ['a file twice', [{ name: 'voice/a' }, { name: 'voice/A' }], 'holds a file twice'],
  ['a symbolic link', [{ type: 'symlink', linkname: '/etc' }], 'holds a symlink'],
  ['a hard link', [{ type: 'link', linkname: '/etc/passwd' }], 'holds a link'],
  ['a device', [{ type: 'character-device' }], 'holds a character-device'],
  ['a folder in the place of a file', [{ name: 'voice/a' }, { name: 'voice/a/b' }], 'cannot be unpacked'],
  ['a file in the place of a folder', [{ name: 'voice/a/', type: 'directory' }, { name: 'voice/a' }], 'conflict'],
  ['too many folders in each other', [{ name: `voice/${'a/'.repeat(8)}evil` }], 'exceeds max specified depth'],
  // The system's own error would be told as a fault of the disk.
  ['a name that no disk takes', [{ name: `voice/${'a'.repeat(256)}` }], 'holds a name that is too long'],
  [
    'thousands of files',
    Array.from({ length: 2_001 }, (_, index) => ({ name: `voice/${index}` })),
    'holds more than 2000 files and folders',
  ],
])('refuses an archive with %s', async (_, entries, told) => {
  await expect(extracted(entries)).rejects.toMatchObject({
    name: 'HostileArchive',
    message: expect.stringContaining(told),
  });
});

test('refuses a bomb: a small archive that becomes a large one', async () => {
  await expect(unpackedFrom(archived('six-megabytes'))).rejects.toThrow('unpacks to more than 1 MB');
});

test.each<[what: string, change: (archive: Buffer) => Buffer, told: string]>([
  ['is cut off', (archive) => archive.subarray(0, archive.length - 100), 'ends too early'],
  ['has a wrong byte', (archive) => Buffer.from(archive).fill(0xff, 300, 301), 'is damaged'],
  ['is no bzip2', () => Buffer.from('<html>Not found</html>'), 'is damaged'],
])('refuses an archive that %s', async (_, change, told) => {
  await expect(unpackedFrom(change(archived('vits-tone')))).rejects.toThrow(told);
});

test('stops when it is asked to', async () => {
  const asked = new AbortController();
  const failed = expect(unpackedFrom(archived('vits-tone'), asked.signal)).rejects.toThrow('enough');
  asked.abort(new Error('enough'));
  await failed;
});
