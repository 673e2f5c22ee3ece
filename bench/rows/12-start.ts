import { setTimeout as sleep } from 'node:timers/promises';
import { startBotProcess } from '../../src/playground/demo/bot/bot-process.ts';
import { answer, ask } from '../child.ts';
import { withDiscord } from '../discord.ts';
import { childPids, cpuOfMs, proportionalMb, residentMb } from '../machine.ts';
import type { Measured, Row } from '../row.ts';
import { medianOf } from '../stats.ts';

/** V8 frees memory of the start in two steps; the second step comes about 10 s after the start. */
const IDLE_AFTER_MS = 15_000;
/** The synthesizer's thread starts in about 0.2 s. */
const WOKEN_AFTER_MS = 2_000;
const NOTHING_KEPT = { NODE_COMPILE_CACHE: '', NODE_DISABLE_COMPILE_CACHE: '1' };

interface StartRequest {
  readonly starts: number;
  /** True if the bot starts as the image and the systemd unit start it; otherwise nothing is cached between starts. */
  readonly isDeployed: boolean;
}

type Start = Awaited<ReturnType<typeof startBots>>[number];

/**
 * Starts the bot with its built-in voice `starts` times, after an extra start that fills caches. CPU time is that of
 * the start; memory is that of both processes when idle, and at the end the voice's with a member in a voice channel.
 */
function startBots({ starts, isDeployed }: StartRequest) {
  return withDiscord({ apiMs: () => 0 }, async ({ world, dataDir, deployed }) => {
    const env = { ...world.botEnv, DATA_DIR: dataDir, ...(isDeployed ? deployed : NOTHING_KEPT) };
    // Frank is in a voice channel from the beginning.
    const frank = world.member('frank');

    async function start() {
      // Idle means that nobody is in a voice channel.
      if (frank.voiceChannel !== undefined) frank.leaves();
      const startedAtMs = performance.now();
      const bot = startBotProcess({ env });
      try {
        await bot.logged(({ msg }) => msg === 'Crier is ready');
        const readyMs = performance.now() - startedAtMs;
        const [voicePid = Number.NaN] = childPids(bot.pid);
        const [botCpuMs, voiceCpuMs] = [cpuOfMs(bot.pid), cpuOfMs(voicePid)];
        await sleep(IDLE_AFTER_MS);
        const idle = {
          botResidentMb: residentMb(bot.pid),
          botProportionalMb: proportionalMb(bot.pid),
          voiceResidentMb: residentMb(voicePid),
          voiceProportionalMb: proportionalMb(voicePid),
        };
        frank.joins('General');
        await sleep(WOKEN_AFTER_MS);
        return { readyMs, botCpuMs, voiceCpuMs, ...idle, wokenVoiceMb: residentMb(voicePid) };
      } finally {
        await bot.stop();
      }
    }
    await start();
    const results = [];
    while (results.length < starts) results.push(await start());
    return results;
  });
}

const measure = (request: StartRequest) => ask<Start[]>('./rows/12-start.ts', request);

function measured(way: string, starts: readonly Start[]): Measured {
  const whole = (field: keyof Start) => medianOf(starts, field).toFixed(0);
  const ready = `ready after ${(medianOf(starts, 'readyMs') / 1000).toFixed(1)} s`;
  const cpu = `CPU: bot ${whole('botCpuMs')} ms, built-in voice ${whole('voiceCpuMs')} ms`;
  const bot = `bot ${whole('botResidentMb')} MB resident (${whole('botProportionalMb')} by its share)`;
  const voice = `built-in voice ${whole('voiceResidentMb')} MB (${whole('voiceProportionalMb')})`;
  const woken = `${whole('wokenVoiceMb')} MB with a member in a voice channel`;
  return { way, text: `${ready} (${cpu}); idle: ${bot}, ${voice}, ${woken}`, runs: starts };
}

export const row: Row = {
  number: 12,
  name: 'start',
  figure: 'start → ready, and resident memory when idle',
  target: '≤ 2 s; bot ≤ 120 MB, built-in voice ≤ 80 MB',
  async run({ runs }) {
    const kept = await measure({ starts: runs, isDeployed: true });
    const plain = await measure({ starts: runs, isDeployed: false });
    const ratio = medianOf(plain, 'readyMs') / medianOf(kept, 'readyMs');
    const isMet =
      medianOf(kept, 'readyMs') <= 2_000 &&
      medianOf(kept, 'botResidentMb') <= 120 &&
      medianOf(kept, 'voiceResidentMb') <= 80;
    return {
      verdict: isMet ? 'met' : 'missed',
      ratios: [`${ratio.toFixed(1)} × sooner than with nothing kept`],
      ours: measured('ours', kept),
      peers: [measured('with nothing kept from start to start', plain)],
      notes: [
        `From the start of the process to its line "Crier is ready", with the built-in voice as its child and a Discord on loopback, ${runs} starts after a first one that is not counted, on both cores; memory 15 s later, before any text, with nobody in a voice channel. Ours: as the image and the systemd unit start it, with Node's compile cache and MALLOC_TRIM_THRESHOLD_. By its share: pages that several processes have in common, such as those of Node's own program (58 of the bot's MB), count for each by its part.`,
      ],
    };
  },
};

// The bots are children of a separate process with Discord on loopback.
if (import.meta.main) await answer(startBots);
