import { pino } from 'pino';
import { createAudioPipeline } from '../../src/audio/making/pipeline.ts';
import { createLostAudioWatch } from '../../src/services/spending/lost-audio-watch.ts';
import { openSpending } from '../../src/services/spending/spending.ts';
import { openDatabase, sqlOf } from '../../src/services/storage/database.ts';
import { createPurchases } from '../../src/services/synthesis/purchases.ts';
import { createCacheKey, createSoundStore } from '../../src/services/synthesis/sound-store.ts';
import { createSynthesizer } from '../../src/services/synthesis/synthesis.ts';
import { createSpeechClient } from '../../src/speech/client/client.ts';
import type { LiveUtterance } from '../live-bot.ts';
import { measuredLatencies, type Row, type RowContext, type RowResult, speakLive } from '../row.ts';
import { API_KEY, startSpeechApi } from '../speech-api.ts';
import { percentile } from '../stats.ts';

/** The latency of a fast speech API; a cached text saves this time and the download. */
const API_MS = 300;
const UTTERANCES_A_RUN = 4;
const AT_ONCE = 50;
const TARGET_MS = 15;
const TEXT = 'This has been said before';
/**
 * As long as `TEXT`, but different each time: even without a cache, the bot fetches paid audio of an equal text again
 * from its address.
 */
const newText = (index: number) => `This is text no. ${String(index).padStart(2, '0')}, anew`;
const UNCACHED = { AUDIO_CACHE_MB: '0' };

/** Sends equal requests at once through the real speech client and audio pipeline, and counts the billed requests. */
async function billedAtOnce(): Promise<number> {
  const log = pino({ level: 'silent' });
  const { signal } = new AbortController();
  const api = await startSpeechApi({ apiMs: () => API_MS });
  const speech = createSpeechClient({ baseUrl: api.url, apiKey: API_KEY, log });
  const pipeline = createAudioPipeline({ log, allowLoopback: true });
  const synthesizer = createSynthesizer({
    speech,
    pipeline,
    keyOf: createCacheKey({ service: api.url, apiKey: API_KEY }),
    store: createSoundStore({ memoryBytes: 1024 * 1024, disk: undefined, log }),
    purchases: createPurchases({ rows: undefined, addressesLast: true }),
    paidAudio: createLostAudioWatch({ notify: async () => undefined, log, isFree: false }),
    spending: await openSpending({
      sql: sqlOf(openDatabase(':memory:')),
      limits: { total: Infinity, perServer: Infinity, perMember: Infinity },
      limitsFor: async () => ({ perServer: undefined, perMember: undefined }),
      isIn: () => true,
      prices: new Map(),
      onBilled: () => undefined,
      onLost: () => undefined,
      notify: async () => undefined,
      log,
    }),
    onPartAudio: () => undefined,
    models: () => undefined,
    stopping: signal,
    isFree: false,
  });
  try {
    const all = Array.from({ length: AT_ONCE }, (_, i) =>
      synthesizer.render(
        { input: TEXT, voice: { kind: 'id', voiceId: '11111111-1111-4111-8111-111111111111', model: 'orpheus' } },
        { guildId: `guild ${i}`, userId: `member ${i}`, signal, wasPaidBefore: false, onProgress: undefined },
      ),
    );
    await Promise.all(all.map(async ({ clip }) => (await clip).done));
    return api.answers.length;
  } finally {
    await synthesizer.close();
    await pipeline.close();
    await speech.close();
    api.close();
  }
}

async function run({ runs, scale }: RowContext): Promise<RowResult> {
  const utterances = Math.max(4, Math.round(UTTERANCES_A_RUN * scale));
  const cached: LiveUtterance[][] = [];
  const uncached: LiveUtterance[][] = [];
  const atOnce: number[] = [];
  for (let round = 0; round < runs; round++) {
    const request = { apiMs: API_MS, isCold: false, texts: [TEXT] };
    // The first utterance is synthesized; the repeated ones come from the cache.
    const [first, ...repeated] = await speakLive({ ...request, utterances: utterances + 1 });
    if (first?.billed !== 1) throw new Error('The first time it should have been asked for');
    cached.push(repeated);
    const texts = Array.from({ length: utterances + 1 }, (_, index) => newText(index));
    const [, ...made] = await speakLive({ ...request, texts, utterances: texts.length, env: UNCACHED });
    if (made.some(({ billed }) => billed !== 1))
      throw new Error('Without a cache each text should have been asked for');
    uncached.push(made);
    atOnce.push(await billedAtOnce());
  }
  const first = (rounds: LiveUtterance[][]) => rounds.map((round) => round.map(({ firstAudibleMs }) => firstAudibleMs));
  const billed = (rounds: LiveUtterance[][]) => rounds.flat().reduce((sum, utterance) => sum + utterance.billed, 0);
  const measured = (way: string, rounds: LiveUtterance[][]) =>
    measuredLatencies(way, first(rounds), `; ${billed(rounds)} API calls for ${rounds.flat().length} texts`);
  const ratio = percentile(first(uncached).flat(), 0.5) / percentile(first(cached).flat(), 0.5);
  const once = atOnce.every((count) => count === 1);
  const isMet = percentile(first(cached).flat(), 0.95) <= TARGET_MS && billed(cached) === 0 && once;
  return {
    verdict: isMet ? 'met' : 'missed',
    ratios: [`${ratio.toFixed(1)} × sooner than speech made anew`],
    ours: measured('ours', cached),
    peers: [measured('the same bot, speech made anew', uncached)],
    notes: [
      `Through the real bot and a Discord on loopback, DAVE on, already joined: the same /say again and again, ${utterances} times a run (p50 and p95 over all of them), from the interaction to the first audible packet at the listener; the API answers after ${API_MS} ms. Compared with: the same bot without a cache and another text of the same length each time, so that each is asked for at the API. ${AT_ONCE} equal requests at once through the speech client and the audio pipeline (without Discord): ${atOnce.join(', ')} billed.`,
    ],
  };
}

export const row: Row = {
  number: 2,
  name: 'cached',
  figure: 'repeated text (cache): interaction → first audible packet',
  target: 'p95 ≤ 15 ms, no API call; 50 equal requests at once → one billed call',
  run,
};
