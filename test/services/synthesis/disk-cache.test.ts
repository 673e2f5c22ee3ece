import { Buffer } from 'node:buffer';
import { chmodSync, mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packClip, unpackClip } from '../../../src/audio/clips/clip-bytes.ts';
import { createCachedClips } from '../../../src/services/synthesis/cached-clips.ts';
import { type ClipDisk, openClipDisk } from '../../../src/services/synthesis/disk-cache.ts';

const DAY_MS = 86_400_000;
/** Far above what a busy machine takes for one read. */
const PATIENT_MS = 20_000;

let folder: string;
let path: string;
let disks: ClipDisk[];
let warnings: string[];

const log = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(JSON.parse(line).msg) });

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crier-disk-'));
  path = join(folder, 'clips.sqlite');
  writeFileSync(path, '', { mode: 0o600 });
  disks = [];
  warnings = [];
});
afterEach(async () => {
  await Promise.all(disks.map((disk) => disk.close()));
  rmSync(folder, { recursive: true });
});

function open(options: Partial<Parameters<typeof openClipDisk>[0]> = {}): ClipDisk {
  const disk = openClipDisk({ path, maxBytes: 10_000_000, ttlMs: DAY_MS, log, deadlineMs: PATIENT_MS, ...options });
  disks.push(disk);
  return disk;
}

const clip = (fill: number, bytes = 1_000) => packClip([Buffer.alloc(bytes, fill), Buffer.from([fill])]);

/** A thread that does what the test needs instead. */
function program(code: string): URL {
  const file = join(folder, 'program.mjs');
  writeFileSync(file, `import { parentPort } from 'node:worker_threads';\n${code}`);
  return new URL(`file://${file}`);
}

describe('what is kept on disk', () => {
  it('is there again after a restart, byte by byte', async () => {
    const first = open();
    first.set('a', clip(1));
    first.set('b', clip(2));
    await first.close();
    const second = open();
    expect(Buffer.from((await second.get('a')) ?? [])).toEqual(clip(1));
    expect(unpackClip((await second.get('b')) ?? Buffer.alloc(0))).toEqual(unpackClip(clip(2)));
    expect(await second.get('c')).toBeUndefined();
    expect(warnings).toEqual([]);
  });

  it('is for the owner’s eyes only', async () => {
    chmodSync(path, 0o644);
    const disk = open();
    disk.set('a', clip(1));
    await disk.close();
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('holds no text: the key is all that is beside the sound', async () => {
    const disk = open();
    disk.set('hash', clip(1));
    await disk.close();
    const database = new DatabaseSync(path);
    expect(Object.keys(database.prepare('SELECT * FROM clips').get() ?? {})).toEqual([
      'key',
      'bytes',
      'used_at',
      'expires_at',
    ]);
    database.close();
  });

  it('is forgotten when its time is over', async () => {
    const disk = open({ ttlMs: 1 });
    disk.set('a', clip(1));
    while (await disk.get('a')) await new Promise(setImmediate);
    expect(await disk.get('a')).toBeUndefined();
    await disk.close();
    await open().close();
    const database = new DatabaseSync(path);
    expect(database.prepare('SELECT count(*) AS count FROM clips').get()?.count).toBe(0);
    database.close();
  });

  it('makes room for what is new by what was used the longest ago, and the file does not grow on', async () => {
    const first = open({ maxBytes: 300_000 });
    for (let i = 0; i < 60; i++) first.set(`clip ${i}`, clip(i, 20_000));
    await first.close();
    const disk = open({ maxBytes: 300_000 });
    expect(await disk.get('clip 59')).toBeDefined();
    expect(await disk.get('clip 0')).toBeUndefined();
    disk.set('huge', clip(1, 60_000));
    disk.set('larger than all', packClip(Array.from({ length: 300 }, () => Buffer.alloc(1_200))));
    await disk.close();
    const last = open({ maxBytes: 300_000 });
    expect(await last.get('larger than all')).toBeUndefined();
    expect(await last.get('huge')).toBeDefined();
    await last.close();
    expect(statSync(path).size).toBeLessThan(600_000);
  });

  it('is cut down when the room for it was made smaller', async () => {
    const large = open();
    for (let i = 0; i < 10; i++) large.set(`clip ${i}`, clip(i, 20_000));
    await large.close();
    const small = open({ maxBytes: 50_000 });
    await small.close();
    const database = new DatabaseSync(path);
    expect(Number(database.prepare('SELECT count(*) AS count FROM clips').get()?.count)).toBeLessThanOrEqual(2);
    database.close();
  });
});

describe('a disk that fails', () => {
  it.each([
    ['no database at all', () => writeFileSync(path, 'This is a letter to my grandmother. '.repeat(100))],
    ['a database cut off in the middle', () => truncateSync(path, 5_000)],
    [
      'a database with pages overwritten',
      () => {
        const bytes = Buffer.alloc(statSync(path).size - 4_096, 0x5a);
        const database = Buffer.concat([Buffer.from('SQLite format 3\0', 'latin1'), bytes]);
        writeFileSync(path, database);
      },
    ],
  ])('with %s is started anew, and said so', async (_, damage) => {
    const first = open();
    for (let i = 0; i < 20; i++) first.set(`clip ${i}`, clip(i, 20_000));
    await first.close();
    damage();
    const second = open();
    // Damage is seen when the file is opened, or when a damaged page is read.
    for (let i = 0; i < 20; i++) await second.get(`clip ${i}`);
    second.set('new', clip(7));
    await second.close();
    expect(Buffer.from((await open().get('new')) ?? [])).toEqual(clip(7));
    expect(warnings).toContain('The kept speech on disk was damaged: starting with none');
  });

  it('with a database of another version is started anew', async () => {
    const database = new DatabaseSync(path);
    database.exec('CREATE TABLE clips (id INTEGER, sound TEXT); PRAGMA user_version = 99');
    database.close();
    const disk = open();
    disk.set('a', clip(1));
    await disk.close();
    expect(await open().get('a')).toBeDefined();
  });

  it('with an entry damaged or of an older version is a miss, which is made and kept anew', async () => {
    const first = open();
    first.set('a', clip(1));
    await first.close();
    const database = new DatabaseSync(path);
    database.exec(`UPDATE clips SET bytes = CAST(substr(bytes, 1, 500) AS BLOB)`);
    database.close();
    const disk = open();
    const cache = createCachedClips({ memoryBytes: 0, disk, log });
    expect(await cache.find('a')).toBeUndefined();
    expect(warnings).toContain('Kept speech is damaged or of another version: made anew');
    cache.keep('a', [Buffer.from([1, 2, 3])]);
    expect(await cache.find('a')).toEqual([Buffer.from([1, 2, 3])]);
  });

  it('that never answers costs the first one its deadline and the next ones nothing', async () => {
    const disk = open({ program: program('parentPort.on("message", () => undefined);'), deadlineMs: 50 });
    const startedAtMs = performance.now();
    expect(await disk.get('a')).toBeUndefined();
    const firstMs = performance.now() - startedAtMs;
    expect(firstMs).toBeGreaterThanOrEqual(45);
    const manyAtMs = performance.now();
    for (let i = 0; i < 1_000; i++) expect(await disk.get(`${i}`)).toBeUndefined();
    expect(performance.now() - manyAtMs).toBeLessThan(firstMs + 1_000);
    expect(warnings).toEqual(['Kept speech could not be read: made anew']);
  });

  it('that was slow for a while is asked again once it has answered', async () => {
    const code = `
      const waiting = [];
      let isSlow = true;
      parentPort.on('message', ({ id, op }) => {
        const kept = op === 'get' ? { bytes: new Uint8Array(8) } : undefined;
        const answer = () => parentPort.postMessage({ id, ok: true, kept });
        if (!isSlow || op !== 'get') return answer();
        isSlow = false;
        setTimeout(answer, 200);
      });`;
    const disk = open({ program: program(code), deadlineMs: 50 });
    expect(await disk.get('a')).toBeUndefined();
    let again: Uint8Array | undefined;
    while (!again) {
      await new Promise(setImmediate);
      again = await disk.get('a');
    }
    expect(again).toHaveLength(8);
  });

  it('whose every call fails is a miss each time', async () => {
    const code = `parentPort.on('message', ({ id }) => parentPort.postMessage({ id, ok: false, message: 'disk full' }));`;
    const disk = open({ program: program(code) });
    expect(await disk.get('a')).toBeUndefined();
    expect(await disk.get('a')).toBeUndefined();
    disk.set('a', clip(1));
    while (await disk.get('a')) await new Promise(setImmediate);
    expect(warnings).toContain('Kept speech could not be read: made anew');
    expect(warnings).toContain('Speech could not be kept on disk');
  });

  it('whose thread dies is said once, and no longer asked', async () => {
    const disk = open({ program: program(`parentPort.on('message', () => { throw new Error('boom'); });`) });
    expect(await disk.get('a')).toBeUndefined();
    expect(await disk.get('a')).toBeUndefined();
    disk.set('a', clip(1));
    await disk.close();
    expect(warnings.filter((line) => line.includes('no longer kept'))).toHaveLength(1);
  });
});
