import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBotProcess } from '../src/playground/demo/bot/bot-process.ts';
import type { World } from '../src/playground/world/world.ts';
import { answer, BOT_CORE } from './child.ts';
import { withDiscord } from './discord.ts';

// Runs as a process on the listening core: Discord, the speech API and a listener. The bot is its child process.

export interface LiveRequest {
  utterances: number;
  apiMs: number;
  /** If true, the bot leaves the channel before each utterance. */
  isCold: boolean;
  /** The texts, in turn and repeatedly. Without texts, each utterance has a new text. */
  texts?: readonly string[];
  /** Response time and audio length of the speech service per character. Default: `apiMs` and 0.6 s. */
  pace?: { apiMsPerCharacter: number; soundMsPerCharacter: number };
  env?: Readonly<Record<string, string>>;
}

/** One utterance. All times are in ms since the interaction was sent. */
export interface LiveUtterance {
  audioHeadersMs: number;
  /** From the API's answer to the audio's response headers. */
  downloadMs: number;
  /** When the encryption group was ready; 0 if the bot was already in the channel. */
  groupReadyMs: number;
  /** The end of the lead-in silence: `PACKET_MS` after its last packet, at most `LEAD_IN_MS` after its first. */
  leadInOverMs: number;
  firstAudibleMs: number;
  /** The answers to the requests that the API billed for the utterance. */
  answersMs: readonly number[];
  /** Pauses made of sent silence between two audible packets, in ms beyond the normal packet interval. */
  pausesMs: readonly number[];
}

/** After leaving, the bot waits this long before it joins again. A first join does not wait. */
const REJOIN_PAUSE_MS = 600;

/** Polls each millisecond, because the world has no event for a ready encryption group. */
async function groupReadyAtMs(world: World, isEnded: () => boolean): Promise<number> {
  while (!world.voiceServer.clients().some(({ userId, inGroup }) => userId === world.bot.userId && inGroup)) {
    if (isEnded()) return Number.NaN;
    await sleep(1);
  }
  return performance.now();
}

const PACKET_MS = 20;
/** The silence before the first word after a join, which a listener's client needs. */
const LEAD_IN_MS = 200;

async function run({ utterances, apiMs, isCold, texts, pace, env: ownEnv }: LiveRequest): Promise<LiveUtterance[]> {
  let delayMs = 0;
  const options = {
    apiMs: (characters: number) => delayMs + (pace ? characters * pace.apiMsPerCharacter : 0),
    seconds: pace && ((characters: number) => Math.max(0.6, (characters * pace.soundMsPerCharacter) / 1000)),
  };
  return withDiscord(options, async ({ world, api, env }) => {
    const bot = startBotProcess({ env: { ...env, LOG_LEVEL: 'warn', ...ownEnv } });
    spawnSync('taskset', ['-a', '-p', '-c', String(BOT_CORE), String(bot.pid)], { stdio: 'ignore' });
    const results: LiveUtterance[] = [];
    try {
      await world.botReady();
      // Members take turns, because of the bot's limit per member.
      const members = ['alice', 'bob', 'olga'].map((name) => world.member(name));
      // The bot takes a member's text as an accidental repetition if it comes again within seconds.
      if (texts) for (let i = 0; i < 6; i++) members.push(world.newMember(`member${i}`));
      for (const member of members) member.joins('General');
      const { listener } = world.channel('General');
      let asked = 0;

      async function utterance(text: string): Promise<LiveUtterance> {
        asked += 1;
        const member = members[asked % members.length] as (typeof members)[number];
        if (isCold && world.bot.voiceChannel) {
          await (await member.types('/leave')).reply();
          await world.until(() => world.bot.voiceChannel === undefined, { what: 'leaving' });
          await sleep(REJOIN_PAUSE_MS);
        }
        await sleep(300 + Math.random() * 40);
        listener.clear();
        let isOver = false;
        const answersBefore = api.answers.length;
        const interaction = await member.types(`/say text:${text}`, { in: 'general' });
        const { sentAtMs } = interaction;
        const readyAtMs = isCold ? groupReadyAtMs(world, () => isOver) : Promise.resolve(sentAtMs);
        const heard = await listener.utterance({ quietMs: pace ? 1_000 : 300 }).catch(async (error: unknown) => {
          const { text: answer } = await interaction.reply();
          throw new Error(`Nothing was heard, and the bot said: ${answer}\n${JSON.stringify(bot.log)}`, {
            cause: error,
          });
        });
        isOver = true;
        await interaction.reply();
        const since = (atMs: number | undefined) => (atMs ?? Number.NaN) - sentAtMs;
        const audible = heard.packets.flatMap((packet, i) => (packet.audible ? [{ ...packet, i }] : []));
        // A pause consists of sent silence. Without silence in between, a packet was just late.
        const pausesMs = audible.slice(1).flatMap(({ atMs, i }, index) => {
          const before = audible[index] as (typeof audible)[number];
          return i > before.i + 1 ? [atMs - before.atMs - PACKET_MS] : [];
        });
        const lastOfLeadIn = audible[0] && heard.packets[audible[0].i - 1];
        return {
          answersMs: api.answers.slice(answersBefore).map(since),
          pausesMs,
          audioHeadersMs: since(api.headers.at(-1)),
          downloadMs: since(api.headers.at(-1)) - since(api.answers.at(-1)),
          groupReadyMs: since(await readyAtMs),
          leadInOverMs: Math.min(since(heard.packets[0]?.atMs) + LEAD_IN_MS, since(lastOfLeadIn?.atMs) + PACKET_MS),
          firstAudibleMs: since(heard.firstAudibleAtMs),
        };
      }

      // The first utterances compile code and open connections, and the first long text does too.
      for (let i = 0; i < 3; i++) await utterance(`Warming up ${i}`);
      if (pace)
        await utterance(Array.from({ length: 6 }, (_, i) => `Warming up ${i} with a sentence of its own.`).join(' '));
      delayMs = apiMs;
      for (let i = 0; i < utterances; i++) {
        results.push(await utterance(texts?.[i % texts.length] ?? `Text number ${i} of the bench`));
      }
    } finally {
      await bot.stop();
    }
    return results;
  });
}

await answer(run);
