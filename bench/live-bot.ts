import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBotProcess } from '../src/playground/demo/bot/bot-process.ts';
import { startWorld, type World } from '../src/playground/world/world.ts';
import { answer, BOT_CORE } from './child.ts';
import { API_KEY, startSpeechApi } from './speech-api.ts';

// Run as a process of its own on the listening end's core: Discord, the speech API and a listener; the bot is its child.

export interface LiveRequest {
  utterances: number;
  /** How long the speech API takes to answer. */
  apiMs: number;
  /** True: the bot leaves the channel before each utterance. */
  isCold: boolean;
  /** The texts, one after the other and round again; each a new one when left out. */
  texts?: readonly string[];
  /** How the speech service takes its time and how long its sound is, by characters; otherwise `apiMs` and 0.6 s. */
  pace?: { apiMsPerCharacter: number; soundMsPerCharacter: number };
  /** Settings of the bot beyond those that point it here. */
  env?: Readonly<Record<string, string>>;
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
  /** The lead-in was over: a packet's length after its last packet, and no later than its length after its first. */
  leadInOverMs: number;
  firstAudibleMs: number;
  /** Requests that the API billed for it, and when it answered each of them. */
  billed: number;
  answersMs: readonly number[];
  /** From an audible packet to the next one, in ms beyond their rhythm, where silence was sent in between. */
  pausesMs: readonly number[];
}

/** For so long after leaving the bot does not ask to be let in again; a first join does not wait for that. */
const REJOIN_PAUSE_MS = 600;
const TIMEOUT_MS = 30_000;

/** Polled to the millisecond: the world has no event for a ready group. */
async function groupReadyAtMs(world: World, isEnded: () => boolean): Promise<number> {
  while (!isEnded()) {
    if (world.voiceServer.clients().some(({ userId, inGroup }) => userId === world.bot.userId && inGroup)) {
      return performance.now();
    }
    await sleep(1);
  }
  return Number.NaN;
}

const PACKET_MS = 20;
/** Silence before the first word after a join, which a listener's client needs. */
const LEAD_IN_MS = 200;

async function run({ utterances, apiMs, isCold, texts, pace, env }: LiveRequest): Promise<LiveUtterance[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'crier-bench-'));
  let delayMs = 0;
  const api = await startSpeechApi({
    apiMs: (characters) => delayMs + (pace ? characters * pace.apiMsPerCharacter : 0),
    seconds: pace && ((characters) => Math.max(0.6, (characters * pace.soundMsPerCharacter) / 1000)),
  });
  const world = await startWorld();
  const bot = startBotProcess({
    env: {
      ...world.botEnv,
      VOICE_API_URL: api.url,
      VOICE_API_KEY: API_KEY,
      DATA_DIR: dataDir,
      LOG_LEVEL: 'warn',
      ...env,
    },
  });
  spawnSync('taskset', ['-a', '-p', '-c', String(BOT_CORE), String(bot.pid)], { stdio: 'ignore' });
  const results: LiveUtterance[] = [];
  try {
    await world.botReady({ timeoutMs: TIMEOUT_MS });
    // In turn: each member may use a command only so often.
    const members = ['alice', 'bob', 'olga'].map((name) => world.member(name));
    // And the same order again within seconds is taken for a slip.
    if (texts) for (let i = 0; i < 6; i++) members.push(world.newMember(`member${i}`));
    for (const member of members) member.joins('General');
    const { listener } = world.channel('General');
    let asked = 0;

    async function utterance(text: string): Promise<LiveUtterance> {
      asked += 1;
      const member = members[asked % members.length] as (typeof members)[number];
      if (isCold && world.bot.voiceChannel) {
        await (await member.types('/leave')).reply({ timeoutMs: TIMEOUT_MS });
        await world.until(() => world.bot.voiceChannel === undefined, { what: 'leaving', timeoutMs: TIMEOUT_MS });
        await sleep(REJOIN_PAUSE_MS);
      }
      await sleep(300 + Math.random() * 40);
      listener.clear();
      let isOver = false;
      const answersBefore = api.answers.length;
      const interaction = await member.types(`/say text:${text}`, { in: 'general' });
      const { sentAtMs } = interaction;
      const readyAtMs = isCold ? groupReadyAtMs(world, () => isOver) : Promise.resolve(sentAtMs);
      const heard = await listener
        .utterance({ timeoutMs: TIMEOUT_MS, quietMs: pace ? 1_000 : 300 })
        .catch(async (error: unknown) => {
          const { text: answer } = await interaction.reply({ timeoutMs: TIMEOUT_MS });
          throw new Error(`Nothing was heard, and the bot said: ${answer}\n${JSON.stringify(bot.log)}`, {
            cause: error,
          });
        });
      isOver = true;
      await interaction.reply({ timeoutMs: TIMEOUT_MS });
      const since = (atMs: number | undefined) => (atMs ?? Number.NaN) - sentAtMs;
      const answers = api.answers.slice(answersBefore);
      const audible = heard.packets.flatMap((packet, i) =>
        packet.audible && !packet.silence ? [{ ...packet, i }] : [],
      );
      // A pause is made of silence that was sent; without any, a packet was late.
      const pausesMs = audible.slice(1).flatMap(({ atMs, i }, index) => {
        const before = audible[index] as (typeof audible)[number];
        return i > before.i + 1 ? [atMs - before.atMs - PACKET_MS] : [];
      });
      const firstPacketMs = since(heard.packets[0]?.atMs);
      const lastOfLeadIn = audible[0] && heard.packets[audible[0].i - 1];
      return {
        billed: answers.length,
        answersMs: answers.map(since),
        pausesMs,
        apiAnsweredMs: since(api.times.answered),
        audioHeadersMs: since(api.times.headers),
        downloadMs: api.times.headers - api.times.answered,
        groupReadyMs: since(await readyAtMs),
        firstPacketMs,
        leadInOverMs: Math.min(firstPacketMs + LEAD_IN_MS, since(lastOfLeadIn?.atMs) + PACKET_MS),
        firstAudibleMs: since(heard.firstAudibleAtMs),
      };
    }

    // The first ones pay for compiled code and open connections; so does the first that comes in parts.
    for (let i = 0; i < 3; i++) await utterance(`Warming up ${i}`);
    if (pace)
      await utterance(Array.from({ length: 6 }, (_, i) => `Warming up ${i} with a sentence of its own.`).join(' '));
    delayMs = apiMs;
    for (let i = 0; i < utterances; i++) {
      results.push(await utterance(texts?.[i % texts.length] ?? `Text number ${i} of the bench`));
    }
  } finally {
    await bot.stop();
    await world.close();
    api.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
  return results;
}

await answer(run);
