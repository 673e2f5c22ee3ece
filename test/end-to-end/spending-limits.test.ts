import { describe, expect, it } from 'vitest';
import { inDatabase, inVoice, type Scene, spokenOrLimited, startScene, TEXTS, textOf } from './scene.ts';

/** pino's number. */
const WARN = 40;

/** Requests that the bot has reserved credits for, and those it sent: it writes down either before its next step. */
const underWay = (scene: Scene) =>
  inDatabase(scene, (database) =>
    database
      .prepare("SELECT sum(state = 'reserved') AS reserved, sum(sent = 1) AS sent FROM spending_reservations")
      .get(),
  );

describe('a limit on spending', () => {
  it('admits one of two simultaneous requests, from two servers, for the last credits', async () => {
    const { world, service, bot } = await startScene({ env: { SPENDING_PER_DAY: '60' } });
    const before = service.ledger.account().creditsLeft;
    const members = [world.member('alice'), world.newServer('Elsewhere').member('bob')];
    for (const member of members) member.joins('General');
    const sent = await Promise.all(members.map((member, index) => member.types(`/say text:${TEXTS[index]}`)));
    const replies = await Promise.all(sent.map(spokenOrLimited));

    const refused = replies.filter(({ text }) => !text.includes('Spoken in'));
    expect(refused).toHaveLength(1);
    expect(refused[0]?.ephemeral).toBe(true);
    expect(refused[0]?.text).toContain('Over the bot’s limit: this costs about 40 and it has 20 of 60 left today.');
    expect(refused[0]?.content).toMatch(/Resets <t:\d+:R>\.$/);
    expect(before - service.ledger.account().creditsLeft).toBe(40);
    expect(
      bot.log.filter(({ level, msg }) => level === WARN && /^Total spending limit reached/.test(msg ?? '')),
    ).toHaveLength(1);
  });

  it('is not used up by a failure, and is by a billed request without an answer', async () => {
    const { world, service } = await startScene({ env: { SPENDING_PER_MEMBER_PER_DAY: '100' } });
    const alice = inVoice(world);
    service.faults.quota = 1;
    await (await alice.types(`/say text:${TEXTS[0]}`)).reply({ until: ({ ephemeral }) => ephemeral });
    const credits = () => textOf(alice.types('/credits'));
    expect(await credits()).toContain('0 credits of 100 used today');
    // Another model: the one before is not asked for a while.
    const [choice] = await alice.autocompletes('say', { voice: 'orpheus' }, { filled: { text: 'x' } });
    service.faults.dropAfterBilling = 1;
    const lost = await alice.command('say', { text: TEXTS[0], voice: String(choice?.value) });
    await lost.reply({ until: ({ ephemeral }) => ephemeral });
    expect(service.ledger.charges(10)).toHaveLength(1);
    expect(await credits()).toContain('40 credits of 100 used today');
  });

  it('counts the requests under way when the bot was killed', async () => {
    const scene = await startScene({ asProcess: true, env: { SPENDING_PER_MEMBER_PER_DAY: '100' } });
    const alice = inVoice(scene.world);
    scene.service.faults.latencyMs = 60_000;
    await alice.types(`/say text:${TEXTS[0]}`);
    await expect.poll(() => underWay(scene)).toEqual({ reserved: 1, sent: 1 });
    process.kill(scene.bot.pid, 'SIGKILL');
    await scene.bot.ended;
    scene.service.faults.latencyMs = 0;
    await scene.restartBot();
    const credits = await textOf(alice.types('/credits'));
    expect(credits).toContain('40 credits of 100 used today');
    const warned = scene.bot.log.filter(
      ({ level, msg }) => level === WARN && /counting them as billed/.test(msg ?? ''),
    );
    expect(warned).not.toEqual([]);
  });
});
