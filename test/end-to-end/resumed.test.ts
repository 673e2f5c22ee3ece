import { expect, it } from 'vitest';
import type { SentInteraction } from '../../src/playground/world/world.ts';
import { inDatabase, inVoice, type Scene, startScene } from './scene.ts';

const SPOKEN = { until: /Spoken in/ };
const SENTENCE = 'This one is being spoken while the bot ends, and goes on for a while with some more words.';

/** A credit a character. */
const FIRST = 'This one waits first, for its turn.';

const shown = (sent: SentInteraction) => sent.replies.filter(({ deleted }) => !deleted);
const shows = ({ world }: Scene, sent: SentInteraction, words: string) =>
  world.until(() => shown(sent).some(({ text }) => text.includes(words)), { what: words });
const endOf = async (sent: SentInteraction) => (await sent.reply(SPOKEN)).history.at(-1)?.atMs ?? 0;
const charges = ({ service }: Scene) => service.ledger.charges(1_000).length;

const KEPT = "SELECT namespace, key FROM entries WHERE namespace IN ('accepted-texts', 'accepted-words')";
const keptTexts = (scene: Scene) => inDatabase(scene, (database) => database.prepare(KEPT).all());
const nothingIsKept = (scene: Scene) => expect.poll(() => keptTexts(scene)).toEqual([]);

it('killed, it speaks in order what waited, offers what it was speaking, and says once what became of the rest', async () => {
  const scene = await startScene({ asProcess: true });
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
    carol.types('/say text:The answer to this one is on its way.'),
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

  await nothingIsKept(scene);

  const paid = charges(scene);
  const again = await alice.presses(begun, 'Try again');
  await again.reply({ until: /Speaking|Spoken in/ });
  expect(charges(scene)).toBe(paid);
});

it('told to stop by SIGTERM, it finishes what it speaks, and speaks what waited after the next start, billed once', async () => {
  const scene = await startScene();
  const { world, bot } = scene;
  const alice = inVoice(world);
  const long = await alice.types(`/say text:${SENTENCE}`);
  await alice.listener.audible(1);
  const waiting = await alice.types('/say text:This one waits for the next start.');
  await shows(scene, waiting, 'In the queue');
  bot.signal('SIGTERM');
  const later = await waiting.reply({ until: /is restarting/ });
  expect(later).toMatchObject({ ephemeral: false, buttons: [] });
  expect(later.text).toContain('It will speak this if it’s back');
  await long.reply(SPOKEN);
  await bot.ended;
  await scene.restartBot();
  await waiting.reply(SPOKEN);
  for (const sent of [long, waiting]) {
    const [reply, ...others] = shown(sent);
    expect(others).toEqual([]);
    expect(reply?.text).toMatch(/[1-9]\d* credits? used/);
    expect(reply?.buttons.map(({ label }) => label)).toEqual(['Replay', 'Save as file']);
  }
  expect(charges(scene)).toBe(2);
  await nothingIsKept(scene);
});
