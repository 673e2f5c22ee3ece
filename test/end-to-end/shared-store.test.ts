import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { BotProcess } from '../../src/playground/demo/bot/bot-process.ts';
import type { SentInteraction, WorldServer } from '../../src/playground/world/world.ts';
import { isPostgresMissing, type PostgresServer, startPostgres } from '../services/storage/postgres/postgres-server.ts';
import { speechSpan } from './measure.ts';
import { type Scene, startScene } from './scene.ts';
import { startAnotherProcess, watchAbsences } from './several-processes.ts';

const ANSWERED = { timeoutMs: 30_000 };
const READY_TIMEOUT_MS = 45_000;
/** 40 characters each. */
const TEXTS = ['The first of the two says forty letters.', 'The other one also says forty of letters'] as const;
/** https://discord.com/developers/docs/events/gateway#sharding */
const shardOf = ({ guildId }: WorldServer) => Number((BigInt(guildId) >> 22n) % 2n);
const finished = (sent: SentInteraction) =>
  sent.reply({ ...ANSWERED, until: ({ text }) => /Spoken in|left for today/.test(text) });

describe.skipIf(isPostgresMissing)('the bot with a PostgreSQL', () => {
  let postgres: PostgresServer;
  let url: string;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.stop());
  beforeEach(async () => {
    url = await postgres.createDatabase();
  });

  const startAnother = (scene: Scene, env: Readonly<Record<string, string>>) =>
    startAnotherProcess(scene, { STORE_URL: url, ...env });

  /** Of shard 0 and of shard 1. */
  function serversOfBoth({ world }: Scene): readonly WorldServer[] {
    const servers = new Map<number, WorldServer>([[shardOf(world), world]]);
    for (let n = 1; servers.size < 2; n += 1) {
      const server = world.newServer(`Server ${n}`);
      if (!servers.has(shardOf(server))) servers.set(shardOf(server), server);
    }
    return [0, 1].map((shard) => servers.get(shard)) as WorldServer[];
  }

  it('keeps settings and figures there over a restart, and lets no second process speak for the same servers', async () => {
    const scene = await startScene({ asProcess: true, env: { STORE_URL: url } });
    const { world } = scene;
    const [alice, admin] = [world.member('alice'), world.member('olga')];
    alice.joins('General');
    expect((await finished(await alice.types(`/say text:${TEXTS[0]}`))).text).toContain('Spoken in');
    await (await admin.types('/settings mute member:alice')).reply(ANSWERED);
    const second = startAnother(scene, {});
    expect((await second.ended).code).toBe(1);
    expect(second.log.at(-1)?.msg).toMatch(/^another process speaks for this bot \(.*\): end that one first/);
    await scene.restartBot();
    expect((await (await alice.types('/credits')).reply(ANSWERED)).text).toContain('40');
    expect((await (await alice.types(`/say text:${TEXTS[1]}`)).reply(ANSWERED)).text).toContain('muted');
  });

  it('holds a limit over two processes with a shard each', async () => {
    const scene = await startScene({
      asProcess: true,
      world: { shards: 2, sessionStarts: { maxConcurrency: 2 } },
      env: { STORE_URL: url, SHARDS: '0', SHARD_COUNT: '2', SPENDING_PER_DAY: '60' },
    });
    const other = startAnother(scene, { SHARDS: '1', SHARD_COUNT: '2', SPENDING_PER_DAY: '60' });
    await other.logged(({ msg }) => msg === 'Crier is ready', READY_TIMEOUT_MS);
    const servers = serversOfBoth(scene);
    const replies = servers.map(async (server, index) => {
      const member = server.member('alice');
      member.joins('General');
      return finished(await member.types(`/say text:${TEXTS[index]}`));
    });
    const texts = (await Promise.all(replies)).map(({ text }) => text);
    expect(texts.filter((text) => text.includes('Spoken in'))).toHaveLength(1);
    expect(texts.filter((text) => text.includes('60 credits a day, with 20 left'))).toHaveLength(1);
  });

  it('stood still for longer than its lease, it says not a syllable more, and ends', async () => {
    // Its successor would go on with the text.
    const env = { RESUME_TEXTS: 'off' };
    const scene = await startScene({ asProcess: true, env: { STORE_URL: url, ...env } });
    const { world, bot } = scene;
    const alice = world.member('alice');
    alice.joins('General');
    const words = Array.from({ length: 33 }, (_, index) => `This is sentence number ${index}.`).join(' ');
    await alice.types(`/say text:${words}`);
    await alice.listener.audible(1, ANSWERED);
    bot.signal('SIGSTOP');
    const successor = startAnother(scene, env);
    await successor.logged(({ msg }) => msg === 'Crier is ready', 60_000);
    // What was on its way when it was stopped has arrived by now.
    const { length: heard } = alice.listener.heard().packets;
    bot.signal('SIGCONT');
    const { code } = await bot.ended;
    expect(code).toBe(1);
    expect(bot.log.map(({ msg }) => msg).join('\n')).toContain('the lease of this process on its shards is over');
    expect(alice.listener.heard().packets).toHaveLength(heard);
    const [bob] = [world.member('bob')];
    bob.joins('General');
    expect((await finished(await bob.types(`/say text:${TEXTS[0]}`))).text).toContain('Spoken in');
  }, 120_000);

  it('hands over what waits to a successor with another folder, one process after the other, and is back in its channels', async () => {
    const cellOf = (shard: number) => ({ SHARDS: String(shard), SHARD_COUNT: '2' });
    const scene = await startScene({
      asProcess: true,
      world: { shards: 2, sessionStarts: { maxConcurrency: 2 } },
      env: { STORE_URL: url, ...cellOf(0) },
    });
    const second = startAnother(scene, cellOf(1));
    await second.logged(({ msg }) => msg === 'Crier is ready', READY_TIMEOUT_MS);
    const servers: WorldServer[] = [];
    // Two of each shard: texts wait in one of them, in the other the bot only sits.
    for (let n = 1; servers.length < 4; n += 1) {
      const server = scene.world.newServer(`Server ${n}`);
      if (servers.filter((other) => shardOf(other) === shardOf(server)).length < 2) servers.push(server);
    }
    const idle = [0, 1].map((shard) => servers.find((server) => shardOf(server) === shard)) as WorldServer[];
    const busy = servers.filter((server) => !idle.includes(server));
    const absences = servers.map((server) => watchAbsences(scene, server));
    const sent: SentInteraction[] = [];
    const words: string[] = [];
    for (const server of idle) {
      const member = server.member('alice');
      member.joins('General');
      await (await member.types('/join')).reply(ANSWERED);
    }
    const listeners = busy.map((server) => server.member('alice'));
    for (const [index, alice] of listeners.entries()) {
      alice.joins('General');
      for (const what of [
        'is spoken while its process is told to end',
        'waits for its turn',
        'waits for the last turn',
      ]) {
        const text = `Of server ${index} this ${what}.`;
        words.push(text);
        const one = await alice.types(`/say text:${text}`);
        sent.push(one);
        const isFirst = words.length % 3 === 1;
        if (isFirst) await alice.listener.audible(1, ANSWERED);
        else await one.reply({ ...ANSWERED, until: /In the queue|Generating|Speaking|Spoken/ });
      }
    }
    const successors: BotProcess[] = [];
    for (const [shard, before] of [scene.bot, second].entries()) {
      before.signal('SIGTERM');
      const successor = startAnother(scene, cellOf(shard));
      successors.push(successor);
      expect((await before.ended).code).toBe(0);
      await successor.logged(({ msg }) => msg === 'Crier is ready', READY_TIMEOUT_MS);
    }
    for (const one of sent) expect((await finished(one)).text).toContain('Spoken in');
    expect(scene.service.ledger.charges(1_000)).toHaveLength(words.length);
    for (const [index, alice] of listeners.entries()) {
      const heard = alice.listener.heard().packets.filter(({ audible }) => audible).length * 0.02;
      const said = await Promise.all(words.slice(index * 3, index * 3 + 3).map((each) => scene.said(each)));
      const whole = said.reduce((sum, sound) => sum + speechSpan(sound).seconds, 0);
      expect(heard).toBeGreaterThan(whole - 0.5);
      expect(heard).toBeLessThan(whole + 0.5);
    }
    await expect.poll(() => absences.map((of) => of().length)).toEqual([1, 1, 1, 1]);
    for (const of of absences) expect(of()[0]).toBeLessThan(10);
  }, 120_000);

  it('killed while the service works, its successor with another folder pays for nothing again, and speaks what waited', async () => {
    const scene = await startScene({ asProcess: true, env: { STORE_URL: url } });
    const alice = scene.world.member('alice');
    alice.joins('General');
    scene.service.faults.latencyMs = 4_000;
    const lost = await alice.types(`/say text:${TEXTS[0]}`);
    await lost.reply({ ...ANSWERED, until: /Generating/ });
    const waiting = await alice.types(`/say text:${TEXTS[1]}`);
    await waiting.reply({ ...ANSWERED, until: /In the queue/ });
    await expect.poll(async () => (await kept()).purchases, { timeout: 10_000 }).toContain(null);
    scene.bot.signal('SIGKILL');
    await scene.bot.ended;
    scene.service.faults.latencyMs = 0;
    startAnother(scene, {});
    const told = await lost.reply({ timeoutMs: 60_000, until: /Credits may have been used/ });
    expect(told.buttons.map(({ label }) => label)).toEqual(['Try again']);
    expect((await finished(waiting)).text).toContain('Spoken in');
    // The first one as the service has it, which may have gone on with it; the second one once.
    expect(scene.service.ledger.charges(1_000).length).toBeLessThanOrEqual(2);
    await expect.poll(async () => (await kept()).texts, { timeout: 10_000 }).toEqual([]);
  }, 120_000);

  async function kept(): Promise<{ readonly texts: unknown[]; readonly purchases: unknown[] }> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      const { rows: texts } = await client.query('SELECT id FROM crier.unspoken_texts');
      const { rows: purchases } = await client.query('SELECT paid FROM crier.purchases');
      return { texts, purchases: purchases.map(({ paid }) => paid) };
    } finally {
      await client.end();
    }
  }

  it('forgets a member in each process', async () => {
    const cellOf = (shard: number) => ({ SHARDS: String(shard), SHARD_COUNT: '2' });
    const scene = await startScene({
      asProcess: true,
      world: { shards: 2, sessionStarts: { maxConcurrency: 2 } },
      env: { STORE_URL: url, ...cellOf(0) },
    });
    const second = startAnother(scene, cellOf(1));
    await second.logged(({ msg }) => msg === 'Crier is ready', READY_TIMEOUT_MS);
    const [here, there] = serversOfBoth(scene) as [WorldServer, WorldServer];
    const [alice, bob] = [there.member('alice'), there.member('bob')];
    alice.joins('General');
    bob.joins('General');
    const words = Array.from({ length: 20 }, (_, index) => `This is sentence number ${index}.`).join(' ');
    await alice.types(`/say text:${words}`);
    await alice.listener.audible(1, ANSWERED);
    const waiting = await alice.types('/say text:This one waits.');
    await waiting.reply({ ...ANSWERED, until: /In the queue/ });
    const question = await (await here.member('alice').types('/forget')).reply(ANSWERED);
    await (await here.member('alice').presses(question, question.buttons[0]?.label ?? '')).reply(ANSWERED);
    const queue = async () => (await (await bob.types('/queue')).reply(ANSWERED)).text;
    await expect.poll(queue, { timeout: 5_000 }).not.toMatch(/This one waits|sentence number/);
    expect((await kept()).texts).toEqual([]);
  }, 90_000);
});
