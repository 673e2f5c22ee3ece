import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { generate } from 'selfsigned';
import { request } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { EngineEntry } from '../../../src/speech-service/api/engines.ts';
import { createOpenAiEngine, type OpenAiEngineOptions } from '../../../src/speech-service/synthesis/openai-engine.ts';
import { mp3, speechLike } from '../../audio/sounds.ts';
import { serverThat } from '../../loopback-server.ts';
import { readWav } from '../measure-audio.ts';
import { engineEntry, jobOf, runningService } from '../running-service.ts';
import { openAiServer, TONE } from './speaking-servers.ts';

const DEADLINE = { deadlineMs: 60_000 };
type Options = Omit<OpenAiEngineOptions, 'deadlineMs'>;
/** An engine whose operator names one of its voices. */
const cloud = (options: Options, credits?: number): EngineEntry => ({
  ...engineEntry('cloud', createOpenAiEngine({ ...DEADLINE, ...options }), credits),
  server: { voices: [{ name: 'nova' }], languages: undefined, takesStyle: true },
});
const serviceWith = (options: Options) => runningService({ engines: [cloud(options)] });
/** An engine, with a key, whose server answers in this way. */
async function engineOf(answer: RequestListener) {
  const engine = createOpenAiEngine({ ...DEADLINE, url: await serverThat(answer), apiKey: 'k-old' });
  onTestFinished(() => engine.close());
  return engine;
}

const HELLO = { input: 'Hello', voice: 'nova', model: 'cloud' };
const SPEECH = await mp3(speechLike(24_000, 0.3), 24_000);

describe('another engine', () => {
  test.each(['/', '/v1/', '/v1/audio/speech'])('is found at its address ending in %j', async (path) => {
    const { asked, origin } = await openAiServer();
    const service = await serviceWith({ url: origin + path });
    expect((await service.speak(HELLO)).status).toBe(200);
    expect(asked[0]?.url).toBe('/v1/audio/speech');
  });

  test('gets the request in OpenAI’s words, with its own key and never ours', async () => {
    const { asked, origin } = await openAiServer();
    const service = await serviceWith({ url: `${origin}/v1`, apiKey: 'engine-key', model: 'kokoro' });
    const audio = readWav(await service.listen({ ...HELLO, style: 'slowly' }));
    expect(audio.seconds).toBeCloseTo(0.1);
    await service.speak({ ...HELLO, input: 'Hi [[[b', response_format: 'mp3', speed: 1.25 });
    expect(asked).toEqual([
      {
        url: '/v1/audio/speech',
        authorization: 'Bearer engine-key',
        body: { model: 'kokoro', input: 'Hello', voice: 'nova', response_format: 'wav', instructions: 'slowly' },
      },
      {
        url: '/v1/audio/speech',
        authorization: 'Bearer engine-key',
        // Piper would take `[[` for phonemes.
        body: { model: 'kokoro', input: 'Hi [ [ [b', voice: 'nova', response_format: 'mp3', speed: 1.25 },
      },
    ]);
  });

  test('keeps its voices when it answers oddly, and has OpenAI’s only where it never listed its own', async () => {
    const answers = { status: 429, voices: ['af_heart'] as unknown };
    const engine = await engineOf((_, response) => {
      response.writeHead(answers.status).end(JSON.stringify(answers.voices));
    });
    const ask = async (status: number, voices: unknown = 'odd') => {
      Object.assign(answers, { status, voices });
      return (await engine.ask?.(AbortSignal.timeout(5_000)))?.map(({ name }) => name);
    };
    await expect(ask(429)).rejects.toThrow('It answers with status 429.');
    for (const status of [404, 405, 200]) expect(await ask(status)).toContain('nova');
    expect(await ask(200, ['af_heart'])).toEqual(['af_heart']);
    for (const status of [404, 408, 429, 200]) expect(await ask(status)).toEqual(['af_heart']);
    expect(await ask(200, ['am_adam'])).toEqual(['am_adam']);
  });

  test('that lists its voices at /v1/voices alone is understood', async () => {
    const engine = await engineOf(({ url }, response) => {
      response.writeHead(url === '/v1/voices' ? 200 : 404).end('{"voices":[{"voice":"anna"},7]}');
    });
    expect(await engine.ask?.(AbortSignal.timeout(5_000))).toEqual([{ name: 'anna' }]);
  });

  test.each([
    { status: 401, refusesAll: false, kind: 'refused' },
    { status: 403, refusesAll: true, kind: 'refused' },
    // Of a firewall or a moderation that dislikes the words.
    { status: 403, refusesAll: false, kind: 'rejected' },
  ])('that answers a text with $status (each order: $refusesAll) is said to have it $kind', async (row) => {
    const engine = await engineOf(async (request, response) => {
      const hasText = (await text(request)).includes('Hello');
      response.writeHead(hasText || row.refusesAll ? row.status : 422).end('{}');
    });
    const spoken = engine.synthesize(jobOf('Hello'), AbortSignal.timeout(5_000));
    await expect(spoken).rejects.toMatchObject({ kind: row.kind });
  });

  test('whose key may not list voices, but may speak, is there', async () => {
    const engine = await engineOf(({ url }, response) => {
      if (url === '/v1/audio/speech') response.writeHead(422).end();
      else response.writeHead(url === '/v1/audio/voices' ? 403 : 401).end('{"error":"not for this key"}');
    });
    expect((await engine.ask?.(AbortSignal.timeout(5_000)))?.length).toBeGreaterThan(3);
  });

  test.each([
    [429, '1.2', {}, 503, '2'],
    [429, 'Wed, 21 Oct 2026 07:28:30 GMT', {}, 503, '30'],
    [429, '2', { message: 'insufficient_quota' }, 503, '2'],
    [429, '2', { code: 'insufficient_quota' }, 429, undefined],
  ])('answering %i, asking to wait (%s) with %j, is a %i with the wait %s', async (theirs, wait, more, ours, told) => {
    const error = { code: 'rate_limit_exceeded', type: 'requests', ...more };
    const headers = { 'retry-after': wait, date: 'Wed, 21 Oct 2026 07:28:00 GMT' };
    const { origin } = await openAiServer({
      answer: (_, response) => response.writeHead(theirs, headers).end(JSON.stringify({ error })),
    });
    const reply = await (await serviceWith({ url: origin })).speak(HELLO);
    expect({ status: reply.status, told: reply.headers['retry-after'] }).toEqual({ status: ours, told });
    const code = ours === 429 ? 'provider_quota_exceeded' : 'provider_unavailable';
    expect(reply.body.error.code).toBe(code);
  });

  test.each([
    [404, {}, 'with status 404 at /v2/audio/speech: its url, or the model, may be wrong.'],
    [400, { message: 'No: Hello', code: null, type: 'value', param: 'voice' }, 'with status 400 (value, voice).'],
    [422, { code: 'Hello there, Hello' }, 'with status 422.'],
  ])('refusing with %i %j names the voice and where the fault may be, not the text', async (status, error, end) => {
    const answer = JSON.stringify({ error });
    const { origin } = await openAiServer({ answer: (_, response) => void response.writeHead(status).end(answer) });
    const service = await serviceWith({ url: `${origin}/v2?k=secret` });
    const { message } = (await service.speak(HELLO)).body.error;
    expect(message).toMatch(/^The speech engine refused a text for its voice \w+, model tts-1, /);
    expect(message.endsWith(end)).toBe(true);
  });

  test.each<[format: string, type: string, bytes: string | Buffer]>([
    ['mp3', 'audio/mpeg', SPEECH],
    ['ogg', 'audio/ogg', 'OggS\0'],
  ])('that sends %s whatever was asked for is heard, as what it is', async (format, type, bytes) => {
    const { origin } = await openAiServer({ answer: (_, response) => void response.writeHead(200).end(bytes) });
    const service = await serviceWith({ url: origin });
    for (const asked of ['wav', 'mp3']) {
      const { body } = await service.speak({ ...HELLO, response_format: asked });
      const audio = await request(body.url);
      expect([new URL(body.url).pathname.split('.').at(-1), audio.headers['content-type']]).toEqual([format, type]);
      expect(Buffer.from(await audio.body.arrayBuffer()).equals(Buffer.from(bytes))).toBe(true);
    }
  });

  test('that sends two complete files in one answer has one made of them', async () => {
    const { origin } = await openAiServer({
      answer: (_, response) => {
        response.writeHead(200).write(TONE);
        setTimeout(() => response.end(TONE), 100);
      },
    });
    const service = await serviceWith({ url: origin });
    const { url } = (await service.speak(HELLO)).body;
    await (await request(url)).body.dump();
    expect(readWav(await (await request(url)).body.bytes()).seconds).toBeCloseTo(0.2);
  });

  test('whose certificate is not trusted was sent nothing: with a price, nothing is billed', async () => {
    const { private: key, cert } = await generate([{ name: 'commonName', value: '127.0.0.1' }], { keyType: 'ec' });
    const server = createHttpsServer({ key, cert });
    onTestFinished(() => void server.close());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const entry = cloud({ url }, 1);
    const engine = { ...entry.engine, ask: async () => [] };
    const service = await runningService({ engines: [{ ...entry, engine }] });
    expect((await service.speak(HELLO)).status).toBe(503);
    expect(service.creditsSpent()).toBe(0);
  });
});
