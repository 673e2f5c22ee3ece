import { ask } from '../child.ts';
import type { Measured, Row, RowContext, RowResult } from '../row.ts';
import type { Start, StartRequest } from '../start-bot.ts';
import { median } from '../stats.ts';

const TARGET_READY_MS = 2_000;
const TARGET_BOT_MB = 120;
const TARGET_VOICE_MB = 80;
const TIMEOUT_MS = 240_000;

const startBot = (request: StartRequest) => ask<Start[]>('./start-bot.ts', request, { timeoutMs: TIMEOUT_MS });

/** What one of the two processes takes, under keys that say which. */
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
      `(CPU: bot ${of(starts, ({ bot }) => bot.cpuMs).toFixed(0)} ms, local voice ${of(starts, ({ voice }) => voice.cpuMs).toFixed(0)} ms); ` +
      `idle: bot ${of(starts, ({ bot }) => bot.residentMb).toFixed(0)} MB resident (${of(starts, ({ bot }) => bot.proportionalMb).toFixed(0)} by its share), ` +
      `local voice ${of(starts, ({ voice }) => voice.residentMb).toFixed(0)} MB (${of(starts, ({ voice }) => voice.proportionalMb).toFixed(0)}), ` +
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
      `From the start of the process to its line "Crier is ready", with the local voice as its child and a Discord on loopback, ${runs} starts after a first one that is not counted, on both cores; memory 15 s later, before any text, with nobody in a voice channel. Ours: as the image and the systemd unit start it, with Node's compile cache and MALLOC_TRIM_THRESHOLD_. By its share: pages that several processes have in common, such as those of Node's own program (58 of the bot's MB), count for each by its part.`,
    ],
  };
}

export const row: Row = {
  number: 12,
  name: 'start',
  figure: 'start → ready, and resident memory when idle',
  target: '≤ 2 s; bot ≤ 120 MB, local voice ≤ 80 MB',
  run,
};
