import { median, percentile } from '../../bench/stats.ts';
import { KEPT_BACK, SESSION_STARTS } from './cluster.ts';
import { MEMBER_LIMIT } from './limits.ts';
import type { AskedText } from './rooms.ts';
import type { Trials } from './trials.ts';

export interface Line {
  readonly what: string;
  readonly seen: string;
  readonly wanted: string;
  /** Undefined for a figure without an expectation. */
  readonly isMet: boolean | undefined;
}

/**
 * A recovered text continues at most half a second before its interruption. Analysis windows of 20 ms may span two
 * tones.
 */
const AGAIN_SECONDS = 0.75;
const WHOLE_SHARE = 0.9;

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;

/** All lines of the report; figures without an expectation come first. */
export function linesOf(trials: Trials): Line[] {
  const { texts, identifies, money, race, settings, paused, restartsMs, killedReadyMs } = trials;
  const lines: Line[] = [];
  const figure = (what: string, seen: string) => lines.push({ what, seen, wanted: '', isMet: undefined });
  const line = (what: string, seen: string | number, wanted: string, isMet: boolean) =>
    lines.push({ what, seen: String(seen), wanted, isMet });

  figure('start of all cells at once until all are ready', seconds(trials.readyMs));
  for (const [name, taken] of [
    ['idle', trials.quiet.idle],
    ['three servers speaking in each', trials.quiet.speaking],
  ] as const) {
    const cpu = taken.map((one) => one.cpu * 100);
    const rss = taken.map((one) => one.residentMb);
    figure(
      `CPU and memory of a cell, ${name}`,
      `${median(cpu).toFixed(1)} % of a core (at most ${Math.max(...cpu).toFixed(1)}), ${median(rss).toFixed(0)} MB`,
    );
  }
  figure('transactions of PostgreSQL a text', trials.quiet.transactionsAText.toFixed(1));
  const errors = [...trials.errors].map(([message, count]) => `${count} × ${message}`).join('; ');
  figure('errors in the logs', errors || 'none');
  for (const [phase, own] of Map.groupBy(texts, (text) => text.phase)) figure(`asked for: ${phase}`, endsOf(own));
  figure('a killed cell is ready again, its lease waited for', seconds(killedReadyMs));
  figure("a paused cell's successor is ready", seconds(paused.successorMs));
  figure(
    'rolling restart: a cell is away',
    `${seconds(median(restartsMs))}, at most ${seconds(Math.max(...restartsMs))}`,
  );

  line(
    'sessions begun (IDENTIFY)',
    `${identifies.begun}, ${identifies.refused} too soon`,
    `${identifies.expected}, none too soon`,
    identifies.begun === identifies.expected && identifies.refused === 0,
  );
  line(
    'session starts left of the day',
    identifies.remaining,
    `${SESSION_STARTS - identifies.expected}, at least ${KEPT_BACK}`,
    identifies.remaining >= KEPT_BACK,
  );
  const none = (what: string, isWrong: (text: AskedText) => boolean) => {
    const found = texts.filter(isWrong);
    const examples = found.slice(0, 3).map(describe).join('; ');
    line(what, found.length === 0 ? 0 : `${found.length}: ${examples}`, '0', found.length === 0);
  };
  none('texts lost in silence', ({ end }) => end === 'unanswered' || end === 'postponed');
  none('texts spoken twice, or in part again', ({ againSeconds }) => againSeconds > AGAIN_SECONDS);
  const isUnheard = ({ end, share }: AskedText) => end.startsWith('spoken') && share < WHOLE_SHARE;
  none('texts said to be spoken that were not heard in full', isUnheard);
  const isHeardAnyway = ({ end, share }: AskedText) =>
    end === 'spoken and told' || (end === 'told' && share >= WHOLE_SHARE);
  none('texts said not to be spoken that were', isHeardAnyway);
  line('texts paid for twice', money.paidTwice, '0', money.paidTwice === 0);
  line(
    'credits counted, against those billed',
    `${money.counted}, of them ${money.unknown} for bills that are not known, against ${money.billed}`,
    'equal but for those',
    money.counted >= money.billed && money.counted - money.unknown <= money.billed,
  );
  line('credits reserved for nothing', money.leaked, '0', money.leaked === 0);
  line(
    "a member's limit, asked to pass it in all cells at once",
    `${race.credits} of ${MEMBER_LIMIT} credits, ${race.spoken} of ${race.asked} texts spoken (${[...race.told].map(([words, count]) => `${count} × ${words.replaceAll('\n', ' ')}`).join('; ')})`,
    `at most ${MEMBER_LIMIT}, and some`,
    race.credits <= MEMBER_LIMIT && race.spoken > 0,
  );
  line(
    'a setting changed elsewhere holds after a second',
    `in ${settings.held} of ${settings.cells} cells`,
    'in all',
    settings.held === settings.cells,
  );
  line(
    'a cell that was paused for longer than its lease',
    `${paused.packetsAfter} packets, then ended with ${paused.code}`,
    'not a packet, then ended with 1',
    paused.packetsAfter === 0 && paused.code === 1,
  );
  return lines;
}

function endsOf(texts: readonly AskedText[]): string {
  const spoken = texts.filter(({ end }) => end === 'spoken').length;
  const told = texts.filter(({ end }) => end === 'told').length;
  const first = texts.flatMap(({ firstPacketMs }) => firstPacketMs ?? []);
  const latency = first.length
    ? `; first packet p50 ${percentile(first, 0.5).toFixed(0)} ms, p95 ${percentile(first, 0.95).toFixed(0)} ms`
    : '';
  return `${texts.length} texts: ${spoken} spoken, ${told} told that they were not${latency}`;
}

const describe = ({ cell, phase, words, end, shown, share, againSeconds, endings }: AskedText) =>
  `cell ${cell}, ${phase}, "${words}" ${end}, "${shown?.replaceAll('\n', ' / ').slice(0, 160)}" (${Math.round(share * 100)} %, ${againSeconds.toFixed(1)} s again, ${endings} endings)`;

export function renderLines(lines: readonly Line[], title: string): string {
  const verdict = ({ isMet }: Line) => (isMet === undefined ? '' : isMet ? 'green' : '**red**');
  return [
    `${title}:`,
    '',
    '| | seen | wanted | |',
    '|---|---|---|---|',
    ...lines.map((line) => `| ${[line.what, line.seen, line.wanted, verdict(line)].join(' | ')} |`),
    '',
  ].join('\n');
}
