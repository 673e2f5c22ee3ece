import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { wavFile } from '../../../src/sound/wav.ts';
import { loadEncoders } from '../../../src/speech-service/synthesis/encode.ts';
import { readWyomingEvents } from '../../../src/speech-service/synthesis/wyoming-engine.ts';

/* Small servers that speak the real protocols of engines: chunked HTTP, and Wyoming's events over TCP. */

/** Below those that Linux gives to sockets without a port of their own: nobody else takes one while its server is stopped. */
const PORTS = { from: 20_000, to: 32_000 };

async function listenAnywhere(server: Server): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.from, PORTS.to);
    try {
      await once(server.listen(port, '127.0.0.1'), 'listening');
      return port;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    }
  }
}

/** Listens on loopback until the test ends, and may be stopped and started again at the same port meanwhile. */
async function onLoopback(server: Server) {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  const stop = async () => {
    const closed = server.listening ? once(server, 'close') : undefined;
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  onTestFinished(stop);
  const port = await listenAnywhere(server);
  const start = async () => void (await once(server.listen(port, '127.0.0.1'), 'listening'));
  return { host: `127.0.0.1:${port}`, sockets, stop, start };
}

/** The entries of two of them in a file of engines. */
export const openAi = (origin: string, more = '', name = 'kokoro') =>
  `[[engines]]\nname = "${name}"\nkind = "openai"\nurl = "${origin}/v1"\n${more}`;
export const wyoming = (url: string, more = '') =>
  `[[engines]]\nname = "piper"\nkind = "wyoming"\nurl = "${url}"\n${more}`;

interface Asked {
  url: string;
  authorization: string | undefined;
  body: Record<string, unknown>;
}

export const TONE = wavFile(
  Float32Array.from({ length: 2_400 }, (_, i) => 0.3 * Math.sin(i / 8)),
  24_000,
);

export interface OpenAiOptions {
  readonly answer?: (asked: Asked, response: ServerResponse) => unknown;
  /** The body of its list of voices; without one it has no such list. */
  readonly voices?: unknown;
  /** Answered with 401, or only there. */
  readonly refusesKey?: string;
  readonly refusesAt?: readonly string[];
  /** Whether it leaves a request for its list without an answer. */
  readonly isSilent?: () => boolean;
}

/** A server of the kind that OpenAI made common: 20 ms of a tone for each character, deeper with instructions. */
export async function openAiServer({ answer, voices, refusesKey, refusesAt, isSilent }: OpenAiOptions = {}) {
  const asked: Asked[] = [];
  let listAsked = 0;
  const encode = await loadEncoders();
  const server = createHttpServer(async (request, response) => {
    const { url = '', headers, method } = request;
    const isRefused = refusesKey !== undefined && headers.authorization === `Bearer ${refusesKey}`;
    if (isRefused && (refusesAt?.includes(url) ?? true)) return response.writeHead(401).end();
    if (method === 'GET') {
      if (url === '/v1/audio/voices') listAsked += 1;
      if (isSilent?.()) return;
      const isList = url === '/v1/audio/voices' && voices !== undefined;
      response.writeHead(isList ? 200 : 404, { 'content-type': 'application/json' });
      return response.end(JSON.stringify(isList ? voices : { detail: 'Not Found' }));
    }
    const one = { url, authorization: headers.authorization, body: JSON.parse(await text(request)) };
    // An order without a text, by which a key is tried.
    if (one.body.input === undefined) return response.writeHead(422).end();
    asked.push(one);
    if (answer !== undefined) return answer(one, response);
    const { input, speed = 1, response_format: format, instructions } = one.body;
    const pitch = (2 * Math.PI * 440 * (instructions === undefined ? 1 : 0.8)) / 24_000;
    const length = Math.round((480 * input.length) / speed);
    const samples = Float32Array.from({ length }, (_, i) => 0.3 * Math.sin(i * pitch));
    response.end(encode(samples, 24_000, format));
  });
  const { host, ...rest } = await onLoopback(server);
  return { asked, listAsked: () => listAsked, origin: `http://${host}`, ...rest };
}

const RATE_HZ = 22_050;

/** 16-bit PCM of a tone. */
export function tone(seconds: number, channels = 1): Uint8Array {
  const bytes = Buffer.alloc(2 * channels * Math.round(seconds * RATE_HZ));
  for (let at = 0; at < bytes.length; at += 2) bytes.writeInt16LE(Math.round(9_000 * Math.sin(at / 16)), at);
  return bytes;
}

/** As the reference implementation writes it: the data behind the header, not in it. */
export function written(type: string, data: object = {}, payload = new Uint8Array() as Uint8Array): Buffer {
  const json = Buffer.from(JSON.stringify(data));
  const header = { type, version: '1.5.2', data_length: json.length, payload_length: payload.length };
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), json, payload]);
}

export const FORMAT = { rate: RATE_HZ, width: 2, channels: 1 };

/** A tenth of a second for each character, in chunks, as Piper sends it. */
function speak(socket: Socket, text = ''): void {
  socket.write(written('audio-start', FORMAT));
  for (let chunk = 0; chunk < text.length; chunk++) socket.write(written('audio-chunk', FORMAT, tone(0.1)));
  socket.end(written('audio-stop'));
}

/** A voice as Piper describes it. */
export const piperVoice = (name: string, installed = true) => ({
  name,
  description: name,
  languages: [name.split('-')[0]],
  installed,
  attribution: { name: 'rhasspy', url: 'https://github.com/rhasspy/piper' },
});

/** A small server that speaks the protocol over TCP. */
export async function wyomingServer(
  answer: (socket: Socket, text?: string) => void = speak,
  voices: readonly object[] = [piperVoice('en_US-amy-low')],
) {
  const asked: unknown[] = [];
  const server = createServer((socket) => {
    void (async () => {
      for await (const { type, data } of readWyomingEvents(socket)) {
        if (type === 'describe') {
          socket.write(written('info', { tts: [{ name: 'piper', installed: true, voices }] }));
          continue;
        }
        asked.push({ type, ...data });
        answer(socket, String(data.text));
      }
    })().catch(() => undefined);
  });
  const { host, ...rest } = await onLoopback(server);
  return { asked, url: `tcp://${host}`, ...rest };
}
