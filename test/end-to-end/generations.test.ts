import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { BotProcess } from '../../src/playground/demo/bot/bot-process.ts';
import type { Person, SentInteraction, WorldServer } from '../../src/playground/world/world.ts';
import { endOf } from '../faults/text-end.ts';
import { isPostgresMissing, type PostgresServer, startPostgres } from '../services/storage/postgres/postgres-server.ts';
import { speechSpan } from './measure.ts';
import { type Scene, startScene } from './scene.ts';
import { startAnotherProcess, watchAbsences } from './several-processes.ts';
import { watcher } from './watcher.ts';

const ANSWERED = { timeoutMs: 30_000 };
const READY_TIMEOUT_MS = 45_000;
const ANSWERED_BY_THEN = { timeout: 40_000, interval: 50 };
/** A member may have five texts spoken in ten seconds. */
const PAUSE_MS = 1_500;
const shardOf = ({ guildId }: WorldServer, count: bigint) => Number((BigInt(guildId) >> 22n) % count);
const isReady = (bot: BotProcess) => bot.logged(({ msg }) => msg === 'Crier is ready', READY_TIMEOUT_MS);
const isWarm = (bot: BotProcess) =>
  bot.logged(({ msg }) => /^Ready to take over, and mute/.test(msg ?? ''), READY_TIMEOUT_MS);
const answersOf = (bot: BotProcess) => bot.log.filter(({ msg }) => msg === 'Command').length;
const finished = (sent: SentInteraction) => sent.reply({ ...ANSWERED, until: /Spoken in/ });

describe.skipIf(isPostgresMissing)('a set of processes with a greater GENERATION', () => {
  let postgres: PostgresServer;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.stop());

  /** What is asked for again and again in one server, and what became of it, until the function that is returned is called. */
  function talk(member: Person, name: string) {
    const spoken: string[] = [];
    let isOver = false;
    onTestFinished(() => {
      isOver = true;
    });
    const talking = (async () => {
      for (let turn = 0; !isOver; turn += 1) {
        const words = `${name} has said this ${turn} times.`;
        const sent = await member.types(`/say text:${words}`);
        await expect.poll(() => endOf(sent).end, ANSWERED_BY_THEN).toMatch(/^(spoken|told)$/);
        if (endOf(sent).end === 'spoken') spoken.push(words);
        await sleep(PAUSE_MS);
      }
    })();
    return async () => {
      isOver = true;
      await talking;
      return spoken;
    };
  }

  /** The seconds that were heard, and those of these texts. */
  async function heardOf(scene: Scene, { listener }: Person, texts: readonly string[]) {
    const said = await Promise.all(texts.map((text) => scene.said(text)));
    return {
      heard: listener.heard().packets.filter(({ audible }) => audible).length * 0.02,
      whole: said.reduce((sum, sound) => sum + speechSpan(sound).seconds, 0),
    };
  }

  it('with another number of shards is mute until those before have ended, one after the other, and loses nothing', async () => {
    const url = await postgres.createDatabase();
    const blue = (shard: number) => ({ STORE_URL: url, SHARDS: String(shard), SHARD_COUNT: '2' });
    const scene = await startScene({
      asProcess: true,
      world: { shards: 3, sessionStarts: { maxConcurrency: 3 } },
      env: blue(0),
    });
    const { world, service } = scene;
    const second = startAnotherProcess(scene, blue(1));
    await isReady(second);
    // In each range of the first set three: one in which the bot only sits, one with a queue, one where it goes on all the while.
    const servers: WorldServer[] = [];
    for (let n = 1; servers.length < 6; n += 1) {
      const server = world.newServer(`Server ${n}`);
      if (servers.filter((other) => shardOf(other, 2n) === shardOf(server, 2n)).length < 3) servers.push(server);
    }
    servers.sort((one, other) => shardOf(one, 2n) - shardOf(other, 2n));
    const absences = servers.map((server) => watchAbsences(scene, server));
    const members = servers.map((server) => server.member('alice'));
    for (const member of members) member.joins('General');
    const ofKind = (kind: number) => members.filter((_, index) => index % 3 === kind);
    const [idle, queued, talking] = [ofKind(0), ofKind(1), ofKind(2)];
    for (const member of idle) await (await member.types('/join')).reply(ANSWERED);
    const talks = talking.map((member, index) => talk(member, `Server ${index}`));

    const green = startAnotherProcess(scene, { STORE_URL: url, SHARD_COUNT: '3', GENERATION: '1' });
    await isWarm(green);
    const sent: SentInteraction[] = [];
    const words = queued.map((_, index) =>
      ['is spoken as its process is told to end', 'waits', 'waits for longer'].map(
        (what) => `Of ${index} this ${what}.`,
      ),
    );
    for (const [index, member] of queued.entries()) {
      for (const text of words[index] ?? []) sent.push(await member.types(`/say text:${text}`));
      await sent.at(-1)?.reply({ ...ANSWERED, until: /In the queue/ });
      await member.listener.audible(1, ANSWERED);
    }
    expect(answersOf(green)).toBe(0);
    const identifies = world.bot.identifies;

    second.signal('SIGTERM');
    expect((await second.ended).code).toBe(0);
    for (const one of sent.slice(3)) expect((await finished(one)).text).toContain('Spoken in');
    expect(green.log.some(({ msg }) => msg === 'Crier is ready')).toBe(false);
    scene.bot.signal('SIGTERM');
    expect((await scene.bot.ended).code).toBe(0);
    await isReady(green);
    for (const one of sent) expect((await finished(one)).text).toContain('Spoken in');
    const before = startAnotherProcess(scene, blue(0));
    expect((await before.ended).code).toBe(1);
    expect(before.log.at(-1)?.msg).toContain('a process of a later GENERATION takes over');

    const spoken = await Promise.all(talks.map((end) => end()));
    for (const [index, member] of members.entries()) {
      const text = `The last one of ${index}.`;
      expect((await finished(await member.types(`/say text:${text}`))).text).toContain('Spoken in');
      (index % 3 === 1 ? words : index % 3 === 2 ? spoken : [])[index < 3 ? 0 : 1]?.push(text);
    }
    for (const texts of spoken) expect(texts.length).toBeGreaterThan(2);
    const all = [...words, ...spoken].flat();
    expect(service.ledger.charges(1_000)).toHaveLength(all.length + idle.length);
    for (const [index, member] of [...queued, ...talking].entries()) {
      const { heard, whole } = await heardOf(scene, member, [...words, ...spoken][index] ?? []);
      expect(heard).toBeGreaterThan(whole - 0.5);
      expect(heard).toBeLessThan(whole + 0.5);
    }
    await expect.poll(() => absences.map((of) => of().length)).toEqual([1, 1, 1, 1, 1, 1]);
    for (const of of absences) expect(of()[0]).toBeLessThan(10);
    expect([world.bot.identifies, world.bot.refusedIdentifies]).toEqual([identifies, 0]);
  }, 180_000);

  it('takes over from a process that was killed, and pays for nothing again without being asked', async () => {
    const url = await postgres.createDatabase();
    const scene = await startScene({ asProcess: true, env: { STORE_URL: url } });
    const next = { STORE_URL: url, SHARD_COUNT: '2', GENERATION: '1', METRICS_PORT: 'auto' };
    const green = startAnotherProcess(scene, next);
    await isWarm(green);
    const { readiness } = await watcher(green);
    await expect.poll(async () => (await readiness()).status, { timeout: 10_000 }).toBe(200);
    const alice = scene.world.member('alice');
    alice.joins('General');
    scene.service.faults.latencyMs = 4_000;
    const lost = await alice.types('/say text:Under way when its process is killed.');
    await lost.reply({ ...ANSWERED, until: /Generating/ });
    const waiting = await alice.types('/say text:This one waits.');
    await waiting.reply({ ...ANSWERED, until: /In the queue/ });
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    onTestFinished(() => client.end());
    const purchases = async () => (await client.query('SELECT FROM crier.purchases')).rowCount;
    await expect.poll(purchases, { timeout: 10_000 }).toBe(1);
    scene.bot.signal('SIGKILL');
    await scene.bot.ended;
    scene.service.faults.latencyMs = 0;
    const told = await lost.reply({ timeoutMs: 60_000, until: /Credits may have been used/ });
    expect(told.buttons.map(({ label }) => label)).toEqual(['Try again']);
    expect((await finished(waiting)).text).toContain('Spoken in');
    await isReady(green);
    // The first one as the service has it, which may have gone on with it; the second one once.
    expect(scene.service.ledger.charges(1_000).length).toBeLessThanOrEqual(2);
  }, 120_000);
});
