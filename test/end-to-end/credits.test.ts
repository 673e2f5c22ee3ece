import { expect, it } from 'vitest';
import type { Person, VisibleMessage, World } from '../../src/playground/world/world.ts';
import { startScene, textOf } from './scene.ts';

/** pino's number. */
const WARN = 40;

const creditsOf = (person: Person): Promise<string> => textOf(person.types('/credits'));

/** The bot's direct messages to the person, once there are `count` of them. */
async function messagesTo(world: World, person: Person, count: number): Promise<readonly string[]> {
  const seen = () => {
    try {
      return person.sees('@bot');
    } catch {
      return []; // no direct messages yet
    }
  };
  await world.until(() => seen().length >= count, { what: `${count} messages to ${person.name}` });
  return seen().map(({ text }) => text);
}

it('/credits shows what was used here and by whom, and the limits; to the owner alone also the account', async () => {
  const { world } = await startScene({
    startingCredits: 30_000,
    env: { SPENDING_PER_MEMBER_PER_DAY: '700', SPENDING_PER_SERVER_PER_DAY: '5000', SPENDING_PER_DAY: '9000' },
  });
  const [alice, bob, olga] = [world.member('alice'), world.member('bob'), world.member('olga')];
  for (const person of [alice, bob]) person.joins('General');
  const spoken = await (await alice.types('/say text:Twenty characters ok')).reply();
  expect(spoken.text).toContain('20 credits used, 680 credits left of your 700 for today.');
  await (await bob.types('/say text:Ten chars!')).reply();
  olga.joins('General');
  const seenByAll = await (await olga.types('/say text:Ten chars?')).reply();
  expect(seenByAll.text).toContain('10 credits used, 690 credits left of your 700 for today.');
  const saved = await (await olga.usesOnMessage('Save as audio', bob.says('For later.'))).reply();
  expect(saved).toMatchObject({ ephemeral: true, text: expect.stringContaining('used, 29,950 credits left.') });

  const toAlice = await creditsOf(alice);
  expect(toAlice).not.toMatch(/29,950|Last updated/);
  expect(toAlice).toContain('You, in this server: 20 credits of 700 used today, 20 this month.');
  expect(toAlice).toContain('This server: 50 credits of 5,000 used today, 50 this month.');
  const midnight = Math.ceil(Date.now() / 86_400_000) * 86_400;
  expect(toAlice).toContain(`reset <t:${midnight}:R>, at 00:00 UTC`);
  expect(toAlice).not.toContain('All servers');

  const toOlga = await creditsOf(olga);
  expect(toOlga).toContain('29,950 credits left.');
  expect(toOlga).toMatch(/Last updated <t:\d+:R>/);
  expect(toOlga).toContain('You, in this server: 20 credits of 700');
  expect(toOlga).toContain('All servers: 50 credits of 9,000 used today, 50 this month.');
});

it('paid audio that never arrives is paid for three times, told to the owner at once, and paid for again as soon as some arrives', async () => {
  const { world, service } = await startScene();
  const [alice, bob, olga] = [world.member('alice'), world.member('bob'), world.member('olga')];
  for (const person of [alice, bob]) person.joins('General');
  service.faults.redirectedAudio = Number.POSITIVE_INFINITY;
  const isOver = ({ ephemeral, text }: VisibleMessage) => ephemeral || /Spoken in/.test(text);
  const says = async (words: string, person = alice) =>
    (await person.types(`/say text:${words}`)).reply({ until: isOver });
  for (const words of ['One.', 'Two.', 'Three.']) expect((await says(words)).text).toContain('AUDIO_HOSTS');
  const refused = await says('Four.');
  expect(refused.text).toMatch(/^Audio from .* until its next test, <t:\d+:R>\. Until then, choose [^.]*\.$/);
  expect(service.ledger.charges(100)).toHaveLength(3);
  const [warning] = await messagesTo(world, olga, 1);
  expect(warning).toMatch(/last 3 texts .*AUDIO_HOSTS/);
  const status = await (await olga.types('/owner status', { in: '@bot' })).reply();
  expect(status.text).toContain('Paid audio from ext doesn’t arrive');

  service.faults.redirectedAudio = 0;
  // Its address is only asked once more.
  expect((await says('One.')).text).toMatch(/Spoken in/);
  expect(service.ledger.charges(100)).toHaveLength(3);
  expect((await messagesTo(world, olga, 2)).at(-1)).toContain('plays again');
  expect((await says('Five.', bob)).text).toContain('Spoken in');
  expect(service.ledger.charges(100)).toHaveLength(4);
});

it('an account that runs low is told to the owner once a day, in Discord and in the log', async () => {
  const { world, bot } = await startScene({
    startingCredits: 1010,
    env: { CREDITS_WARNING: '1000', TOP_UP_URL: 'https://voice.example.com/credits' },
  });
  const [alice, olga] = [world.member('alice'), world.member('olga')];
  alice.joins('General');
  olga.setsLanguage('de');
  await (await olga.types('/credits')).reply();
  await (await alice.types('/say text:This goes below a thousand credits.')).reply();
  const [first] = await messagesTo(world, olga, 1);
  // In the language in which she has just used the bot.
  expect(first).toMatch(/sind nur noch 97\d Credits übrig/);
  expect(first).toContain('https://voice.example.com/credits');
  await (await alice.types('/say text:And this still further below.')).reply();
  expect(bot.log.filter(({ level, msg }) => level === WARN && /low on credits/.test(msg ?? ''))).toHaveLength(1);
});
