import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { unpack } from '../../src/voices/unpack.ts';
import { bzip2 } from './bzip2.ts';
import { archiveOf, type Entries } from './release.ts';

async function unpacked(archive: Buffer, signal: AbortSignal = AbortSignal.timeout(30_000)): Promise<string> {
  const root = mkdtempSync(join(tmpdir(), 'crier-unpack-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const folder = join(root, 'inner', 'voice');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(root, 'archive'), archive);
  try {
    await unpack(join(root, 'archive'), folder, { tar: join(root, 'tar'), maxBytes: 1_000_000, signal });
  } finally {
    // Whatever the archive holds, nothing lies outside of the folder.
    expect(readdirSync(root).sort()).toEqual(['archive', 'inner']);
    expect(readdirSync(join(root, 'inner'))).toEqual(['voice']);
  }
  return folder;
}

test('unpacks files and folders without the folder that holds them all', async () => {
  const folder = await unpacked(
    await archiveOf([
      ['./voice/', '', { type: 'directory' }],
      ['./voice/model.onnx', 'weights'],
      ['./voice/espeak-ng-data/lang/gmw/de', 'name German'],
      ['./voice/empty', ''],
      ['./._voice', 'beside the folder'],
    ]),
  );
  expect(readdirSync(folder, { recursive: true }).sort()).toEqual(
    [
      'empty',
      'espeak-ng-data',
      'espeak-ng-data/lang',
      'espeak-ng-data/lang/gmw',
      'espeak-ng-data/lang/gmw/de',
      'model.onnx',
    ].map((path) => join(path)),
  );
  expect(readFileSync(join(folder, 'espeak-ng-data/lang/gmw/de'), 'utf8')).toBe('name German');
});

const file = (name: string): Entries => [
  ['voice/model.onnx', 'weights'],
  [name, 'evil'],
];

test.each<[what: string, entries: Entries, told: string]>([
  ['a path to the folder above', file('voice/../../evil'), 'holds a path that leaves its folder ("voice/../../evil")'],
  ['a path from the root', file('/etc/evil'), 'holds a path that leaves its folder ("/etc/evil")'],
  ['a path of Windows', file('voice/..\\..\\evil'), 'holds a path that leaves its folder'],
  ['a drive of Windows', file('voice/C:/evil'), 'holds a path that leaves its folder'],
  ['a symbolic link', [['voice/evil', '', { type: 'symlink', linkname: '/etc' }]], 'holds a symlink ("voice/evil")'],
  ['a hard link', [['voice/evil', '', { type: 'link', linkname: '/etc/passwd' }]], 'holds a link ("voice/evil")'],
  ['a device', [['voice/evil', '', { type: 'character-device' }]], 'holds a character-device ("voice/evil")'],
  ['one file under two names', file('voice/MODEL.onnx'), 'holds a file twice ("voice/MODEL.onnx")'],
  ['a folder in the place of a file', file('voice/model.onnx/evil'), 'holds a file and a folder of one name'],
  [
    'a file in the place of a folder',
    [
      ['voice/a/b', ''],
      ['voice/a', ''],
    ],
    'holds a file and a folder of one name',
  ],
  ['too many folders in each other', file(`voice/${'a/'.repeat(8)}evil`), 'holds more than 8 folders in each other'],
])('refuses an archive with %s', async (_, entries, told) => {
  await expect(unpacked(await archiveOf(entries))).rejects.toThrow(told);
});

test.each(['file', 'directory'] as const)('refuses an archive of thousands of entries (%s)', async (type) => {
  const { packTar } = await import('modern-tar');
  const tar = await packTar(
    Array.from({ length: 2_001 }, (_, index) => ({ header: { name: `voice/${index}`, size: 0, type } })),
  );
  const root = mkdtempSync(join(tmpdir(), 'crier-unpack-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  // The writer of bzip2 would take minutes for so many headers, so they are compressed in pieces.
  const pieces = Array.from({ length: Math.ceil(tar.length / 5_120) }, (_, at) =>
    bzip2(tar.subarray(at * 5_120, (at + 1) * 5_120)),
  );
  writeFileSync(join(root, 'archive'), Buffer.concat(pieces));
  mkdirSync(join(root, 'voice'));
  const limits = { tar: join(root, 'tar'), maxBytes: 5e6, signal: AbortSignal.timeout(60_000) };
  await expect(unpack(join(root, 'archive'), join(root, 'voice'), limits)).rejects.toThrow(
    'holds more than 2000 files and folders',
  );
});

test('refuses a bomb: a small archive that becomes a large one', async () => {
  const bomb = bzip2(Buffer.alloc(4_000), 300);
  expect(bomb.length).toBeLessThan(12_000);
  await expect(unpacked(bomb)).rejects.toThrow('unpacks to more than 1 MB');
});

test.each<[what: string, change: (archive: Buffer) => Buffer, told: string]>([
  ['is cut off', (archive) => archive.subarray(0, archive.length - 100), 'ends too early'],
  ['has a wrong byte', (archive) => Buffer.from(archive).fill(0xff, 300, 301), 'is damaged'],
  ['is no bzip2', () => Buffer.from('<html>Not found</html>'), 'is damaged'],
  ['is bzip2 of something else', () => bzip2(Buffer.from('Not found '.repeat(60))), 'is damaged'],
])('refuses an archive that %s', async (_, change, told) => {
  await expect(unpacked(change(await archiveOf()))).rejects.toThrow(told);
});

test('stops when it is asked to', async () => {
  const asked = new AbortController();
  const failed = expect(unpacked(await archiveOf(), asked.signal)).rejects.toThrow('enough');
  asked.abort(new Error('enough'));
  await failed;
});
