import { Buffer } from 'node:buffer';
import { Writable } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createLog } from '../../../src/app/log.ts';
import { packClip } from '../../../src/audio/clips/clip-bytes.ts';
import { cachePasswords } from '../../../src/services/storage/cache-server.ts';
import { openSharedSound, type SharedSound } from '../../../src/services/synthesis/shared-sound.ts';
import { isValkeyMissing, startValkey, type ValkeyServer } from '../storage/valkey-server.ts';
import { keepsTheSoundContract } from './sound-cache-contract.ts';
import { asked, by, SOUND, stage } from './synthesis-stage.ts';

const HOUR_MS = 3_600_000;
/** Far above what a busy machine takes for one read. */
const PATIENT_MS = 10_000;
const SECRET = Buffer.from('what all processes know');
const LOST = 'The cache of CACHE_URL does not answer: sound of other processes is made anew';
const BACK = 'The cache of CACHE_URL answers again';
const sound = packClip(SOUND);

describe.skipIf(isValkeyMissing)('sound that processes share', () => {
  let server: ValkeyServer;
  let opened: SharedSound[];
  let logged: string[];
  let log: string;
  beforeAll(async () => {
    server = await startValkey();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    await server.ask('flushall');
    opened = [];
    logged = [];
    log = '';
  });
  afterEach(async () => {
    await Promise.all(opened.map((one) => one.close()));
  });

  /** As another process has it; connected unless there is nothing to connect to. */
  async function open(options: Partial<Parameters<typeof openSharedSound>[0]> = {}, isThere = true) {
    const lines = new Writable({
      write(line, _, done) {
        log += line;
        logged.push(JSON.parse(line).msg);
        done();
      },
    });
    const shared = openSharedSound({
      ...{
        url: server.url,
        secret: SECRET,
        ttlMs: HOUR_MS,
        log: createLog({ level: 'info', format: 'json' }, lines).log,
        deadlineMs: PATIENT_MS,
      },
      ...options,
    });
    opened.push(shared);
    if (isThere) await expect.poll(shared.isReachable, { timeout: PATIENT_MS }).toBe(true);
    return shared;
  }
  const comes = (shared: SharedSound, key: string) =>
    expect.poll(() => shared.get(key).then((packed) => packed && Buffer.from(packed)), { timeout: PATIENT_MS });

  describe('like sound on disk', () => keepsTheSoundContract((ttlMs) => open({ ttlMs })));

  it('is there for another process, sealed, for as long as was said', async () => {
    const [one, other] = [await open(), await open()];
    expect(await other.get('a')).toBeUndefined();
    one.set('a', sound);
    await comes(other, 'a').toEqual(sound);
    const stored = await server.stored('crier:sound:a');
    expect(stored?.includes(sound.subarray(0, 4))).toBe(false);
    const leftMs = Number(await server.ask('pttl', 'crier:sound:a'));
    expect(leftMs).toBeGreaterThan(HOUR_MS - 60_000);
    expect(leftMs).toBeLessThanOrEqual(HOUR_MS);
    expect(logged).toEqual([]);
  });

  it('is bought by one process, and spoken by another that has never bought it', async () => {
    const [one, other] = [stage({ shared: await open() }), stage({ shared: await open(), isAutomatic: true })];
    const first = one.synthesiser.render(asked('Hello.'), by('alice'));
    await expect.poll(() => one.billed.length).toBe(1);
    one.billed[0]?.answer();
    await expect.poll(() => one.fetched.length).toBe(1);
    const writer = one.fetched[0]?.writer;
    for (const packet of SOUND) writer?.push(packet);
    writer?.complete();
    await (await first.clip).done;
    await expect.poll(() => server.figure('db0:keys')).toBe(1);
    const again = other.synthesiser.render(asked('Hello.'), by('bob'));
    const clip = await again.clip;
    await clip.done;
    expect(clip.packets).toEqual(SOUND);
    expect(again.facts()).toMatchObject({ creditsUsed: 0, cached: true });
    expect(other.billed).toEqual([]);
    expect(other.cache.use()).toMatchObject({ sharedHits: 1, misses: 0 });
  });

  it('is a miss where another key sealed it, or it was changed, moved, is no sound, or has expired', async () => {
    const shared = await open();
    const stranger = await open({ secret: Buffer.from('another account') });
    shared.set('a', sound);
    await comes(shared, 'a').toEqual(sound);
    expect(await stranger.get('a')).toBeUndefined();
    const sealed = (await server.stored('crier:sound:a')) as Buffer;
    await server.ask('set', 'crier:sound:b', sealed);
    await server.ask('set', 'crier:sound:short', 'x');
    await server.ask('set', 'crier:sound:changed', Buffer.concat([sealed.subarray(0, -1), Buffer.from([1])]));
    // No process reads more of a value than a sound can have.
    await server.ask('setrange', 'crier:sound:large', 40_000_000, 'x');
    for (const key of ['b', 'short', 'changed', 'large']) expect(await shared.get(key)).toBeUndefined();
    const brief = await open({ ttlMs: 1 });
    brief.set('c', sound);
    await brief.close();
    await expect.poll(() => server.stored('crier:sound:c')).toBeNull();
    expect(logged).toEqual([]);
    await server.ask('rpush', 'crier:sound:list', 'x');
    expect(await shared.get('list')).toBeUndefined();
    // What is bought takes its place.
    shared.set('list', sound);
    await comes(shared, 'list').toEqual(sound);
  });

  it('is missed at once while the server is gone, with one warning, and comes back by itself', async () => {
    const shared = await open();
    shared.set('a', sound);
    await comes(shared, 'a').toEqual(sound);
    await server.kill();
    await expect.poll(() => logged).toEqual([LOST]);
    const startedAtMs = performance.now();
    for (let time = 0; time < 100; time += 1) {
      expect(await shared.get('a')).toBeUndefined();
      shared.set(`while it is gone ${time}`, sound);
    }
    expect(performance.now() - startedAtMs).toBeLessThan(1_000);
    expect(shared.isReachable()).toBe(false);
    await server.start();
    await expect.poll(() => logged, { timeout: PATIENT_MS }).toEqual([LOST, BACK]);
    expect(await shared.get('a')).toBeUndefined();
    shared.set('a', sound);
    await comes(shared, 'a').toEqual(sound);
    expect(await server.figure('db0:keys')).toBe(1);
    expect(logged).toEqual([LOST, BACK]);
  });

  it('settles what was on its way when the server crashed', async () => {
    const shared = await open();
    server.pause();
    const reads = Array.from({ length: 20 }, (_, at) => shared.get(String(at)));
    for (let at = 0; at < 5; at += 1) shared.set(String(at), sound);
    await server.kill();
    expect(new Set(await Promise.all(reads))).toEqual(new Set([undefined]));
    await server.start();
    await comes(shared, 'a').toBeUndefined();
    await expect.poll(shared.isReachable, { timeout: PATIENT_MS }).toBe(true);
    expect(logged).toEqual([LOST, BACK]);
    const startedAtMs = performance.now();
    await shared.close();
    expect(performance.now() - startedAtMs).toBeLessThan(400);
  });

  it('is waited for once, and briefly, while the server stands still', async () => {
    const shared = await open({ deadlineMs: 75 });
    shared.set('a', sound);
    await expect.poll(() => server.figure('db0:keys')).toBe(1);
    server.pause();
    const startedAtMs = performance.now();
    expect(await shared.get('a')).toBeUndefined();
    const afterMs = performance.now() - startedAtMs;
    expect(afterMs).toBeGreaterThan(50);
    expect(afterMs).toBeLessThan(1_000);
    const againAtMs = performance.now();
    for (let time = 0; time < 50; time += 1) expect(await shared.get('a')).toBeUndefined();
    expect(performance.now() - againAtMs).toBeLessThan(75);
    server.resume();
    await expect.poll(shared.isReachable, { timeout: PATIENT_MS }).toBe(true);
    await comes(shared, 'a').toEqual(sound);
    expect(logged).toEqual([LOST, BACK]);
  });

  it('is read on while a server that is full takes no more, with one warning', async () => {
    const shared = await open();
    shared.set('a', sound);
    await comes(shared, 'a').toEqual(sound);
    await server.ask('config', 'set', 'maxmemory-policy', 'noeviction', 'maxmemory', '1');
    for (let time = 0; time < 3; time += 1) shared.set(`more ${time}`, sound);
    await expect.poll(() => logged).toEqual(['The cache of CACHE_URL takes no more sound']);
    await comes(shared, 'a').toEqual(sound);
    await server.ask('config', 'set', 'maxmemory-policy', 'allkeys-lru', 'maxmemory', '64mb');
    shared.set('b', sound);
    await comes(shared, 'b').toEqual(sound);
    expect(logged.slice(1)).toEqual(['The cache of CACHE_URL takes sound again']);
  });

  it('makes room for newer sound where the server has the policy that is recommended', async () => {
    const shared = await open();
    const used = await server.figure('used_memory');
    await server.ask('config', 'set', 'maxmemory', String(used + 4_000_000));
    const large = Buffer.alloc(1_000_000, 7);
    for (let at = 0; at < 12; at += 1) {
      shared.set(`large ${at}`, large);
      await expect.poll(() => server.stored(`crier:sound:large ${at}`)).not.toBeNull();
    }
    expect(await server.stored('crier:sound:large 0')).toBeNull();
    await server.ask('config', 'set', 'maxmemory', '64mb');
    expect(logged).toEqual([]);
  });

  it('is not kept where it is larger than could be read in time, nor where too much is on its way', async () => {
    const shared = await open();
    shared.set('too large', Buffer.alloc(1024 * 1024 + 1));
    const large = Buffer.alloc(1024 * 1024);
    for (let at = 0; at < 20; at += 1) shared.set(`large ${at}`, large);
    await expect.poll(() => server.figure('db0:keys')).toBe(8);
    await comes(shared, 'large 0').toEqual(large);
    expect(await server.stored('crier:sound:too large')).toBeNull();
  });

  it('is written before the end, and nothing is asked afterwards', async () => {
    const shared = await open();
    shared.set('a', sound);
    await Promise.all([shared.close(), shared.close()]);
    expect(await server.stored('crier:sound:a')).not.toBeNull();
    expect(await shared.get('a')).toBeUndefined();
    shared.set('b', sound);
    await comes(await open(), 'a').toEqual(sound);
    expect(await server.stored('crier:sound:b')).toBeNull();
    expect(logged).toEqual([]);
  });

  it('is reached with a password that no log shows, as it is written in the address and as it is', () => {
    const lines: string[] = [];
    const { log: ofBot, conceal } = createLog(
      { level: 'info', format: 'json' },
      new Writable({
        write(line, _, done) {
          lines.push(String(line));
          done();
        },
      }),
    );
    for (const password of cachePasswords(server.url)) conceal(password);
    ofBot.info({ written: server.url, spoken: server.password }, 'x');
    expect(lines.join('')).toContain('redis://:[concealed]@');
    expect(lines.join('')).not.toMatch(/cache-secret/);
    expect(cachePasswords('redis://cache')).toEqual([]);
  });

  it('says nothing of the password where the server does not take it', async () => {
    const shared = await open({ url: server.url.replace(/:[^:@]*@/, ':wrong-password@') }, false);
    await expect.poll(() => logged, { timeout: PATIENT_MS }).toEqual([LOST]);
    expect(await shared.get('a')).toBeUndefined();
    expect(log).toMatch(/WRONGPASS|invalid username-password/);
    expect(log).not.toContain('wrong-password');
  });
});
