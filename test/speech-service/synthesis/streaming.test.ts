import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { request } from 'undici';
import { describe, expect, test } from 'vitest';
import { wavData, wavHeader } from '../../../src/sound/wav.ts';
import type { SpeechEngine } from '../../../src/speech-service/synthesis/engine.ts';
import { createOpenAiEngine } from '../../../src/speech-service/synthesis/openai-engine.ts';
import { createWyomingEngine } from '../../../src/speech-service/synthesis/wyoming-engine.ts';
import { readWav } from '../measure-audio.ts';
import { engineEntry, runningService } from '../running-service.ts';
import { FORMAT, openAiServer, tone, written, wyomingServer } from './speaking-servers.ts';

/** A second of a tone at 24 kHz. */
const SECOND = Float32Array.from({ length: 24_000 }, (_, i) => 0.3 * Math.sin(i / 8));

/** An engine that speaks a second and the rest when it is told to, or breaks off. */
interface Speaking {
  readonly engine: SpeechEngine;
  /** The rest of the sound and its end. */
  finish(): void;
  breakOff(): void;
  /** Resolves when the service has gone. */
  readonly left: Promise<unknown>;
}

async function openAi(): Promise<Speaking> {
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
    engine: createOpenAiEngine({ url: origin }),
    finish: async () => (await begun.promise).end(wavData(SECOND)),
    breakOff: async () => (await begun.promise).destroy(),
    left: begun.promise.then((response) => once(response, 'close')),
  };
}

async function wyoming(): Promise<Speaking> {
  const begun = Promise.withResolvers<Socket>();
  const { url } = await wyomingServer((socket) => {
    socket.write(written('audio-start', FORMAT));
    socket.write(written('audio-chunk', FORMAT, tone(1)));
    begun.resolve(socket);
  });
  return {
    engine: createWyomingEngine({ url }),
    finish: async () => {
      const socket = await begun.promise;
      socket.write(written('audio-chunk', FORMAT, tone(1)));
      socket.end(written('audio-stop'));
    },
    breakOff: async () => (await begun.promise).destroy(),
    left: begun.promise.then((socket) => once(socket, 'close')),
  };
}

/** Reads until there are so many bytes. */
async function read(body: AsyncIterator<Uint8Array>, bytes: number): Promise<Uint8Array[]> {
  const parts: Uint8Array[] = [];
  for (let length = 0; length < bytes; length += parts.at(-1)?.byteLength ?? 0) {
    const { done, value } = await body.next();
    if (done) throw new Error(`The audio ended after ${length} bytes.`);
    parts.push(value);
  }
  return parts;
}

const HELLO = { input: 'Hello', voice: 'ash', model: 'ext', response_format: 'wav' };

describe.each([
  ['an OpenAI-compatible server', openAi],
  ['a Wyoming server', wyoming],
] as const)('%s that still speaks', (_, speaking) => {
  test('is heard before its last byte, and all of it by all that ask, with true sizes once it is whole', async () => {
    const { engine, finish } = await speaking();
    const service = await runningService({ engine });
    const { status, body } = await service.speak(HELLO);
    expect({ status, used: body.credits_used }).toEqual({ status: 200, used: 5 });
    const early = await request(body.url);
    expect(early.headers['content-length']).toBeUndefined();
    const heard = early.body[Symbol.asyncIterator]();
    const first = await read(heard, 40_000);
    finish();
    const rest: Uint8Array[] = [];
    for (let next = await heard.next(); !next.done; next = await heard.next()) rest.push(next.value);
    const streamed = Buffer.concat([...first, ...rest]);
    const whole = await request(body.url);
    const later = new Uint8Array(await whole.body.arrayBuffer());
    expect(whole.headers['content-length']).toBe(String(later.length));
    expect(readWav(later).seconds).toBeCloseTo(2, 1);
    // The sound is the same; the early reader's header only did not know its length.
    expect(streamed.subarray(44).equals(later.subarray(44))).toBe(true);
    expect(service.ledger.charges(1)).toMatchObject([{ state: 'settled', amount: 5 }]);
  });

  test('and breaks off costs nothing, and its audio is cut, not ended', async () => {
    const { engine, breakOff } = await speaking();
    const service = await runningService({ engine });
    const before = service.ledger.account().creditsLeft;
    const { body } = await service.speak(HELLO);
    const heard = (await request(body.url)).body[Symbol.asyncIterator]();
    await read(heard, 40_000);
    breakOff();
    await expect(read(heard, 1e9)).rejects.toThrow(/terminated|other side closed|aborted/);
    await expect.poll(() => service.ledger.charges(1)[0]?.state).toBe('refunded');
    expect(service.ledger.account().creditsLeft).toBe(before);
    expect((await request(body.url)).statusCode).toBe(404);
  });

  test('and breaks off stays billed where it has a price', async () => {
    const { engine, breakOff } = await speaking();
    const engines = [engineEntry('paid', engine, 1)];
    const service = await runningService({ engines });
    const { body } = await service.speak(HELLO);
    breakOff();
    await expect.poll(async () => (await request(body.url)).statusCode).toBe(404);
    await service.close();
    const again = await runningService({ dataDir: service.dataDir });
    expect(again.ledger.charges(1)).toMatchObject([{ state: 'lost', amount: 5 }]);
  });

  test('is spoken to its end though its listener has gone', async () => {
    const { engine, finish } = await speaking();
    const service = await runningService({ engine });
    const { body } = await service.speak(HELLO);
    const early = await request(body.url);
    early.body.on('error', () => undefined).destroy();
    finish();
    await expect
      .poll(async () => (await request(body.url, { method: 'HEAD' })).headers['content-length'])
      .toBeDefined();
  });

  test('is let go when the service ends, and given back', async () => {
    const { engine, left } = await speaking();
    const service = await runningService({ engine });
    await service.speak(HELLO);
    await Promise.all([service.close(), left]);
    const again = await runningService({ dataDir: service.dataDir });
    expect(again.ledger.charges(1)).toMatchObject([{ state: 'refunded' }]);
  });
});

test('MP3 streams as well', async () => {
  const { engine, finish } = await wyoming();
  const service = await runningService({ engine });
  const { body } = await service.speak({ ...HELLO, response_format: 'mp3' });
  const heard = (await request(body.url)).body[Symbol.asyncIterator]();
  // Half a second at 128 kbit/s.
  await read(heard, 8_000);
  finish();
  await read(heard, 16_000);
});

test('a speed that is made here waits for the whole text', async () => {
  const { engine, finish } = await wyoming();
  const service = await runningService({ engine });
  const spoken = service.listen({ ...HELLO, speed: 0.8 });
  finish();
  expect(readWav(await spoken).seconds).toBeCloseTo(2.5, 1);
});
