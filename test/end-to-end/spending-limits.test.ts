import { describe, expect, it } from 'vitest';
import type { VisibleMessage } from '../../src/playground/world/world.ts';
import { inVoice, spokenOrLimited, startScene, TEXTS, textOf } from './scene.ts';

const PRIVATE = { until: ({ ephemeral }: VisibleMessage) => ephemeral };

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
    const warned = bot.log.filter(({ msg }) => /^Total spending limit reached/.test(msg ?? ''));
    expect(warned).toMatchObject([{ level: 40 }]);
  });

  it('is not used up by a failure, and is by a billed request without an answer, which is not sent again', async () => {
    const { world, service } = await startScene({ env: { SPENDING_PER_MEMBER_PER_DAY: '100' } });
    const alice = inVoice(world);
    service.faults.quota = 1;
    await (await alice.types(`/say text:${TEXTS[0]}`)).reply(PRIVATE);
    const credits = () => textOf(alice.types('/credits'));
    expect(await credits()).toContain('0 credits of 100 used today');
    // Another model: the one before is not asked for a while.
    const [choice] = await alice.autocompletes('say', { voice: 'orpheus' }, { filled: { text: 'x' } });
    service.faults.dropAfterBilling = 1;
    const lost = await alice.command('say', { text: TEXTS[0], voice: String(choice?.value) });
    expect((await lost.reply(PRIVATE)).text).toContain('Credits may have been used');
    expect(service.faults.dropAfterBilling).toBe(0);
    expect(service.ledger.charges(10)).toHaveLength(1);
    expect(await credits()).toContain('40 credits of 100 used today');
  });
});
