import { request } from 'undici';
import { describe, expect, test } from 'vitest';
import { readWav, rmsDb } from './measure-audio.ts';
import { instantEngine, runningService, send } from './running-service.ts';

describe('audio', () => {
  test.each([
    ['gpro', 'aria', 24_000],
    ['gpro31', 'aria', 24_000],
    ['gpro38', 'aria', 44_100],
  ])('%s makes 16-bit mono WAV that says its rate and its size', async (model, voice, sampleRateHz) => {
    const service = await runningService();
    const wav = readWav(await service.listen({ input: 'Good morning, everybody.', voice, model }));
    expect(wav).toMatchObject({ sampleRateHz, channels: 1, bitsPerSample: 16 });
    expect(wav.seconds).toBeGreaterThan(0.8);
    expect(wav.seconds).toBeLessThan(2.5);
    expect(rmsDb(wav.samples)).toBeGreaterThan(-28);
  });

  test('ext makes MP3 unless asked for WAV, orpheus MP3 only', async () => {
    const service = await runningService();
    const mp3 = await service.listen({ input: 'Good morning', voice: 'ash', model: 'ext' });
    expect(mp3Frame(mp3)).toMatchObject({ sampleRateHz: 24_000, kbitPerSecond: 128 });
    const wav = readWav(
      await service.listen({ input: 'Good morning', voice: 'ash', model: 'ext', response_format: 'wav' }),
    );
    expect(wav.sampleRateHz).toBe(24_000);
    const mp3Seconds = mp3.byteLength / (128_000 / 8);
    expect(mp3Seconds).toBeGreaterThan(wav.seconds);
    expect(mp3Seconds).toBeLessThan(wav.seconds + 0.2);
    expect(mp3Frame(await service.listen({ input: 'Good morning', voice: 'wren', model: 'orpheus' }))).toBeDefined();
  });
});

describe('audio URLs', () => {
  const hello = { input: 'Hello', voice: 'aria', model: 'gpro' };

  test('are on another port than the API, need no key, and differ for the same request', async () => {
    const service = await runningService({ engine: instantEngine() });
    const urls = [await service.speak(hello), await service.speak(hello)].map((reply) => new URL(reply.body.url));
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
    expect((await send('GET', `${service.audioUrl}/audio/${'A'.repeat(32)}.wav`, {})).status).toBe(404);
    expect((await send('GET', `${service.audioUrl}/`, {})).status).toBe(404);
    expect((await send('GET', `${service.audioUrl}/api/v1/models`, {})).status).toBe(404);
    expect((await send('DELETE', (await service.speak(hello)).body.url, {})).status).toBe(405);
  });

  test('expire', async () => {
    let nowMs = 1_000_000;
    const service = await runningService({ engine: instantEngine(), audioLifetimeMs: 60_000, now: () => nowMs });
    const { url } = (await service.speak(hello)).body;
    nowMs += 59_999;
    expect((await send('GET', url, {})).status).toBe(200);
    nowMs += 1;
    expect((await send('GET', url, {})).status).toBe(404);
  });

  test('stop working, oldest first, when all audio together takes too much memory', async () => {
    const service = await runningService({ engine: instantEngine(), audioMaxBytes: 2 });
    const urls: string[] = [];
    for (let i = 0; i < 3; i += 1) urls.push((await service.speak(hello)).body.url);
    const statuses = await Promise.all(urls.map(async (url) => (await send('GET', url, {})).status));
    expect(statuses).toEqual([404, 200, 200]);
  });

  test('can be announced at another address, for a service behind a proxy', async () => {
    const service = await runningService({ engine: instantEngine(), audioBaseUrl: 'https://audio.example/' });
    expect((await service.speak(hello)).body.url).toMatch(/^https:\/\/audio\.example\/audio\//);
  });

  test('of a service on all addresses are on the address the client used', async () => {
    const service = await runningService({ engine: instantEngine(), host: '0.0.0.0' });
    const { url } = (await service.speak(hello)).body;
    expect(new URL(url).hostname).toBe('127.0.0.1');
    expect((await request(url).then(({ body }) => body.bytes())).length).toBe(1);
  });
});

/** Reads the header of the first frame. */
function mp3Frame(
  bytes: Uint8Array,
): { sampleRateHz: number | undefined; kbitPerSecond: number | undefined } | undefined {
  const [first = 0, second = 0, third = 0] = bytes;
  // Frame sync, MPEG 2, layer III.
  if (first !== 0xff || (second & 0xfe) !== 0xf2) return undefined;
  const kbit = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160][third >> 4];
  return { sampleRateHz: [22_050, 24_000, 16_000][(third >> 2) & 3], kbitPerSecond: kbit };
}
