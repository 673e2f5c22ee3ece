import { expect, it } from 'vitest';
import type { SentInteraction } from '../../src/playground/world/world.ts';
import { inDatabase, inVoice, type Scene, startScene, textOf } from './scene.ts';

const SPOKEN = { until: /Spoken in/ };
const SENTENCE = 'This one is being spoken while the bot ends, and goes on for a while with some more words.';

// A credit a character.
const FIRST = 'This one waits first, for its turn.';
const ON_ITS_WAY = 'The answer to this one is on its way.';

const shown = (sent: SentInteraction) => sent.replies.filter(({ deleted }) => !deleted);
const shows = ({ world }: Scene, sent: SentInteraction, words: string) =>
  world.until(() => shown(sent).some(({ text }) => text.includes(words)), { what: words });
const endOf = async (sent: SentInteraction) => (await sent.reply(SPOKEN)).history.at(-1)?.atMs ?? 0;
const charges = ({ service }: Scene) => service.ledger.charges(1_000).length;

const KEPT = "SELECT namespace, key FROM entries WHERE namespace IN ('accepted-texts', 'accepted-words')";

it('killed, it speaks in order what waited, offers what it was speaking, and says once what became of the rest', async () => {
  const scene = await startScene({ asProcess: true, env: { SPENDING_PER_MEMBER_PER_DAY: '1000' } });
  const { world, service } = scene;
  const [alice, bob] = [inVoice(world), inVoice(world, 'bob')];
  const long = await alice.types(`/say text:${`${SENTENCE} `.repeat(4)}`);
  await alice.listener.audible(1);
  const first = await bob.types(`/say text:${FIRST}`);
  await shows(scene, first, 'In the queue');
  // The next one is made while another is spoken.
  const isBought = () => service.ledger.charges(1_000).some(({ amount }) => amount === FIRST.length);
  await expect.poll(isBought).toBe(true);
  const second = await alice.types('/say text:This one waits second.');
  await shows(scene, second, 'In the queue');
  service.faults.latencyMs = 10_000;
  const [carol, erin] = [world.newServer('Lost').member('alice'), world.newServer('Left').member('alice')];
  carol.joins('General');
  erin.joins('General');
  const [lost, left, file] = await Promise.all([
    carol.types(`/say text:${ON_ITS_WAY}`),
    erin.types('/say text:Nobody waits for this one any more.'),
    bob.types('/say text:This one is for keeps. as:file'),
  ]);
  for (const sent of [lost, left]) await shows(scene, sent, 'Generating');
  scene.bot.signal('SIGKILL');
  await scene.bot.ended;
  service.faults.latencyMs = 0;
  erin.leaves();
  const before = charges(scene);
  await scene.restartBot();

  const restarted = async (sent: SentInteraction, words: RegExp) => {
    const reply = await sent.reply({ until: words });
    expect(shown(sent)).toHaveLength(1);
    return { reply, buttons: reply.buttons.map(({ label }) => label) };
  };
  expect((await restarted(lost, /Credits may have been used/)).buttons).toEqual(['Try again']);
  const unheard = await restarted(left, /No one is listening in #General anymore/);
  expect(unheard.reply.text).toContain('Credits may have been used.');
  expect((await restarted(file, /while making this/)).reply.text).toContain('Use the command again.');
  const { reply: begun } = await restarted(long, /wasn’t spoken in full/);
  const ends = [await endOf(first), await endOf(second)];
  expect(ends).toEqual(ends.toSorted((one, other) => one - other));
  expect(charges(scene) - before).toBeLessThanOrEqual(4);

  await expect.poll(() => inDatabase(scene, (database) => database.prepare(KEPT).all())).toEqual([]);
  // What was under way counts as billed.
  expect(await textOf(carol.types('/credits'))).toContain(`${ON_ITS_WAY.length} credits of 1,000 used today`);
  expect(scene.bot.log.map(({ level, msg }) => `${level} ${msg}`)).toContainEqual(
    expect.stringMatching(/^40 .*counting them as billed/),
  );

  const paid = charges(scene);
  const again = await alice.presses(begun, 'Try again');
  await again.reply({ until: /Speaking|Spoken in/ });
  expect(charges(scene)).toBe(paid);
});
