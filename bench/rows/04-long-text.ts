import type { LiveUtterance } from '../live-bot.ts';
import { type Measured, type Row, type RowContext, type RowResult, speakLive } from '../row.ts';
import { median, percentile } from '../stats.ts';

/**
 * About four times as fast as a person speaks, and synthesized another four times faster: texts are split as in
 * reality.
 */
const PACE = { apiMsPerCharacter: 4, soundMsPerCharacter: 16 };
const API_MS = 100;
const SENTENCES = [4, 12] as const;
const START_TARGET_MS = 10;
const GAP_TARGET_MS = 40;
/** The pause between two sentences, which joins the parts. */
const PAUSE_MS = 300;

const WORDS = ['otters', 'badgers', 'herons', 'weasels', 'kestrels', 'hedgehogs', 'squirrels', 'salmon'];

/** Sentences of about 50 characters, all different: no part comes from the cache. */
function textOf(sentences: number, round: number): string {
  return Array.from(
    { length: sentences },
    (_, i) => `Of ${sentences} in round ${round} the ${WORDS[i % WORDS.length]} number ${i} walk home.`,
  ).join(' ');
}

interface Reading {
  sentences: number;
  utterance: LiveUtterance;
}

/** From the API's answer for the first part to the first audible packet, with the download. */
const startMs = ({ utterance: { firstAudibleMs, answersMs } }: Reading) =>
  firstAudibleMs - (answersMs[0] ?? Number.NaN);
/** The latency if a single request synthesized the whole text. */
const wholeApiMs = ({ utterance, sentences }: Reading, round: number) =>
  API_MS + textOf(sentences, round).length * PACE.apiMsPerCharacter + utterance.downloadMs;
const gapsMs = ({ utterance }: Reading) => utterance.pausesMs.map((pauseMs) => Math.max(0, pauseMs - PAUSE_MS));

async function run({ runs, scale }: RowContext): Promise<RowResult> {
  const sizes = scale < 1 ? SENTENCES.slice(-1) : SENTENCES;
  const rounds: Reading[][] = [];
  for (let round = 0; round < runs; round++) {
    const utterances = await speakLive({
      utterances: sizes.length,
      apiMs: API_MS,
      isCold: false,
      texts: sizes.map((sentences) => textOf(sentences, round)),
      pace: PACE,
    });
    rounds.push(utterances.map((utterance, i) => ({ sentences: sizes[i] as number, utterance })));
  }
  const readings = rounds.flat();
  const of = (sentences: number) => readings.filter((reading) => reading.sentences === sentences);
  const starts = readings.map(startMs);
  const gaps = readings.flatMap(gapsMs);
  const parts = (sentences: number) => of(sentences)[0]?.utterance.billed ?? 0;
  const firstSound = (sentences: number) => median(of(sentences).map(({ utterance }) => utterance.firstAudibleMs));
  const wholeSound = (sentences: number) => median(of(sentences).map((reading, round) => wholeApiMs(reading, round)));
  const largest = sizes.at(-1) as number;
  // All runs must have the same number of parts: a long silence that counted as the end would lose parts.
  const isWhole = readings.every(
    ({ utterance, sentences }) =>
      utterance.pausesMs.length === utterance.billed - 1 && utterance.billed === parts(sentences),
  );
  const isMet = median(starts) <= START_TARGET_MS && percentile(gaps, 0.95) <= GAP_TARGET_MS && isWhole;
  const ratio = wholeSound(largest) / firstSound(largest);
  const peer: Measured = {
    way: 'one request for all of it',
    text: sizes.map((sentences) => `${sentences} sentences: ${wholeSound(sentences).toFixed(0)} ms`).join(', '),
    runs: rounds.flatMap((round, i) =>
      round.map((reading) => ({ sentences: reading.sentences, firstAudibleMs: wholeApiMs(reading, i) })),
    ),
  };
  return {
    verdict: isMet ? 'met' : 'missed',
    ratios: [`first word ${ratio.toFixed(1)} × sooner, ${largest} sentences`],
    ours: {
      way: 'ours',
      text: `start API + ${median(starts).toFixed(1)} ms (${sizes.map((sentences) => `${sentences} sentences: ${firstSound(sentences).toFixed(0)} ms`).join(', ')}); gap p95 ${percentile(gaps, 0.95).toFixed(1)} ms`,
      runs: readings.map((reading) => ({
        sentences: reading.sentences,
        parts: reading.utterance.billed,
        startMs: startMs(reading),
        firstAudibleMs: reading.utterance.firstAudibleMs,
        maxGapMs: Math.max(0, ...gapsMs(reading)),
      })),
    },
    peers: [peer],
    notes: [
      `Through the real bot and a Discord on loopback, DAVE on, already joined; texts of ${sizes.join(', ')} sentences came in ${sizes.map(parts).join(', ')} parts. The API takes ${API_MS} ms and ${PACE.apiMsPerCharacter} ms a character, its sound lasts ${PACE.soundMsPerCharacter} ms a character and has no silence at its ends. The sound is there when the API answers; a text in parts and three short ones were spoken before. Start: from the API's answer to the first part to the first audible packet. Gap: silence between audible packets of two parts beyond the ${PAUSE_MS} ms that are put there as a speaker's pause, at ${gaps.length} seams. One request for all of it is computed from the API's own time.`,
    ],
  };
}

export const row: Row = {
  number: 4,
  name: 'long-text',
  figure: 'long text of n sentences: start, and the gaps between parts',
  target: 'start ≤ API(first part) + 10 ms for any n; gap between parts p95 ≤ 40 ms, no seam audible',
  run,
};
