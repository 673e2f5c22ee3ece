import type { LiveUtterance } from '../live-bot.ts';
import { alternate, type Measured, type Row, speakLive } from '../row.ts';
import { median, percentile } from '../stats.ts';

const SLOW_API_MS = 600;
const FAST_API_MS = 1;
const UTTERANCES_A_RUN = 2;
const TARGET_MS = 10;

type Figure = (utterance: LiveUtterance) => number;

/** The time beyond the last thing that must be waited for: the group, the audio or the end of the lead-in. */
const overheadMs: Figure = ({ groupReadyMs, audioHeadersMs, leadInOverMs, firstAudibleMs }) =>
  firstAudibleMs - Math.max(...[groupReadyMs, audioHeadersMs, leadInOverMs].filter((ms) => !Number.isNaN(ms)));
/** The time of the steps one after another: join, API and download, first packet. */
const sumMs: Figure = ({ groupReadyMs, audioHeadersMs }) => groupReadyMs + audioHeadersMs;
const firstMs: Figure = ({ firstAudibleMs }) => firstAudibleMs;

const middle = (rounds: LiveUtterance[][], of: Figure) => median(rounds.flat().map(of));
const ms = (value: number) => `${value.toFixed(1)} ms`;

export const row: Row = {
  number: 3,
  name: 'cold',
  figure: 'cold channel: interaction → first audible packet',
  target: '≤ max(join with DAVE ready, API + download) + 10 ms',
  async run({ runs, scale }) {
    const utterances = Math.max(2, Math.round(UTTERANCES_A_RUN * scale));
    const { slow, fast } = await alternate(runs, {
      slow: () => speakLive({ utterances, apiMs: SLOW_API_MS, isCold: true }),
      fast: () => speakLive({ utterances, apiMs: FAST_API_MS, isCold: true }),
    });
    const figuresOf = (rounds: LiveUtterance[][], apiMs: number, of: Figure) =>
      rounds.map((round) => ({ apiMs, p50Ms: percentile(round.map(of), 0.5), maxMs: percentile(round.map(of), 1) }));
    const measured = (way: string, text: string, of: Figure): Measured => ({
      way,
      text,
      runs: [...figuresOf(slow, SLOW_API_MS, of), ...figuresOf(fast, FAST_API_MS, of)],
    });
    const [over, overFast, sum] = [middle(slow, overheadMs), middle(fast, overheadMs), middle(slow, sumMs)];
    const first = middle(slow, firstMs);
    return {
      verdict: Math.max(over, overFast) <= TARGET_MS ? 'met' : 'missed',
      ratios: [`${(sum / first).toFixed(2)} × sooner than one after the other`],
      ours: measured('ours', `+ ${ms(over)} (API ${SLOW_API_MS} ms), + ${ms(overFast)} (API at once)`, overheadMs),
      peers: [measured('one after the other', `${ms(sum)} against ${ms(first)}`, sumMs)],
      notes: [
        `Through the real bot and a Discord on loopback: /say in a channel the bot is not in, DAVE on, ${utterances} utterances a run, each after /leave. Ours is what came on top of the later of 'encryption group ready' and 'audio headers sent' (lead-in silence set aside: its 200 ms count as waiting where the API is faster than they are). Medians: group ready after ${ms(middle(slow, ({ groupReadyMs }) => groupReadyMs))}, from the API's answer to the audio's headers ${ms(middle(slow, ({ downloadMs }) => downloadMs))}, interaction to first audible packet ${ms(first)} with an API of ${SLOW_API_MS} ms and ${ms(middle(fast, firstMs))} with one that answers at once, of which 200 are lead-in. The sum is computed from the same utterances' parts.`,
      ],
    };
  },
};
