import type { LiveUtterance } from '../live-bot.ts';
import { alternate, type Measured, type Row, type RowContext, type RowResult, speakLive } from '../row.ts';
import { median, percentile } from '../stats.ts';

const SLOW_API_MS = 600;
const FAST_API_MS = 1;
const UTTERANCES_A_RUN = 2;
const TARGET_MS = 10;

/** The time beyond the last thing that must be waited for: the group, the audio or the end of the lead-in. */
function overheadMs({ groupReadyMs, audioHeadersMs, leadInOverMs, firstAudibleMs }: LiveUtterance): number {
  const waits = [groupReadyMs, audioHeadersMs, leadInOverMs].filter((ms) => !Number.isNaN(ms));
  return firstAudibleMs - Math.max(...waits);
}

/** The time of the steps one after another: join, API and download, first packet. */
function sumMs({ groupReadyMs, audioHeadersMs }: LiveUtterance): number {
  return groupReadyMs + audioHeadersMs;
}

async function run({ runs, scale }: RowContext): Promise<RowResult> {
  const utterances = Math.max(2, Math.round(UTTERANCES_A_RUN * scale));
  const { slow, fast } = await alternate(runs, {
    slow: () => speakLive({ utterances, apiMs: SLOW_API_MS, isCold: true }),
    fast: () => speakLive({ utterances, apiMs: FAST_API_MS, isCold: true }),
  });
  const middle = (rounds: LiveUtterance[][], of: (utterance: LiveUtterance) => number) => median(rounds.flat().map(of));
  const over = { slow: middle(slow, overheadMs), fast: middle(fast, overheadMs) };
  const first = (rounds: LiveUtterance[][]) => middle(rounds, ({ firstAudibleMs }) => firstAudibleMs);
  const ms = (value: number) => `${value.toFixed(1)} ms`;
  const measured = (way: string, text: string, of: (utterance: LiveUtterance) => number): Measured => ({
    way,
    text,
    runs: [slow, fast].flatMap((rounds, i) =>
      rounds.map((round) => ({
        apiMs: i === 0 ? SLOW_API_MS : FAST_API_MS,
        p50Ms: percentile(round.map(of), 0.5),
        maxMs: percentile(round.map(of), 1),
      })),
    ),
  });
  const sum = middle(slow, sumMs);
  return {
    verdict: Math.max(over.slow, over.fast) <= TARGET_MS ? 'met' : 'missed',
    ratios: [`${(sum / first(slow)).toFixed(2)} × sooner than one after the other`],
    ours: measured('ours', `+ ${ms(over.slow)} (API ${SLOW_API_MS} ms), + ${ms(over.fast)} (API at once)`, overheadMs),
    peers: [measured('one after the other', `${ms(sum)} against ${ms(first(slow))}`, sumMs)],
    notes: [
      `Through the real bot and a Discord on loopback: /say in a channel the bot is not in, DAVE on, ${utterances} utterances a run, each after /leave. Ours is what came on top of the later of 'encryption group ready' and 'audio headers sent' (lead-in silence set aside: its 200 ms count as waiting where the API is faster than they are). Medians: group ready after ${ms(middle(slow, ({ groupReadyMs }) => groupReadyMs))}, from the API's answer to the audio's headers ${ms(middle(slow, ({ downloadMs }) => downloadMs))}, interaction to first audible packet ${ms(first(slow))} with an API of ${SLOW_API_MS} ms and ${ms(first(fast))} with one that answers at once, of which 200 are lead-in. The sum is computed from the same utterances' parts.`,
    ],
  };
}

export const row: Row = {
  number: 3,
  name: 'cold',
  figure: 'cold channel: interaction → first audible packet',
  target: '≤ max(join with DAVE ready, API + download) + 10 ms',
  run,
};
