import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBotProcess } from '../src/playground/demo/bot/bot-process.ts';
import { startWorld } from '../src/playground/world/world.ts';
import { answer } from './child.ts';
import { childPids, cpuOfMs, proportionalMb, residentMb } from './machine.ts';

// Run as a process of its own: Discord on loopback; the bot, with its local voice, is its child.

/** What one process takes when nobody speaks: its pages, with shared ones by their shares, and all that are resident. */
interface Taken {
  cpuMs: number;
  residentMb: number;
  proportionalMb: number;
}

/** One start of the bot with its local voice, and what both take some seconds later. */
export interface Start {
  readyMs: number;
  bot: Taken;
  voice: Taken;
  /** What the local voice takes once a member is in a voice channel. */
  wokenVoiceMb: number;
}

const TIMEOUT_MS = 60_000;
/** V8 clears away what a start leaves behind in two steps, the second of them some 10 s after it. */
const IDLE_AFTER_MS = 15_000;
const CHANNEL = 'General';
/** The synthesizer's thread takes some 0.2 s. */
const WOKEN_AFTER_MS = 2_000;

/** `asDeployed`: as the image and the systemd unit start it; otherwise nothing is kept from one start to the next. */
export interface StartRequest {
  starts: number;
  asDeployed: boolean;
}

/** Starts the bot so many times, and once before, which fills what is kept. */
async function run({ starts, asDeployed }: StartRequest): Promise<Start[]> {
  const folder = mkdtempSync(join(tmpdir(), 'crier-bench-start-'));
  const env: Readonly<Record<string, string>> = asDeployed
    ? { NODE_COMPILE_CACHE: join(folder, 'compiled'), MALLOC_TRIM_THRESHOLD_: '131072' }
    : { NODE_COMPILE_CACHE: '', NODE_DISABLE_COMPILE_CACHE: '1' };
  const world = await startWorld();
  // The one member who is in a voice channel from the beginning.
  const frank = world.member('frank');
  const results: Start[] = [];
  try {
    for (let i = 0; i <= starts; i++) {
      // Nobody is in a voice channel while it is idle.
      if (frank.voiceChannel !== undefined) frank.leaves();
      const startedAtMs = performance.now();
      const bot = startBotProcess({ env: { ...world.botEnv, DATA_DIR: join(folder, 'data'), ...env } });
      try {
        await bot.logged(({ msg }) => msg === 'Crier is ready', TIMEOUT_MS);
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
  } finally {
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  }
  return results;
}

await answer(run);
