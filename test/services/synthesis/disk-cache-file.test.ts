import { Buffer } from 'node:buffer';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CLIP_SQL, openClipFile } from '../../../src/services/synthesis/disk-cache-file.ts';

const ENTRY_BYTES = 200;

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crier-clips-'));
  path = join(folder, 'clips.sqlite');
  writeFileSync(path, '', { mode: 0o600 });
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

/** What is in the file, seen from outside. */
function inFile(sql: string, ...values: readonly string[]): Record<string, unknown>[] {
  const database = new DatabaseSync(path);
  const rows = database.prepare(sql).all(...values);
  database.close();
  return rows;
}

const keys = () => inFile('SELECT key FROM clips ORDER BY key').map(({ key }) => key);

describe('the file of clips', () => {
  it('looks for what may go by an index, however much there is', () => {
    openClipFile(path, 1_000).close();
    for (const [name, sql] of Object.entries(CLIP_SQL)) {
      const database = new DatabaseSync(path);
      const steps = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
      database.close();
      for (const { detail } of steps) {
        expect(`${name}: ${detail}`).not.toMatch(/SCAN clips$|TEMP B-TREE/);
      }
    }
  });

  it('finds what expired by an index in a file that was made without one, and keeps what is in it', () => {
    const first = openClipFile(path, 100_000);
    first.set('a', Buffer.from('sound'), undefined);
    first.close();
    inFile('DROP INDEX clips_by_expiry');
    const second = openClipFile(path, 100_000);
    expect(Buffer.from(second.get('a')?.bytes ?? [])).toEqual(Buffer.from('sound'));
    second.close();
    expect(inFile(`EXPLAIN QUERY PLAN ${CLIP_SQL.nextExpired}`)[0]?.detail).toContain('clips_by_expiry');
  });

  it('is as full as it may be after many clips of many sizes, and no fuller', () => {
    const maxBytes = 300_000;
    const largest = 30_000;
    const file = openClipFile(path, maxBytes);
    for (let i = 0; i < 400; i++) {
      // Some replace what is there.
      file.set(`clip ${(i * 7) % 100}`, Buffer.alloc((i * 7_919) % largest, i), undefined);
      if (i % 9 === 0) file.delete(`clip ${i % 100}`);
      if (i === 200) file.clear();
    }
    file.close();
    const [sum] = inFile(`SELECT sum(length(bytes) + ${ENTRY_BYTES}) AS bytes FROM clips`);
    expect(sum?.bytes).toBeLessThanOrEqual(maxBytes);
    expect(sum?.bytes).toBeGreaterThan(maxBytes - largest - ENTRY_BYTES);
  });

  it('gives up what has expired although there is room, a little at a time', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000 });
    const file = openClipFile(path, 1_000_000);
    for (let i = 0; i < 60; i++) file.set(`old ${i}`, Buffer.alloc(10), 1_001_000);
    file.set('new', Buffer.alloc(10), 2_000_000);
    expect(file.dropExpired()).toBe(false);
    vi.setSystemTime(1_500_000);
    expect(file.dropExpired()).toBe(true);
    expect(file.dropExpired()).toBe(false);
    file.close();
    expect(keys()).toEqual(['new']);
  });

  it('gives up what expired first, and then what was used the longest ago', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000 });
    const file = openClipFile(path, 3 * (1_000 + ENTRY_BYTES));
    const put = (key: string, expiresAtMs?: number) => {
      file.set(key, Buffer.alloc(1_000), expiresAtMs);
      vi.advanceTimersByTime(100_000);
    };
    put('old');
    put('used');
    put('short', 1_250_000);
    expect(file.get('used')).toBeDefined();
    put('first');
    expect(keys()).toEqual(['first', 'old', 'used']);
    put('second');
    expect(keys()).toEqual(['first', 'second', 'used']);
    file.close();
  });

  it('gives the disk back what a large clip took, bit by bit', () => {
    const file = openClipFile(path, 12_000_000);
    for (let i = 0; i < 10; i++) file.set(`large ${i}`, Buffer.alloc(1_000_000), undefined);
    for (let i = 0; i < 10; i++) file.delete(`large ${i}`);
    for (let i = 0; i < 10; i++) file.set('small', Buffer.alloc(100), undefined);
    file.close();
    expect(statSync(path).size).toBeLessThan(2_000_000);
  });
});
