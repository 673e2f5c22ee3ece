import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Database, openLedgerDatabase } from '../../../src/speech-service/store/database.ts';
import { createKeyStore } from '../../../src/speech-service/store/keys.ts';

let dataDir: string;
let db: Database;
let nowMs = Date.UTC(2026, 0, 1, 12);

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'crier-keys-'));
  db = openLedgerDatabase(dataDir);
});
afterEach(() => {
  db.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const openKeys = () => createKeyStore(db, { now: () => new Date(nowMs) });

it('tells the latest use of a key, and writes one a minute at most', () => {
  const keys = openKeys();
  const { secret } = keys.create('mine');
  const used = () => {
    const key = keys.find(secret);
    if (key) keys.touch(key);
    return keys.list()[0]?.lastUsedAt;
  };
  const stored = () => openKeys().list()[0]?.lastUsedAt;
  expect(stored()).toBe(null);
  expect([used(), stored()]).toEqual(['2026-01-01T12:00:00.000Z', '2026-01-01T12:00:00.000Z']);
  nowMs += 40_000;
  expect([used(), stored()]).toEqual(['2026-01-01T12:00:40.000Z', '2026-01-01T12:00:00.000Z']);
  nowMs += 40_000;
  expect([used(), stored()]).toEqual(['2026-01-01T12:01:20.000Z', '2026-01-01T12:01:20.000Z']);
});
