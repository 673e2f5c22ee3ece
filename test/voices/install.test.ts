import { chownSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { installedVoices } from '../../src/speech-service/synthesis/neural/installed-voices.ts';
import type { CatalogModel } from '../../src/voices/catalog.ts';
import { addVoice, removeVoice } from '../../src/voices/install.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { archived, releaseServer, TONE } from './release.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = temporaryFolder();
});

type Server = Awaited<ReturnType<typeof releaseServer>>;

async function add(server: Server, { model = TONE, signal = AbortSignal.timeout(30_000) } = {}): Promise<string[]> {
  const told: string[] = [];
  const onProgress = (doing: string) => void told.push(doing);
  await addVoice(model, { dataDir, release: server.address, signal, onProgress });
  return told;
}

/** What is in DATA_DIR/voices, without the lock. */
const left = () => readdirSync(join(dataDir, 'voices')).filter((name) => name !== '.lock');

test('downloads a voice, checks it, unpacks it and removes it again', async () => {
  const server = await releaseServer();
  expect(await add(server)).toEqual(['Downloading tone: 0 of 1 MB', 'Checking tone', 'Unpacking tone']);
  expect(installedVoices(dataDir)).toMatchObject({
    voices: [{ name: 'tone', memoryMb: 40, license: 'CC0', voices: [{ name: 'tone', languages: ['en-US'] }] }],
    problems: [],
  });
  expect(left()).toEqual(['tone']);
  expect(readdirSync(join(dataDir, 'voices', 'tone')).sort()).toEqual(['tokens.txt', 'tone.onnx', 'voice.json']);
  await expect(add(server)).rejects.toThrow(/^tone is installed already, in /);
  removeVoice('tone', dataDir);
  expect(left()).toEqual([]);
  expect(() => removeVoice('tone', dataDir)).toThrow('tone is not installed: no voices are installed');
});

test.runIf(process.getuid?.() === 0)(
  'gives all that root installs to the owner of the data, also if it fails',
  async () => {
    chownSync(dataDir, 1234, 5678);
    const server = await releaseServer();
    server.cutAfter = 10;
    const expectOwned = (...paths: string[]) => {
      for (const path of paths) {
        expect(statSync(join(dataDir, 'voices', path))).toMatchObject({ uid: 1234, gid: 5678 });
      }
    };
    await expect(add(server)).rejects.toThrow('cannot be reached');
    expectOwned('', '.lock', '.tone.tar.bz2');
    server.cutAfter = Infinity;
    await add(server);
    expectOwned('tone', 'tone/tone.onnx', 'tone/voice.json');
  },
);

/** Is ended by Ctrl-C when it tells that it does this. */
async function interrupted({ address: release }: Server, when: string): Promise<void> {
  const interrupt = new AbortController();
  const onProgress = (doing: string) => doing.startsWith(when) && interrupt.abort(new Error('Ctrl-C'));
  await expect(addVoice(TONE, { dataDir, release, signal: interrupt.signal, onProgress })).rejects.toThrow('Ctrl-C');
  expect(left()).toEqual(['.tone.tar.bz2']);
}

test('goes on where an interrupted download stopped', async () => {
  const server = await releaseServer();
  server.cutAfter = 500;
  await interrupted(server, 'Downloading');
  expect(statSync(join(dataDir, 'voices', '.tone.tar.bz2')).size).toBe(500);
  server.cutAfter = Infinity;
  server.requests.length = 0;
  await add(server);
  expect(server.requests).toEqual(['checksum.txt', 'from 500']);
  expect(left()).toEqual(['tone']);
});

test('keeps the download, and no half of a voice, if it is interrupted while it unpacks', async () => {
  await interrupted(await releaseServer(), 'Unpacking');
  expect(installedVoices(dataDir)).toEqual({ voices: [], problems: [] });
});

test('starts again if the release has a shorter file than the one that had begun', async () => {
  const server = await releaseServer();
  mkdirSync(join(dataDir, 'voices'));
  writeFileSync(join(dataDir, 'voices', '.tone.tar.bz2'), Buffer.alloc(9_000));
  await add(server);
  expect(server.requests).toEqual(['checksum.txt', 'from 9000', 'from 0']);
  expect(left()).toEqual(['tone']);
});

test('gives up on a server that is never there for long, and keeps what has arrived', async () => {
  const server = await releaseServer();
  server.cutAfter = 10;
  await expect(add(server)).rejects.toThrow(/vits-tone\.tar\.bz2 cannot be reached \(/);
  expect(server.requests).toEqual(['checksum.txt', 'from 0', 'from 10', 'from 20', 'from 30', 'from 40']);
  expect(left()).toEqual(['.tone.tar.bz2']);
  removeVoice('tone', dataDir);
  expect(left()).toEqual([]);
});

test.each<[what: string, release: Parameters<typeof releaseServer>, model: CatalogModel, told: string]>([
  [
    'with another checksum than the release says',
    [undefined, { checksum: 'ab'.repeat(32) }],
    TONE,
    'vits-tone.tar.bz2 is not the file of the release: its SHA-256 differs from checksum.txt there: it was deleted; run the command again',
  ],
  ['that the release’s list does not have', [], { ...TONE, archive: 'vits-bell' }, 'does not list vits-bell.tar.bz2'],
  ['that is far larger than the catalog says', [], { ...TONE, megabytes: 0.0002 }, 'is larger than'],
  [
    'with a path that leaves its folder',
    [archived('leaves-its-folder')],
    TONE,
    'vits-tone.tar.bz2 holds a path that leaves its folder: nothing of it was kept',
  ],
  [
    'that lacks a file of the voice',
    [archived('without-tokens')],
    TONE,
    'vits-tone.tar.bz2 lacks a file of the voice: tokens.txt missing: nothing of it was kept',
  ],
])('refuses an archive %s, and keeps nothing of it', async (_, release, model, told) => {
  const server = await releaseServer(...release);
  await expect(add(server, { model })).rejects.toThrow(told);
  expect(server.requests.includes('from 0')).toBe(model.archive === TONE.archive);
  expect(left()).toEqual([]);
  expect(readdirSync(dataDir)).toEqual(['voices']);
});

test('tells that a disk is too small before anything is downloaded', async () => {
  const server = await releaseServer();
  await expect(add(server, { model: { ...TONE, megabytes: 1e9 } })).rejects.toThrow(
    /^tone needs 5000000000 MB while it is unpacked, and .* has \d+ MB free: make room there/,
  );
  expect(server.requests).toEqual([]);
});

test.each(['..', '.', '../voices', 'voices/..', '/'])('removes no other folder: %s', (name) => {
  mkdirSync(join(dataDir, 'voices', 'tone'), { recursive: true });
  expect(() => removeVoice(name, dataDir)).toThrow('is not installed');
  expect(left()).toEqual(['tone']);
});

test('removes what a killed command has left', () => {
  mkdirSync(join(dataDir, 'voices', '.tone.removed'), { recursive: true });
  mkdirSync(join(dataDir, 'voices', '.tone.new'));
  writeFileSync(join(dataDir, 'voices', '.tone.new.tar'), '');
  removeVoice('tone', dataDir);
  expect(left()).toEqual([]);
  expect(() => removeVoice('tone', dataDir)).toThrow('tone is not installed');
});
