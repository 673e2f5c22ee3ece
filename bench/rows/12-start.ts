import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBotProcess } from '../../src/playground/demo/bot/bot-process.ts';
import { answer, ask } from '../child.ts';
import { withDiscord } from '../discord.ts';
import { childPids, cpuOfMs, proportionalMb, residentMb } from '../machine.ts';
import type { Measured, Row, RowContext, RowResult } from '../row.ts';
import { median } from '../stats.ts';

/** The resources of an idle process. Memory is given as proportional and as resident pages. */
interface Taken {
  cpuMs: number;
  residentMb: number;
  proportionalMb: number;
}

/** A start of the bot with its built-in voice, and the idle resources of both some seconds later. */
interface Start {
  readyMs: number;
  bot: Taken;
  voice: Taken;
  /** The built-in voice's memory once a member is in a voice channel. */
  wokenVoiceMb: number;
}

const READY_TIMEOUT_MS = 60_000;
/** V8 frees memory of the start in two steps; the second step comes about 10 s after the start. */
const IDLE_AFTER_MS = 15_000;
const CHANNEL = 'General';
/** The synthesizer's thread starts in about 0.2 s. */
const WOKEN_AFTER_MS = 2_000;

/** If true, starts the bot as the image and the systemd unit do. If false, nothing is cached between starts. */
interface StartRequest {
  starts: number;
  asDeployed: boolean;
}

/** Starts the bot `starts` times, after an extra start that fills caches. */
async function startBots({ starts, asDeployed }: StartRequest): Promise<Start[]> {
  const results: Start[] = [];
  await withDiscord({ apiMs: () => 0 }, async ({ world, folder, env: { DATA_DIR = '' } }) => {
    const env: Readonly<Record<string, string>> = asDeployed
      ? { NODE_COMPILE_CACHE: join(folder, 'compiled'), MALLOC_TRIM_THRESHOLD_: '131072' }
      : { NODE_COMPILE_CACHE: '', NODE_DISABLE_COMPILE_CACHE: '1' };
    // Frank is in a voice channel from the beginning.
    const frank = world.member('frank');
    for (let i = 0; i <= starts; i++) {
      // Idle means that nobody is in a voice channel.
      if (frank.voiceChannel !== undefined) frank.leaves();
      const startedAtMs = performance.now();
      const bot = startBotProcess({ env: { ...world.botEnv, DATA_DIR, ...env } });
      try {
        await bot.logged(({ msg }) => msg === 'Crier is ready', READY_TIMEOUT_MS);
        const readyMs = performance.now() - startedAtMs;
        const [voicePid = Number.NaN] = childPids(bot.pid);
        const cpuMs = [cpuOfMs(bot.pid), cpuOfMs(voicePid)];
        await sleep(IDLE_AFTER_MS);
        const [taken, ofVoice] = [bot.pid, voicePid].map((pid, at) => ({
          cpuMs: cpuMs[at] ?? Number.NaN,
          residentMb: residentMb(pid),
          proportionalMb: proportionalMb(pid),
        }));
        frank.joins(CHANNEL);
        await sleep(WOKEN_AFTER_MS);
        const wokenVoiceMb = residentMb(voicePid);
        if (i > 0 && taken && ofVoice) results.push({ readyMs, bot: taken, voice: ofVoice, wokenVoiceMb });
      } finally {
        await bot.stop();
      }
    }
  });
  return results;
}

const TARGET_READY_MS = 2_000;
const TARGET_BOT_MB = 120;
const TARGET_VOICE_MB = 80;
const TIMEOUT_MS = 240_000;

const startBot = (request: StartRequest) => ask<Start[]>('./rows/12-start.ts', request, { timeoutMs: TIMEOUT_MS });

const named = (who: string, { cpuMs, residentMb, proportionalMb }: Start['bot']) => ({
  [`${who}CpuMs`]: cpuMs,
  [`${who}ResidentMb`]: residentMb,
  [`${who}ProportionalMb`]: proportionalMb,
});

async function run({ runs }: RowContext): Promise<RowResult> {
  const kept = await startBot({ starts: runs, asDeployed: true });
  const plain = await startBot({ starts: runs, asDeployed: false });
  const of = (starts: readonly Start[], value: (start: Start) => number) => median(starts.map(value));
  const measured = (way: string, starts: readonly Start[]): Measured => ({
    way,
    text:
      `ready after ${(of(starts, ({ readyMs }) => readyMs) / 1000).toFixed(1)} s ` +
      `(CPU: bot ${of(starts, ({ bot }) => bot.cpuMs).toFixed(0)} ms, built-in voice ${of(starts, ({ voice }) => voice.cpuMs).toFixed(0)} ms); ` +
      `idle: bot ${of(starts, ({ bot }) => bot.residentMb).toFixed(0)} MB resident (${of(starts, ({ bot }) => bot.proportionalMb).toFixed(0)} by its share), ` +
      `built-in voice ${of(starts, ({ voice }) => voice.residentMb).toFixed(0)} MB (${of(starts, ({ voice }) => voice.proportionalMb).toFixed(0)}), ` +
      `${of(starts, ({ wokenVoiceMb }) => wokenVoiceMb).toFixed(0)} MB with a member in a voice channel`,
    runs: starts.map(({ readyMs, bot, voice, wokenVoiceMb }) => ({
      readyMs,
      ...named('bot', bot),
      ...named('voice', voice),
      wokenVoiceMb,
    })),
  });
  const isMet =
    of(kept, ({ readyMs }) => readyMs) <= TARGET_READY_MS &&
    of(kept, ({ bot }) => bot.residentMb) <= TARGET_BOT_MB &&
    of(kept, ({ voice }) => voice.residentMb) <= TARGET_VOICE_MB;
  const ratio = of(plain, ({ readyMs }) => readyMs) / of(kept, ({ readyMs }) => readyMs);
  return {
    verdict: isMet ? 'met' : 'missed',
    ratios: [`${ratio.toFixed(1)} × sooner than with nothing kept`],
    ours: measured('ours', kept),
    peers: [measured('with nothing kept from start to start', plain)],
    notes: [
      `From the start of the process to its line "Crier is ready", with the built-in voice as its child and a Discord on loopback, ${runs} starts after a first one that is not counted, on both cores; memory 15 s later, before any text, with nobody in a voice channel. Ours: as the image and the systemd unit start it, with Node's compile cache and MALLOC_TRIM_THRESHOLD_. By its share: pages that several processes have in common, such as those of Node's own program (58 of the bot's MB), count for each by its part.`,
    ],
  };
}

export const row: Row = {
  number: 12,
  name: 'start',
  figure: 'start → ready, and resident memory when idle',
  target: '≤ 2 s; bot ≤ 120 MB, built-in voice ≤ 80 MB',
  run,
};

// The bots are children of a separate process with Discord on loopback.
if (import.meta.main) await answer(startBots);
