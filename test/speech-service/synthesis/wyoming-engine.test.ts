import type { Socket } from 'node:net';
import { request } from 'undici';
import { describe, expect, test } from 'vitest';
import { createWyomingEngine } from '../../../src/speech-service/synthesis/wyoming-engine.ts';
import { peak, readWav } from '../measure-audio.ts';
import { engineEntry, runningService } from '../running-service.ts';
import { FORMAT, tone, written, wyomingServer } from './speaking-servers.ts';

/** A service with an engine whose operator names one of its voices. */
function serviceWith(url: string, credits?: number, deadlineMs = 60_000) {
  const entry = engineEntry('piper', createWyomingEngine({ url, deadlineMs }), credits);
  const voices = [{ name: 'amy', server_name: 'en_US-amy-low' }];
  return runningService({ engines: [{ ...entry, server: { voices, languages: undefined, takesStyle: false } }] });
}
const HELLO = { input: 'Hello', voice: 'amy', model: 'piper' };

describe('a Wyoming server', () => {
  test('speaks, at the sample rate of the model, whatever its own', async () => {
    const { asked, url } = await wyomingServer();
    const service = await serviceWith(url);
    const { seconds, sampleRateHz, samples } = readWav(await service.listen(HELLO));
    expect({ seconds: Math.round(seconds * 100) / 100, sampleRateHz }).toEqual({ seconds: 0.5, sampleRateHz: 24_000 });
    expect(peak(samples)).toBeGreaterThan(0.2);
    await service.listen({ ...HELLO, input: 'say [[[bˈ]] it' });
    const voice = { name: 'en_US-amy-low' };
    expect(asked).toEqual([
      { type: 'synthesize', text: 'Hello', voice },
      // Piper would take it for phonemes.
      { type: 'synthesize', text: 'say [ [ [bˈ]] it', voice },
    ]);
  });

  test('whose data stands in the header, in one piece with the payload, is understood as well', async () => {
    const { url } = await wyomingServer((socket) => {
      const payload = tone(0.2, 2);
      const header = { type: 'audio-chunk', data: { ...FORMAT, channels: 2 }, payload_length: payload.length };
      const bytes = Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), payload, written('audio-stop')]);
      // In pieces that end anywhere.
      for (let at = 0; at < bytes.length; at += 1_001) socket.write(bytes.subarray(at, at + 1_001));
      socket.end();
    });
    const service = await serviceWith(url);
    expect(readWav(await service.listen(HELLO)).seconds).toBeCloseTo(0.2, 1);
  });

  test.each([
    ['says that it has spoken', (socket: Socket) => socket.write(written('synthesize-stopped'))],
    ['ends the connection', (socket: Socket) => socket.end()],
    ['says nothing more', () => undefined],
  ])('that speaks sentence by sentence is heard to its end, at any speed, when it %s', async (_, end) => {
    const { url } = await wyomingServer((socket) => {
      for (const [rate, seconds] of [
        [22_050, 0.2],
        [44_100, 0.3],
      ] as const) {
        socket.write(written('audio-start', { ...FORMAT, rate }));
        socket.write(written('audio-chunk', { ...FORMAT, rate }, tone((seconds * rate) / 22_050)));
        socket.write(written('audio-stop'));
      }
      end(socket);
    });
    const service = await serviceWith(url);
    const secondsOf = async (body: object) => {
      const { url: audio } = (await service.speak(body)).body;
      // It is whole, with its sizes, when the first answer has ended.
      await (await request(audio)).body.dump();
      return readWav(new Uint8Array(await (await request(audio)).body.arrayBuffer())).seconds;
    };
    expect(await secondsOf(HELLO)).toBeCloseTo(0.5, 1);
    expect(await secondsOf({ ...HELLO, speed: 1.25 })).toBeCloseTo(0.4, 1);
  });

  test.each<[what: string, answer: (socket: Socket) => void, free: number, priced: number, lost: number]>([
    ['ends in the audio', (socket) => socket.end(written('audio-chunk', FORMAT, tone(0.1))), 500, 502, 5],
    ['is cut off in an event', (socket) => socket.end(written('audio-chunk', FORMAT).subarray(0, 9)), 500, 502, 5],
    ['says it failed', (socket) => socket.end(written('error', { text: 'no such voice' })), 500, 500, 0],
    ['sends no audio', (socket) => socket.end(written('audio-stop')), 400, 502, 5],
    ['has no rate', (socket) => socket.end(written('audio-chunk', { rate: 0, width: 2 }, tone(0.1))), 500, 502, 5],
  ])('that %s costs nothing, and with a price is billed unless it refuses', async (_, answer, free, priced, lost) => {
    const { url } = await wyomingServer(answer);
    const [unpaid, paid] = [await serviceWith(url), await serviceWith(url, 1)];
    expect([(await unpaid.speak(HELLO)).status, (await paid.speak(HELLO)).status]).toEqual([free, priced]);
    expect([unpaid.creditsSpent(), paid.creditsSpent()]).toEqual([0, lost]);
  });

  test('that does not answer in time is a 500, and its connection is given up', async () => {
    const { url, sockets } = await wyomingServer(() => undefined);
    const slow = await serviceWith(url, undefined, 100);
    expect((await slow.speak(HELLO)).status).toBe(500);
    await expect.poll(() => sockets.size).toBe(0);
  });
});
