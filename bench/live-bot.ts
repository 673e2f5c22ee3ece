import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBotProcess } from '../src/playground/bot-process.ts';
import { startWorld, type World } from '../src/playground/world.ts';
import { BOT_CORE } from './machine.ts';
import { voice, wav } from './sound.ts';

// Run as a process of its own on the listening end's core: Discord, the speech API and a listener; the bot is its child.

export interface LiveRequest {
  utterances: number;
  /** How long the speech API takes to answer. */
  apiMs: number;
  /** True: the bot leaves the channel before each utterance. */
  isCold: boolean;
}

/** One utterance; all times in ms from the moment the interaction was sent. */
export interface LiveUtterance {
  /** The API's answer went out. */
  apiAnsweredMs: number;
  /** The audio's response headers went out. */
  audioHeadersMs: number;
  /** From the API's answer to those headers. */
  downloadMs: number;
  /** The encryption group was ready; 0 where the bot was there already. */
  groupReadyMs: number;
  firstPacketMs: number;
  firstAudibleMs: number;
}

const KEY = 'bench-key-0123456789abcdef';
const TIMEOUT_MS = 12_000;

/** The speech interface with a fixed time to answer, and audio that begins with sound. */
async function startApi(apiMs: () => number) {
  const audio = wav(voice(0.6));
  const times = { answered: 0, headers: 0 };
  const voices = { data: [{ id: '11111111-1111-4111-8111-111111111111', name: 'bench', model: 'orpheus' }] };
  const server = createServer(async (request, response) => {
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const answer = (body: unknown) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    request.resume();
    await once(request, 'end');
    if (request.url?.startsWith('/api/v1/voices')) return answer(voices);
    if (request.url?.startsWith('/api/v1/speech')) {
      await sleep(apiMs());
      times.answered = performance.now();
      return answer({ url: `${origin}/audio.wav`, credits_used: 1, credits_remaining: 1_000_000 });
    }
    if (request.url?.startsWith('/audio.wav')) {
      response.writeHead(200, { 'content-type': 'audio/wav', 'content-length': audio.length });
      response.flushHeaders();
      times.headers = performance.now();
      return response.end(audio);
    }
    response.writeHead(404).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, times, close: () => server.close() };
}

/** Polled to the millisecond: nothing in the world tells when a group is ready before anybody has asked. */
async function groupReadyAtMs(world: World, isEnded: () => boolean): Promise<number> {
  while (!isEnded()) {
    if (world.voiceServer.clients().some(({ userId, inGroup }) => userId === world.bot.userId && inGroup)) {
      return performance.now();
    }
    await sleep(1);
  }
  return Number.NaN;
}

async function run({ utterances, apiMs, isCold }: LiveRequest): Promise<LiveUtterance[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'crier-bench-'));
  let delayMs = 0;
  const api = await startApi(() => delayMs);
  const world = await startWorld();
  const bot = startBotProcess({
    env: { ...world.botEnv, VOICE_API_URL: api.url, VOICE_API_KEY: KEY, DATA_DIR: dataDir, LOG_LEVEL: 'warn' },
  });
  spawnSync('taskset', ['-a', '-p', '-c', String(BOT_CORE), String(bot.pid)], { stdio: 'ignore' });
  const results: LiveUtterance[] = [];
  try {
    await world.botReady({ timeoutMs: TIMEOUT_MS });
    // In turn: each member may use a command only so often.
    const members = ['alice', 'bob', 'olga'].map((name) => world.member(name));
    for (const member of members) member.joins('General');
    const { listener } = world.channel('General');
    let asked = 0;

    async function utterance(text: string): Promise<LiveUtterance> {
      asked += 1;
      const member = members[asked % members.length] as (typeof members)[number];
      if (isCold && world.bot.voiceChannel) {
        await (await member.types('/leave')).reply({ timeoutMs: TIMEOUT_MS });
        await world.until(() => world.bot.voiceChannel === undefined, { what: 'leaving', timeoutMs: TIMEOUT_MS });
      }
      await sleep(300 + Math.random() * 40);
      listener.clear();
      let isOver = false;
      const interaction = await member.types(`/say text:${text}`, { in: 'general' });
      const { sentAtMs } = interaction;
      const readyAtMs = isCold ? groupReadyAtMs(world, () => isOver) : Promise.resolve(sentAtMs);
      const heard = await listener.utterance({ timeoutMs: TIMEOUT_MS }).catch(async (error: unknown) => {
        const { text: answer } = await interaction.reply({ timeoutMs: TIMEOUT_MS });
        throw new Error(`Nothing was heard, and the bot said: ${answer}\n${JSON.stringify(bot.log)}`, { cause: error });
      });
      isOver = true;
      await interaction.reply({ timeoutMs: TIMEOUT_MS });
      const since = (atMs: number | undefined) => (atMs ?? Number.NaN) - sentAtMs;
      return {
        apiAnsweredMs: since(api.times.answered),
        audioHeadersMs: since(api.times.headers),
        downloadMs: api.times.headers - api.times.answered,
        groupReadyMs: since(await readyAtMs),
        firstPacketMs: since(heard.packets[0]?.atMs),
        firstAudibleMs: since(heard.firstAudibleAtMs),
      };
    }

    // The first ones pay for compiled code and open connections.
    for (let i = 0; i < 3; i++) await utterance(`Warming up ${i}`);
    delayMs = apiMs;
    for (let i = 0; i < utterances; i++) results.push(await utterance(`Text number ${i} of the bench`));
  } finally {
    await bot.stop();
    await world.close();
    api.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
  return results;
}

const utterances = await run(JSON.parse(process.argv[2] ?? '{}') as LiveRequest);
process.send?.(utterances, () => process.disconnect());
