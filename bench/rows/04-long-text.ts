import type { LiveUtterance } from '../live-bot.ts';
import { type Row, speakLive } from '../row.ts';
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

/** `wholeMs` is the latency if a single request synthesized the whole text. */
type Reading = LiveUtterance & { readonly sentences: number; readonly wholeMs: number };

/** From the API's answer for the first part to the first audible packet, with the download. */
const startMs = ({ firstAudibleMs, answersMs }: Reading) => firstAudibleMs - (answersMs[0] ?? Number.NaN);
const gapsMs = ({ pausesMs }: Reading) => pausesMs.map((pauseMs) => Math.max(0, pauseMs - PAUSE_MS));

export const row: Row = {
  number: 4,
  name: 'long-text',
  figure: 'long text of n sentences: start, and the gaps between parts',
  target: 'start ≤ API(first part) + 10 ms for any n; gap between parts p95 ≤ 40 ms, no seam audible',
  async run({ runs, scale }) {
    const sizes: readonly number[] = scale < 1 ? SENTENCES.slice(-1) : SENTENCES;
    const readings: Reading[] = [];
    for (let round = 0; round < runs; round++) {
      const texts = sizes.map((sentences) => textOf(sentences, round));
      const request = { utterances: sizes.length, apiMs: API_MS, isCold: false, texts, pace: PACE };
      for (const [i, utterance] of (await speakLive(request)).entries()) {
        const wholeMs = API_MS + (texts[i]?.length ?? 0) * PACE.apiMsPerCharacter + utterance.downloadMs;
        readings.push({ ...utterance, sentences: sizes[i] ?? 0, wholeMs });
      }
    }
    const ofSize = (size: number) => readings.filter(({ sentences }) => sentences === size);
    const middleOf = (size: number, field: 'firstAudibleMs' | 'wholeMs') =>
      median(ofSize(size).map((reading) => reading[field]));
    const bySize = (field: 'firstAudibleMs' | 'wholeMs') =>
      sizes.map((size) => `${size} sentences: ${middleOf(size, field).toFixed(0)} ms`).join(', ');
    const parts = (size: number) => ofSize(size)[0]?.answersMs.length ?? 0;
    const start = median(readings.map(startMs));
    const gaps = readings.flatMap(gapsMs);
    const gapP95 = percentile(gaps, 0.95);
    const largest = sizes.at(-1) as number;
    // All runs must have the same number of parts: a long silence that counted as the end would lose parts.
    const isWhole = readings.every(
      ({ pausesMs, answersMs: { length }, sentences }) => pausesMs.length === length - 1 && length === parts(sentences),
    );
    const ratio = middleOf(largest, 'wholeMs') / middleOf(largest, 'firstAudibleMs');
    return {
      verdict: start <= START_TARGET_MS && gapP95 <= GAP_TARGET_MS && isWhole ? 'met' : 'missed',
      ratios: [`first word ${ratio.toFixed(1)} × sooner, ${largest} sentences`],
      ours: {
        way: 'ours',
        text: `start API + ${start.toFixed(1)} ms (${bySize('firstAudibleMs')}); gap p95 ${gapP95.toFixed(1)} ms`,
        runs: readings.map((reading) => ({
          sentences: reading.sentences,
          parts: reading.answersMs.length,
          startMs: startMs(reading),
          firstAudibleMs: reading.firstAudibleMs,
          maxGapMs: Math.max(0, ...gapsMs(reading)),
        })),
      },
      peers: [
        {
          way: 'one request for all of it',
          text: bySize('wholeMs'),
          runs: readings.map(({ sentences, wholeMs }) => ({ sentences, firstAudibleMs: wholeMs })),
        },
      ],
      notes: [
        `Through the real bot and a Discord on loopback, DAVE on, already joined; texts of ${sizes.join(', ')} sentences came in ${sizes.map(parts).join(', ')} parts. The API takes ${API_MS} ms and ${PACE.apiMsPerCharacter} ms a character, its sound lasts ${PACE.soundMsPerCharacter} ms a character and has no silence at its ends. The sound is there when the API answers; a text in parts and three short ones were spoken before. Start: from the API's answer to the first part to the first audible packet. Gap: silence between audible packets of two parts beyond the ${PAUSE_MS} ms that are put there as a speaker's pause, at ${gaps.length} seams. One request for all of it is computed from the API's own time.`,
      ],
    };
  },
};
