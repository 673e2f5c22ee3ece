import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { request } from 'undici';
import { describe, expect, test } from 'vitest';
import { wavData, wavHeader } from '../../../src/sound/wav.ts';
import { createOpenAiEngine } from '../../../src/speech-service/synthesis/openai-engine.ts';
import { createWyomingEngine } from '../../../src/speech-service/synthesis/wyoming-engine.ts';
import { readWav } from '../measure-audio.ts';
import { runningService } from '../running-service.ts';
import { FORMAT, openAiServer, tone, written, wyomingServer } from './speaking-servers.ts';

/** A second of a tone at 24 kHz. */
const SECOND = Float32Array.from({ length: 24_000 }, (_, i) => 0.3 * Math.sin(i / 8));

/** A service whose engine speaks a second, and the rest when it is told to, or breaks off. */
async function openAi() {
  const begun = Promise.withResolvers<ServerResponse>();
  const { origin } = await openAiServer({
    answer: (_, response) => {
      response.writeHead(200);
      // As a server streams that cannot know how much there will be.
      response.write(wavHeader(24_000));
      response.write(wavData(SECOND));
      begun.resolve(response);
    },
  });
  return {
    service: await runningService({ engine: createOpenAiEngine({ url: origin, deadlineMs: 60_000 }) }),
    finish: async () => (await begun.promise).end(wavData(SECOND)),
    response: begun.promise,
  };
}

async function wyoming() {
  const begun = Promise.withResolvers<Socket>();
  const { url } = await wyomingServer((socket) => {
    socket.write(written('audio-start', FORMAT));
    socket.write(written('audio-chunk', FORMAT, tone(1)));
    begun.resolve(socket);
  });
  return {
    service: await runningService({ engine: createWyomingEngine({ url, deadlineMs: 60_000 }) }),
    finish: async () => {
      const socket = await begun.promise;
      socket.write(written('audio-chunk', FORMAT, tone(1)));
      socket.end(written('audio-stop'));
    },
  };
}

/** The audio at an address as it comes, up to so many bytes. */
async function heardFrom(url: string) {
  const { body, headers } = await request(url);
  const chunks = body[Symbol.asyncIterator]();
  const read = async (bytes: number) => {
    const parts: Uint8Array[] = [];
    for (let length = 0; length < bytes; length += parts.at(-1)?.byteLength ?? 0) {
      const { done, value } = await chunks.next();
      if (done) break;
      parts.push(value);
    }
    return Buffer.concat(parts);
  };
  return { headers, body, read };
}

const HELLO = { input: 'Hello', voice: 'ash', model: 'ext', response_format: 'wav' };

describe('an engine that still speaks', () => {
  test.each([
    ['an OpenAI-compatible server', openAi],
    ['a Wyoming server', wyoming],
  ])('is heard before its last byte by all that ask, with true sizes once it is whole: %s', async (_, speaking) => {
    const { service, finish } = await speaking();
    const { url } = (await service.speak(HELLO)).body;
    const early = await heardFrom(url);
    expect(early.headers['content-length']).toBeUndefined();
    const first = await early.read(40_000);
    finish();
    const streamed = Buffer.concat([first, await early.read(Number.POSITIVE_INFINITY)]);
    const whole = await request(url);
    const later = new Uint8Array(await whole.body.arrayBuffer());
    expect(whole.headers['content-length']).toBe(String(later.length));
    expect(readWav(later).seconds).toBeCloseTo(2, 1);
    // The sound is the same; the early reader's header only did not know its length.
    expect(streamed.subarray(44).equals(later.subarray(44))).toBe(true);
  });

  test('and breaks off costs nothing, and its audio is cut, not ended', async () => {
    const { service, response } = await openAi();
    const { url } = (await service.speak(HELLO)).body;
    const { read } = await heardFrom(url);
    await read(40_000);
    (await response).destroy();
    await expect(read(1e9)).rejects.toThrow(/terminated|other side closed|aborted/);
    await expect.poll(() => service.ledger.charges(1)[0]?.state).toBe('refunded');
    expect((await request(url)).statusCode).toBe(404);
  });

  test('is spoken to its end though its listener has gone', async () => {
    const { service, finish } = await openAi();
    const { url } = (await service.speak(HELLO)).body;
    (await heardFrom(url)).body.on('error', () => undefined).destroy();
    finish();
    const length = async () => (await request(url, { method: 'HEAD' })).headers['content-length'];
    await expect.poll(length).toBeDefined();
  });

  test('is let go when the service ends, and given back', async () => {
    const { service, response } = await openAi();
    await service.speak(HELLO);
    await Promise.all([service.close(), once(await response, 'close')]);
    const again = await runningService({ dataDir: service.dataDir });
    expect(again.ledger.charges(1)).toMatchObject([{ state: 'refunded' }]);
  });
});
