import { Buffer } from 'node:buffer';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pino } from 'pino';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { packClip } from '../../../src/audio/clips/clip-files.ts';
import { AUDIO_KEPT_DAYS, type DiskCache, openDiskCache } from '../../../src/services/synthesis/disk-cache.ts';
import { createSoundStore } from '../../../src/services/synthesis/sound-store.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

const KEPT_MS = AUDIO_KEPT_DAYS * 86_400_000;
/** Far above what a busy machine takes for one read. */
const PATIENT_MS = 20_000;

let folder: string;
let path: string;
let warnings: string[];

const log = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(JSON.parse(line).msg) });

beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder, 'clips');
  warnings = [];
});

function open(options: Partial<Parameters<typeof openDiskCache>[0]> = {}): DiskCache {
  const disk = openDiskCache({ path, maxBytes: 10_000_000, log, deadlineMs: PATIENT_MS, ...options });
  onTestFinished(() => disk.close());
  return disk;
}

const clip = (fill: number, bytes = 1_000) => packClip([Buffer.alloc(bytes, fill), Buffer.from([fill])]);
/** As an earlier process left them. */
async function leave(...keys: readonly string[]): Promise<void> {
  const disk = open();
  for (const key of keys) disk.set(key, clip(1));
  await disk.close();
}
const kept = () => readdirSync(path).sort();

/** As if it had been made and used so long ago. */
function age(key: string, { madeMs = 0, usedMs = 0 }: { madeMs?: number; usedMs?: number }): void {
  const now = Date.now();
  utimesSync(join(path, key), new Date(now - usedMs), new Date(now - madeMs));
}

describe('what is kept on disk', () => {
  it('is for the owner’s eyes only, and no text: the key is all that is beside the sound', async () => {
    mkdirSync(path);
    await fs.chmod(path, 0o755);
    const disk = open();
    for (const fill of [2, 1]) disk.set('a', clip(fill));
    await disk.close();
    expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(statSync(join(path, 'a')).mode & 0o777).toBe(0o600);
    expect(kept()).toEqual(['a']);
    expect(readFileSync(join(path, 'a'))).toEqual(clip(1));
  });

  it('is deleted when its time is over although there is room, and nothing else is', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    await leave('old', 'new');
    age('old', { madeMs: KEPT_MS - 1_000 });
    const disk = open();
    expect(await disk.get('old')).toBeDefined();
    vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'], now: Date.now() + 1_001 });
    expect(await disk.get('old')).toBeUndefined();
    await disk.close();
    await open().close();
    expect(kept()).toEqual(['new']);
  });

  it('is looked through for what has expired from time to time', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'], now: Date.now() });
    const disk = open();
    disk.set('old', clip(1));
    while (!existsSync(join(path, 'old'))) await new Promise(setImmediate);
    vi.setSystemTime(Date.now() + KEPT_MS - 90_000);
    vi.advanceTimersByTime(60_000);
    disk.set('new', clip(2));
    while (!existsSync(join(path, 'new'))) await new Promise(setImmediate);
    expect(kept()).toEqual(['new', 'old']);
    vi.advanceTimersByTime(60_000);
    while (existsSync(join(path, 'old'))) await new Promise(setImmediate);
    expect(kept()).toEqual(['new']);
  });

  it('is as full as it may be after many clips of many sizes, and no fuller', async () => {
    const maxBytes = 400_000;
    const largest = 30_000;
    const disk = open({ maxBytes });
    for (let i = 0; i < 400; i++) {
      // Some replace what is there.
      disk.set(`clip ${(i * 7) % 100}`, Buffer.alloc((i * 7_919) % largest, i));
      if (i % 9 === 0) disk.delete(`clip ${i % 100}`);
    }
    disk.set('last', clip(1));
    // A busy machine takes longer than close() waits.
    await expect.poll(() => existsSync(join(path, 'last'))).toBe(true);
    const bytes = kept().reduce((sum, name) => sum + statSync(join(path, name)).size, 0);
    expect(bytes).toBeLessThanOrEqual(maxBytes);
    // Each file takes up to a block more than its bytes.
    expect(bytes).toBeGreaterThan(maxBytes - largest - 4_096 * (kept().length + 1));
  });

  it('gives up what was used the longest ago, also by uses before a restart', async () => {
    const first = open();
    for (const key of ['old', 'used', 'older']) first.set(key, clip(1, 10_000));
    await first.close();
    age('older', { madeMs: 3 * 3_600_000, usedMs: 3 * 3_600_000 });
    age('old', { madeMs: 2 * 3_600_000, usedMs: 2 * 3_600_000 });
    age('used', { madeMs: 4 * 3_600_000, usedMs: 4 * 3_600_000 });
    const second = open();
    expect(await second.get('used')).toBeDefined();
    await second.close();
    expect(Date.now() - statSync(join(path, 'used')).mtimeMs).toBeGreaterThan(3 * 3_600_000);
    const third = open({ maxBytes: 3 * 12_288 });
    third.set('first', clip(2, 10_000));
    await third.close();
    expect(kept()).toEqual(['first', 'old', 'used']);
  });
});

describe('a disk that fails', () => {
  it('with an empty file, as after a loss of power, has a miss, which is counted, dropped, made and kept anew', async () => {
    await leave('a', 'b');
    await fs.truncate(join(path, 'a'));
    const disk = open();
    const cache = createSoundStore({ memoryBytes: 1_000_000, disk, log });
    expect(await cache.find('a')).toBeUndefined();
    while (existsSync(join(path, 'a'))) await new Promise(setImmediate);
    expect(warnings).toEqual(['A cached clip is corrupt or outdated: making it again']);
    cache.keep('a', [Buffer.from([1, 2, 3])]);
    expect(await cache.find('a')).toEqual([Buffer.from([1, 2, 3])]);
    expect(cache.peek('b')).toBeUndefined();
    expect(await cache.find('b')).toBeDefined();
    expect(cache.peek('b')).toBeDefined();
    expect(cache.use()).toMatchObject({ memoryHits: 1, diskHits: 2, misses: 1 });
    await cache.close();
    expect(await open().get('a')).toEqual(packClip([Buffer.from([1, 2, 3])]));
  });

  it('that broke off in the middle of a clip has none of it', async () => {
    mkdirSync(path);
    writeFileSync(join(path, 'unfinished'), clip(1).subarray(0, 500));
    const disk = open();
    disk.set('a', clip(2));
    await disk.close();
    expect(kept()).toEqual(['a']);
  });

  it('that never answers costs the first one its deadline and the next ones nothing', async () => {
    const never = vi.fn(() => new Promise<never>(() => {}));
    const disk = open({ files: { ...fs, open: never, opendir: never, writeFile: never }, deadlineMs: 50 });
    expect(await disk.get('a')).toBeUndefined();
    // With a deadline each, they would take longer than a test may.
    for (let i = 0; i < 2_000; i++) expect(await disk.get(`${i}`)).toBeUndefined();
    expect(warnings).toEqual(['Could not read cached audio: regenerating']);
    for (let i = 0; i < 10; i++) disk.set(`${i}`, clip(i));
    // One to read and one to list: never more of the threads that look up host names as well.
    expect(never).toHaveBeenCalledTimes(2);
    await disk.close();
    expect(warnings.at(-1)).toBe('Slow disk at shutdown: some audio may not be cached');
  });

  it('that was slow for a while is asked again once it has answered', async () => {
    await leave('a');
    const slow = Promise.withResolvers<void>();
    const files = { ...fs, open: (async (...call) => slow.promise.then(() => fs.open(...call))) as typeof fs.open };
    const disk = open({ files, deadlineMs: 50 });
    expect(await disk.get('a')).toBeUndefined();
    expect(await disk.get('a')).toBeUndefined();
    slow.resolve();
    let again: Uint8Array | undefined;
    while (!again) {
      await new Promise(setImmediate);
      again = await disk.get('a');
    }
    expect(Buffer.from(again)).toEqual(clip(1));
  });

  it('that answers one read after the other answers all of them, however many wait', async () => {
    const keys = Array.from({ length: 12 }, (_, index) => `${index}`);
    await leave(...keys);
    const files = { ...fs, open: (async (...call) => setTimeout(40).then(() => fs.open(...call))) as typeof fs.open };
    const disk = open({ files, deadlineMs: 300 });
    const read = await Promise.all(keys.map((key) => disk.get(key)));
    expect(read.filter((packed) => packed === undefined)).toEqual([]);
    expect(warnings).toEqual([]);
  });

  it('is not to blame for a stall of the process in the middle of a read', async () => {
    await leave('a');
    const disk = open({ deadlineMs: 100 });
    const reading = disk.get('a');
    const untilMs = performance.now() + 250;
    while (performance.now() < untilMs);
    expect(Buffer.from((await reading) ?? [])).toEqual(clip(1));
  });

  it('whose folder cannot be listed is written to no more, so that it never outgrows its room', async () => {
    const fails = () => Promise.reject(new Error('no'));
    const disk = open({ files: { ...fs, opendir: fails } });
    disk.set('a', clip(1));
    while (await disk.get('a')) await new Promise(setImmediate);
    expect(kept()).toEqual([]);
    expect(warnings).toContain('Could not list cached audio on disk: caching nothing new');
  });
});
