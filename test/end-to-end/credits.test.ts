import { expect, it } from 'vitest';
import type { Person, VisibleMessage } from '../../src/playground/world/world.ts';
import { inVoice, replyTo, startScene, textOf } from './scene.ts';

/** The bot's direct messages to the person, once there are `count` of them. Before the first, there is no place to look at. */
async function messagesTo(person: Person, count: number): Promise<readonly string[]> {
  await expect.poll(() => person.sees('@bot').length).toBeGreaterThanOrEqual(count);
  return person.sees('@bot').map(({ text }) => text);
}

it('/credits shows what was used here and by whom, and the limits; to the owner alone also the account', async () => {
  const { world } = await startScene({
    startingCredits: 30_000,
    env: { SPENDING_PER_MEMBER_PER_DAY: '700', SPENDING_PER_SERVER_PER_DAY: '5000', SPENDING_PER_DAY: '9000' },
  });
  const [alice, bob, olga] = [inVoice(world), inVoice(world, 'bob'), inVoice(world, 'olga')];
  const spoken = await textOf(alice.types('/say text:Twenty characters ok'));
  expect(spoken).toContain('20 credits used, 680 credits left of your 700 for today.');
  await textOf(bob.types('/say text:Ten chars!'));
  const seenByAll = await textOf(olga.types('/say text:Ten chars?'));
  expect(seenByAll).toContain('10 credits used, 690 credits left of your 700 for today.');
  const saved = await replyTo(olga.usesOnMessage('Save as audio', bob.says('For later.')));
  expect(saved).toMatchObject({ ephemeral: true, text: expect.stringContaining('used, 29,950 credits left.') });

  const toAlice = await textOf(alice.types('/credits'));
  expect(toAlice).not.toMatch(/29,950|Last updated/);
  expect(toAlice).toContain('You, in this server: 20 credits of 700 used today, 20 this month.');
  expect(toAlice).toContain('This server: 50 credits of 5,000 used today, 50 this month.');
  const midnight = Math.ceil(Date.now() / 86_400_000) * 86_400;
  expect(toAlice).toContain(`reset <t:${midnight}:R>, at 00:00 UTC`);
  expect(toAlice).not.toContain('All servers');

  const toOlga = await textOf(olga.types('/credits'));
  expect(toOlga).toContain('29,950 credits left.');
  expect(toOlga).toMatch(/Last updated <t:\d+:R>/);
  expect(toOlga).toContain('You, in this server: 20 credits of 700');
  expect(toOlga).toContain('All servers: 50 credits of 9,000 used today, 50 this month.');
});

it('paid audio that never arrives is paid for three times, told to the owner at once, and paid for again as soon as some arrives', async () => {
  const { world, service } = await startScene();
  const [alice, bob, olga] = [inVoice(world), inVoice(world, 'bob'), world.member('olga')];
  service.faults.redirectedAudio = Number.POSITIVE_INFINITY;
  const isOver = ({ ephemeral, text }: VisibleMessage) => ephemeral || /Spoken in/.test(text);
  const says = async (words: string, person = alice) =>
    (await person.types(`/say text:${words}`)).reply({ until: isOver });
  for (const words of ['One.', 'Two.', 'Three.']) expect((await says(words)).text).toContain('AUDIO_HOSTS');
  const refused = await says('Four.');
  expect(refused.text).toMatch(/^Audio from .* until its next test, <t:\d+:R>\. Until then, choose [^.]*\.$/);
  expect(service.ledger.charges(100)).toHaveLength(3);
  const [warning] = await messagesTo(olga, 1);
  expect(warning).toMatch(/last 3 texts .*AUDIO_HOSTS/);
  const status = await textOf(olga.types('/owner status', { in: '@bot' }));
  expect(status).toContain('Paid audio from ext doesn’t arrive');

  service.faults.redirectedAudio = 0;
  // Its address is only asked once more.
  expect((await says('One.')).text).toMatch(/Spoken in/);
  expect(service.ledger.charges(100)).toHaveLength(3);
  expect((await messagesTo(olga, 2)).at(-1)).toContain('plays again');
  expect((await says('Five.', bob)).text).toContain('Spoken in');
  expect(service.ledger.charges(100)).toHaveLength(4);
});

it('an account that runs low is told to the owner once a day, in Discord and in the log', async () => {
  const { world, bot } = await startScene({
    startingCredits: 1010,
    env: { CREDITS_WARNING: '1000', TOP_UP_URL: 'https://voice.example.com/credits' },
  });
  const [alice, olga] = [inVoice(world), world.member('olga')];
  olga.setsLanguage('de');
  await textOf(olga.types('/credits'));
  await textOf(alice.types('/say text:This goes below a thousand credits.'));
  const [first] = await messagesTo(olga, 1);
  // In the language in which she has just used the bot.
  expect(first).toMatch(/sind nur noch 97\d Credits übrig/);
  expect(first).toContain('https://voice.example.com/credits');
  await textOf(alice.types('/say text:And this still further below.'));
  expect(bot.log.filter(({ msg }) => /low on credits/.test(msg ?? ''))).toMatchObject([{ level: 40 }]);
});
