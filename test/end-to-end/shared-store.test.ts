import pg from 'pg';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type BotProcess, startBotProcess } from '../../src/playground/demo/bot/bot-process.ts';
import type { SentInteraction, WorldServer } from '../../src/playground/world/world.ts';
import { createDatabase, isPostgresMissing } from '../services/storage/postgres/postgres-server.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { inVoice, KEY, type Scene, startScene, textOf } from './scene.ts';

const READY_TIMEOUT_MS = 45_000;
/** 40 characters each. */
const TEXTS = ['The first of the two says forty letters.', 'The other one also says forty of letters'] as const;
/** https://discord.com/developers/docs/events/gateway#sharding */
const shardOf = ({ guildId }: WorldServer) => Number((BigInt(guildId) >> 22n) % 2n);
const finished = (sent: SentInteraction) => sent.reply({ until: ({ text }) => /Spoken in|left today/.test(text) });

/** One more of the same bot, with a folder of its own. */
function startAnotherProcess({ world, service }: Scene, env: Readonly<Record<string, string>>): BotProcess {
  const speech = { VOICE_API_URL: service.url, VOICE_API_KEY: KEY };
  const bot = startBotProcess({ env: { ...world.botEnv, ...speech, DATA_DIR: temporaryFolder(), ...env } });
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

  async function kept(): Promise<unknown[]> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (
        await client.query("SELECT key FROM crier.entries WHERE namespace IN ('accepted-texts', 'accepted-words')")
      ).rows;
    } finally {
      await client.end();
    }
  }

  /** Of shard 0 and of shard 1. */
  function serversOfBoth({ world }: Scene): readonly [WorldServer, WorldServer] {
    const servers = new Map<number, WorldServer>([[shardOf(world), world]]);
    for (let n = 1; servers.size < 2; n += 1) {
      const server = world.newServer(`Server ${n}`);
      if (!servers.has(shardOf(server))) servers.set(shardOf(server), server);
    }
    return [0, 1].map((shard) => servers.get(shard)) as [WorldServer, WorldServer];
  }

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
    const servers = serversOfBoth(scene);
    const [here, there] = servers;

    // No third one speaks for the same servers.
    const third = startAnotherProcess(scene, cellOf(1));
    const replies = servers.map(async (server, index) => {
      const member = inVoice(server);
      return finished(await member.types(`/say text:${TEXTS[index]}`));
    });
    const texts = (await Promise.all(replies)).map(({ text }) => text);
    expect(texts.filter((text) => text.includes('Spoken in'))).toHaveLength(1);
    expect(texts.filter((text) => text.includes('20 of 60 left today'))).toHaveLength(1);

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
  }, 120_000);
});
