import { startBotProcess } from '../../src/playground/demo/bot/bot-process.ts';
import { answer, ask } from '../child.ts';
import { withDiscord } from '../discord.ts';
import type { LiveUtterance } from '../live-bot.ts';
import { measuredLatencies, type Row, speakLive } from '../row.ts';
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

/** All members ask the real bot for one text before the slow API answers. Returns the number of billed requests. */
function billedAtOnce(): Promise<number> {
  return withDiscord({ apiMs: () => 10 * API_MS }, async ({ world, api, env }) => {
    const servers = Array.from({ length: AT_ONCE }, (_, i) => world.newServer(`Server ${i}`, { settled: true }));
    const members = servers.map((server, i) => server.newMember(`member-${i}`));
    for (const member of members) member.joins('General');
    const bot = startBotProcess({ env });
    try {
      await world.botReady();
      const sent = await Promise.all(members.map((member) => member.types(`/say text:${TEXT}`)));
      const replies = await Promise.all(sent.map((interaction) => interaction.reply({ until: /Spoken in/ })));
      if (replies.some(({ failed }) => failed)) throw new Error('The bot did not answer every member within 3 s');
      return api.answers.length;
    } finally {
      await bot.stop();
    }
  });
}

const firstMs = (rounds: LiveUtterance[][]) => rounds.map((round) => round.map(({ firstAudibleMs }) => firstAudibleMs));
const billedIn = (rounds: LiveUtterance[][]) => rounds.flat().flatMap(({ answersMs }) => answersMs).length;
const measured = (way: string, rounds: LiveUtterance[][]) =>
  measuredLatencies(way, firstMs(rounds), `; ${billedIn(rounds)} API calls for ${rounds.flat().length} texts`);

export const row: Row = {
  number: 2,
  name: 'cached',
  figure: 'repeated text (cache): interaction → first audible packet',
  target: 'p95 ≤ 15 ms, no API call; 50 equal requests at once → one billed call',
  async run({ runs, scale }) {
    const utterances = Math.max(4, Math.round(UTTERANCES_A_RUN * scale));
    const cached: LiveUtterance[][] = [];
    const uncached: LiveUtterance[][] = [];
    const atOnce: number[] = [];
    for (let round = 0; round < runs; round++) {
      const request = { apiMs: API_MS, isCold: false, utterances: utterances + 1 };
      // The first utterance is synthesized; the repeated ones come from the cache.
      const [first, ...repeated] = await speakLive({ ...request, texts: [TEXT] });
      if (first?.answersMs.length !== 1) throw new Error('The first time it should have been asked for');
      cached.push(repeated);
      const texts = Array.from({ length: utterances + 1 }, (_, index) => newText(index));
      const [, ...made] = await speakLive({ ...request, texts, env: UNCACHED });
      if (made.some(({ answersMs }) => answersMs.length !== 1))
        throw new Error('Each new text should have been asked for');
      uncached.push(made);
      atOnce.push(await ask<number>('./rows/02-cached.ts', {}));
    }
    const ratio = percentile(firstMs(uncached).flat(), 0.5) / percentile(firstMs(cached).flat(), 0.5);
    const isFree = billedIn(cached) === 0 && atOnce.every((count) => count === 1);
    return {
      verdict: isFree && percentile(firstMs(cached).flat(), 0.95) <= TARGET_MS ? 'met' : 'missed',
      ratios: [`${ratio.toFixed(1)} × sooner than speech made anew`],
      ours: measured('ours', cached),
      peers: [measured('the same bot, speech made anew', uncached)],
      notes: [
        `Through the real bot and a Discord on loopback, DAVE on, already joined: the same /say again and again, ${utterances} times a run (p50 and p95 over all of them), from the interaction to the first audible packet at the listener; the API answers after ${API_MS} ms. Compared with: the same bot without a cache and another text of the same length each time, so that each is asked for at the API. ${AT_ONCE} equal requests at once, of members in as many servers: ${atOnce.join(', ')} billed.`,
      ],
    };
  },
};

// The bot is a child of a separate process with Discord on loopback.
if (import.meta.main) await answer(billedAtOnce);
