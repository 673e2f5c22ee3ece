import { setTimeout as sleep } from 'node:timers/promises';
import type { SentInteraction } from '../../src/playground/world/world.ts';
import { endOf } from '../faults/text-end.ts';
import type { Cell, Cluster } from './cluster.ts';

/** The requests in each cell of the member who uses up a limit everywhere at once. */
const RACES_A_CELL = 5;
/** The limit of a member in all servers: more than the members of rooms use, and less than is requested at once. */
export const MEMBER_LIMIT = 4_000;
/** Characters are credits in these tests; ten texts of this length fit into the limit. */
const RACE_CHARACTERS = 390;
const ENDS_TIMEOUT_MS = 60_000;

export const countsOf = (all: readonly string[]) =>
  new Map([...Map.groupBy(all, (one) => one)].map(([one, own]) => [one, own.length]));

/** Resolves when all texts have an end, or at the deadline. */
export async function ended(sent: readonly SentInteraction[]) {
  const endsAtMs = performance.now() + ENDS_TIMEOUT_MS;
  while (sent.some((one) => endOf(one).end === 'unanswered') && performance.now() < endsAtMs) await sleep(100);
  return sent.map(endOf);
}

/** Requests more in all cells at once than a member's limit allows. */
export async function raceForLimit(cluster: Cluster, serversOf: (cell: Cell) => Cluster['servers']) {
  const before = new Set(cluster.synthesized.keys());
  const frank = cluster.cells.flatMap((cell) =>
    serversOf(cell)
      .slice(0, RACES_A_CELL)
      .map((server) => server.member('frank')),
  );
  for (const one of frank) one.joins('General');
  // Letters in a row are one sound to the bot, which refuses audio that is too short for its text.
  const padding = Array.from({ length: RACE_CHARACTERS / 25 }, () => 'e'.repeat(24)).join(' ');
  const sent = await Promise.all(
    frank.map((one, at) =>
      one.types(`/say text:${`Alpha of 5 tones, frank ${at} ${padding}`.slice(0, RACE_CHARACTERS)}`),
    ),
  );
  const ends = await ended(sent);
  const made = [...cluster.synthesized.keys()].filter((text) => !before.has(text) && text.includes('frank'));
  return {
    asked: sent.length,
    spoken: ends.filter(({ end }) => end === 'spoken').length,
    /** The first words of each kind of reply, with their number. */
    told: countsOf(ends.map(({ end, told: [first] }) => first?.slice(0, 40) ?? end)),
    credits: made.reduce((sum, { length }) => sum + length, 0),
  };
}
