import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startHeartbeat } from '../../../src/services/monitoring/heartbeat.ts';

const log = pino({ enabled: false });

describe('the heartbeat', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'crier-heartbeat-'));
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
    rmSync(folder, { recursive: true, force: true });
  });

  it('names our process from the start, for our own user alone, and comes again well within a minute', () => {
    const path = join(folder, 'heartbeat');
    const heartbeat = startHeartbeat({ path, log });
    expect(readFileSync(path, 'utf8')).toBe(`${process.pid}\n`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    rmSync(path);
    vi.advanceTimersByTime(30_000);
    expect(existsSync(path)).toBe(true);
    heartbeat.close();
  });

  it('is gone when the bot has ended', () => {
    const path = join(folder, 'heartbeat');
    startHeartbeat({ path, log }).close();
    vi.advanceTimersByTime(60_000);
    expect(existsSync(path)).toBe(false);
  });

  it('that cannot be written is logged and harms nobody', () => {
    const warn = vi.fn();
    const heartbeat = startHeartbeat({ path: join(folder, 'no', 'such', 'folder'), log: { warn } as never });
    vi.advanceTimersByTime(15_000);
    expect(warn).toHaveBeenCalledTimes(2);
    heartbeat.close();
  });
});
