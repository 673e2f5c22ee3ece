import pg from 'pg';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type BotProcess, startBotProcess } from '../../src/playground/demo/bot/bot-process.ts';
import type { WorldServer } from '../../src/playground/world/world.ts';
import { createDatabase, isPostgresMissing } from '../services/storage/postgres/postgres-server.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import {
  botEnv,
  inVoice,
  type Scene,
  serversOfBothShards,
  spokenOrLimited,
  startScene,
  TEXTS,
  textOf,
} from './scene.ts';

const READY_TIMEOUT_MS = 120_000;

/** One more of the same bot, with a folder of its own. */
function startAnotherProcess(scene: Scene, env: Readonly<Record<string, string>>): BotProcess {
  const bot = startBotProcess({ env: { ...botEnv(scene, temporaryFolder()), ...env } });
  onTestFinished(() => bot.stop());
  return bot;
}

/** How often the bot has left the channel since then. */
function countDepartures({ world }: Scene, server: WorldServer): () => number {
  let departures = 0;
  let wasThere = false;
  onTestFinished(
    world.onChange(() => {
      const isThere = server.channel('General').members.includes('bot');
      if (wasThere && !isThere) departures += 1;
      wasThere = isThere;
    }),
  );
  return () => departures;
}

describe.skipIf(isPostgresMissing)('two processes with a PostgreSQL', () => {
  let url: string;
  beforeEach(async () => {
    url = await createDatabase();
  });

  it('hold one limit, forget a member in both, and one hands over to a successor what waits and its channels', async () => {
    const cellOf = (shard: number) => ({
      ...{ STORE_URL: url, SPENDING_PER_MEMBER_PER_DAY: '60' },
      ...{ SHARDS: String(shard), SHARD_COUNT: '2' },
    });
    const scene = await startScene({
      asProcess: true,
      world: { shards: 2, sessionStarts: { maxConcurrency: 2 } },
      env: cellOf(0),
    });
    const second = startAnotherProcess(scene, cellOf(1));
    await second.logged(({ msg }) => msg === 'Crier is ready', READY_TIMEOUT_MS);
    const servers = serversOfBothShards(scene.world);
    const database = new pg.Pool({ connectionString: url });
    onTestFinished(() => database.end());
    const texts = "SELECT key FROM crier.entries WHERE namespace IN ('accepted-texts', 'accepted-words')";
    const kept = async () => (await database.query(texts)).rows;
    const [here, there] = servers;

    // No third one speaks for the same servers.
    const third = startAnotherProcess(scene, cellOf(1));
    const replies = servers.map(async (server, index) => {
      const member = inVoice(server);
      return spokenOrLimited(await member.types(`/say text:${TEXTS[index]}`));
    });
    const told = (await Promise.all(replies)).map(({ text }) => text);
    expect(told.filter((text) => text.includes('Spoken in'))).toHaveLength(1);
    expect(told.filter((text) => text.includes('20 of 60 left today'))).toHaveLength(1);

    const [bob, carol] = [inVoice(there, 'bob'), inVoice(there, 'frank')];
    await bob.types('/say text:This is spoken for a while, with more words.');
    await carol.listener.audible(1);
    const waiting = await bob.types('/say text:Waits.');
    await waiting.reply({ until: /In the queue/ });
    const asked = await here.member('bob').types('/forget');
    const question = await asked.reply({ until: ({ buttons }) => buttons.length > 0 });
    await (await here.member('bob').presses(question, question.buttons[0]?.label ?? '')).reply();
    const queue = () => textOf(carol.types('/queue'));
    await expect.poll(queue).not.toMatch(/Waits|spoken for a while/);
    await expect.poll(kept).toEqual([]);
    expect(await textOf(waiting)).not.toContain('Spoken in');

    const { code } = await third.ended;
    expect(code).toBe(1);
    expect(third.log.at(-1)?.msg).toMatch(/^another process speaks for shard 1 \(.*\): end that one first/);

    const departures = countDepartures(scene, there);
    const before = scene.service.ledger.charges(1_000).length;
    // A number takes long to say, and few credits.
    carol.listener.clear();
    const spoken = await carol.types('/say text:It ends at 987,654,321,987,654,321,987,654,321.');
    await carol.listener.audible(1);
    const handedOver = await carol.types('/say text:It waits.');
    await handedOver.reply({ until: /In the queue/ });
    second.signal('SIGTERM');
    const successor = startAnotherProcess(scene, cellOf(1));
    expect((await second.ended).code).toBe(0);
    await successor.logged(({ msg }) => msg === 'Crier is ready', READY_TIMEOUT_MS);
    const said: string[] = [];
    for (const sent of [spoken, handedOver]) {
      said.push((await sent.reply({ timeoutMs: 60_000, until: /Spoken in/ })).text);
    }
    expect(scene.service.ledger.charges(1_000).length - before, said.join('\n')).toBe(2);
    await expect.poll(departures).toBe(1);
  });
});
