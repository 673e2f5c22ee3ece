import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from './cluster.ts';
import { ended } from './limits.ts';
import { serversOf } from './quiet.ts';

const LOST = 'The cache of CACHE_URL does not answer: sound of other processes is made anew';
const BACK = 'The cache of CACHE_URL answers again';
const DOWN_MS = 5_000;
const NOTICED_TIMEOUT_MS = 20_000;

/** One text in all cells: before Valkey crashes, while it is gone, and after it has come back with nothing in it. */
export async function loseValkey(cluster: Cluster) {
  const { cells, valkey, synthesised } = cluster;
  const members = cells.map((cell) => serversOf(cluster, cell).at(-2)?.newMember('grace'));
  const all = members.flatMap((member) => member ?? []);
  const [first, others] = [all.slice(0, 1), all.slice(1)];
  const texts: string[] = [];
  let spoken = 0;

  async function ask(who: typeof all, words: string): Promise<void> {
    const ends = await ended(await Promise.all(who.map((member) => member.types(`/say text:${words}`))));
    spoken += ends.filter(({ end }) => end === 'spoken').length;
  }
  function newText(when: string): string {
    const words = `Alpha of 2 tones, grace ${when}.`;
    texts.push(words);
    return words;
  }
  /** In one cell, and once it is spoken there, in all others. Resolves with how many found it in Valkey. */
  async function askInTurn(when: string): Promise<number> {
    const words = newText(when);
    await ask(first, words);
    const before = await valkey.figure('keyspace_hits');
    await ask(others, words);
    return (await valkey.figure('keyspace_hits')) - before;
  }
  /** How many processes say so. */
  async function saying(msg: string): Promise<number> {
    const said = await Promise.allSettled(
      cells.map(({ bot }) => bot.logged((line) => line.msg === msg, NOTICED_TIMEOUT_MS)),
    );
    return said.filter(({ status }) => status === 'fulfilled').length;
  }

  for (const member of all) member.joins('General');
  try {
    const foundBefore = await askInTurn('before');
    await valkey.kill();
    await ask(all, newText('meanwhile'));
    await sleep(DOWN_MS);
    const warned = await saying(LOST);
    await valkey.start();
    const startedAtMs = performance.now();
    const back = await saying(BACK);
    const backMs = performance.now() - startedAtMs;
    const foundAfter = await askInTurn('after');
    return {
      ...{ cells: cells.length, spoken, warned, back, backMs },
      asked: texts.length * cells.length,
      texts: texts.length,
      bought: texts.reduce((sum, words) => sum + (synthesised.get(words) ?? 0), 0),
      found: foundBefore + foundAfter,
      toFind: 2 * others.length,
    };
  } finally {
    for (const member of all) member.leaves();
  }
}
