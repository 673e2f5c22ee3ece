import { describe, expect, test } from 'vitest';
import { HELLO, instantEngine, runningService, send } from './running-service.ts';

describe('audio URLs', () => {
  const statusOf = async (url: string, method = 'GET') => (await send(method, url, {})).status;

  test('are on another port than the API, need no key, and differ for the same request', async () => {
    const service = await runningService({ engine: instantEngine() });
    const urls = [await service.speak(HELLO), await service.speak(HELLO)].map((reply) => new URL(reply.body.url));
    expect(urls[0]?.href).not.toBe(urls[1]?.href);
    for (const url of urls) {
      expect(url.port).toBe(new URL(service.audioUrl).port);
      expect(url.port).not.toBe(new URL(service.url).port);
      // 192 random bits.
      expect(url.pathname).toMatch(/^\/audio\/[\w-]{32}\.wav$/);
      expect(url.search).toBe('');
      const reply = await send('GET', url.href, {});
      expect(reply.status).toBe(200);
      expect(reply.headers).toMatchObject({ 'content-type': 'audio/wav', 'content-length': '1' });
      expect((await send('HEAD', url.href, {})).headers['content-length']).toBe('1');
    }
  });

  test('of anything else are 404, and nothing but reading is possible', async () => {
    const service = await runningService({ engine: instantEngine() });
    for (const path of [`/audio/${'A'.repeat(32)}.wav`, '/', '/api/v1/models'])
      expect(await statusOf(service.audioUrl + path)).toBe(404);
    expect(await statusOf((await service.speak(HELLO)).body.url, 'DELETE')).toBe(405);
  });

  test('expire', async () => {
    let nowMs = 1_000_000;
    const service = await runningService({ engine: instantEngine(), audioLifetimeMs: 60_000, now: () => nowMs });
    const { url } = (await service.speak(HELLO)).body;
    nowMs += 59_999;
    expect(await statusOf(url)).toBe(200);
    nowMs += 1;
    expect(await statusOf(url)).toBe(404);
  });

  test('stop working, oldest first, when all audio together takes too much memory', async () => {
    const service = await runningService({ engine: instantEngine(), audioMaxBytes: 2 });
    const urls: string[] = [];
    for (let i = 0; i < 3; i += 1) urls.push((await service.speak(HELLO)).body.url);
    expect(await Promise.all(urls.map((url) => statusOf(url)))).toEqual([404, 200, 200]);
  });

  test('can be announced at another address, for a service behind a proxy', async () => {
    const service = await runningService({ engine: instantEngine(), audioBaseUrl: 'https://audio.example/' });
    expect((await service.speak(HELLO)).body.url).toMatch(/^https:\/\/audio\.example\/audio\//);
  });

  test('of a service on all addresses are on the address the client used', async () => {
    const service = await runningService({ engine: instantEngine(), host: '0.0.0.0' });
    const { url } = (await service.speak(HELLO)).body;
    expect(new URL(url).hostname).toBe('127.0.0.1');
    expect(await statusOf(url)).toBe(200);
  });
});
