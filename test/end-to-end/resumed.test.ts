import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import type { SentInteraction, WorldServer } from '../../src/playground/world/world.ts';
import { speechSpan } from './measure.ts';
import { choose } from './reading.ts';
import { openScene, type Scene, startScene } from './scene.ts';
import { LONG } from './speaking.ts';

const ANSWERED = { timeoutMs: 30_000 };
const SPOKEN = { ...ANSWERED, until: /Spoken in/ };

let scene: Scene;
let server: WorldServer;
let round = 0;
beforeAll(async () => {
  scene = await openScene({ asProcess: true });
});
afterAll(() => scene.close());
beforeEach(() => {
  // Texts of their own: what another test had spoken is free.
  round += 1;
  server = scene.world.newServer(`Server ${round}`);
});

/** One text is being spoken, and two wait; the turns go round between members. */
async function oneSpokenTwoWaiting() {
  const [alice, bob] = [server.member('alice'), server.member('bob')];
  alice.joins('General');
  bob.joins('General');
  const words = {
    long: `Number ${round} is being spoken while the bot ends, and goes on for a while with some more words.`,
    first: `Number ${round} waits first, for its turn.`,
    second: `Number ${round} waits second.`,
  };
  const before = charges();
  const long = await alice.types(`/say text:${words.long}`);
  await alice.listener.audible(1, ANSWERED);
  const second = await alice.types(`/say text:${words.second}`);
  await shows(second, 'In the queue');
  const first = await bob.types(`/say text:${words.first}`);
  await shows(first, 'In the queue');
  return { alice, bob, long, first, second, words, billed: () => charges() - before };
}

const shown = (sent: SentInteraction) => sent.replies.filter(({ deleted }) => !deleted);
const shows = (sent: SentInteraction, words: string) =>
  scene.world.until(() => shown(sent).some(({ text }) => text.includes(words)), { ...ANSWERED, what: words });
const charges = () => scene.service.ledger.charges(1_000).length;
const endOf = async (sent: SentInteraction) => (await sent.reply(SPOKEN)).history.at(-1)?.atMs ?? 0;

async function kill(): Promise<void> {
  scene.bot.signal('SIGKILL');
  await scene.bot.ended;
}

function keptTexts(): unknown[] {
  const database = new DatabaseSync(join(scene.dataDir, 'unspoken.sqlite'), { readOnly: true });
  try {
    return database.prepare('SELECT id, state FROM texts').all();
  } finally {
    database.close();
  }
}
const nothingIsKept = () => expect.poll(keptTexts, { timeout: 10_000 }).toEqual([]);

it('killed while it speaks, and then told to stop by SIGTERM, it speaks everything in order, once, billed once', async () => {
  const moderationLog = server.newChannel('mod-log', 'text');
  await choose(scene, { moderationChannel: moderationLog.id }, { server });
  const { alice, long, first, second, words, billed } = await oneSpokenTwoWaiting();
  await alice.listener.audible(40, ANSWERED);
  await kill();
  await scene.restartBot();
  // It goes on where it was, and the turns go on going round.
  const ends = [await endOf(long)];

  scene.bot.signal('SIGTERM');
  const later = await second.reply({ ...ANSWERED, until: /is restarting/ });
  expect(later).toMatchObject({ ephemeral: false, buttons: [] });
  expect(later.text).toContain('It will speak this when it’s back');
  ends.push(await endOf(first));
  await scene.bot.ended;
  await scene.restartBot();
  ends.push(await endOf(second));

  expect(ends).toEqual(ends.toSorted((one, other) => one - other));
  for (const sent of [long, first, second]) {
    const [reply, ...others] = shown(sent);
    expect(others).toEqual([]);
    expect(reply?.text).toMatch(/[1-9]\d* credits? used/);
    expect(reply?.buttons.map(({ label }) => label)).toEqual(['Speak again', 'Save as file']);
  }
  expect(billed()).toBe(3);
  const noted = () => moderationLog.messages.flatMap(({ lines }) => lines);
  await expect.poll(() => noted().length, { timeout: 10_000 }).toBeGreaterThanOrEqual(3);
  expect(noted().map((line) => /: (\w+), [1-9]\d* credits?$/.exec(line)?.[1])).toEqual(Array(3).fill('spoken'));
  // All of it was heard, and at most the last half second before the kill twice.
  const heard = alice.listener.heard().packets.filter(({ audible }) => audible).length * 0.02;
  const said = await Promise.all(Object.values(words).map((each) => scene.said(each)));
  const whole = said.reduce((sum, sound) => sum + speechSpan(sound).seconds, 0);
  expect(heard).toBeGreaterThan(whole - 0.5);
  expect(heard).toBeLessThan(whole + 1);
  await nothingIsKept();
});

it('with nobody there any more it says so, once, and what may be billed is not made again by itself', async () => {
  const { alice, bob, long, first, second } = await oneSpokenTwoWaiting();
  const carol = scene.world.newServer('Elsewhere').member('alice');
  carol.joins('General');
  scene.service.faults.latencyMs = 3_000;
  const lost = await carol.types(`/say text:The answer to number ${round} is on its way.`);
  const dave = scene.world.newServer('Left').member('alice');
  dave.joins('General');
  const left = await dave.types(`/say text:Nobody waits for number ${round} any more.`);
  await shows(lost, 'Generating');
  await shows(left, 'Generating');
  const before = charges();
  await kill();
  scene.service.faults.latencyMs = 0;
  alice.leaves();
  bob.leaves();
  dave.leaves();
  await scene.restartBot();
  for (const sent of [long, first, second]) {
    const reply = await sent.reply({ ...ANSWERED, until: /No one is listening in #General anymore/ });
    expect(shown(sent)).toHaveLength(1);
    expect(reply.buttons.map(({ label }) => label)).toEqual(['Try again']);
  }
  expect(server.channel('General').members).toEqual([]);
  const unknown = await lost.reply({ ...ANSWERED, until: /Credits may have been used/ });
  const unheard = await left.reply({ ...ANSWERED, until: /No one is listening in #General anymore/ });
  expect(unheard.text).toContain('Credits may have been used.');
  await nothingIsKept();
  // Billed by the requests that the kill cut off, or not at all.
  expect(charges() - before).toBeLessThanOrEqual(2);
  expect((await (await carol.presses(unknown, 'Try again')).reply(SPOKEN)).text).toContain('is on its way');
});

it.each(['file', 'voice-message'])(
  'killed while it makes a %s, it says so and that credits may have been used',
  async (as) => {
    scene.service.faults.billedLatencyMs = 60_000;
    onTestFinished(() => {
      scene.service.faults.billedLatencyMs = 0;
    });
    const before = charges();
    const sent = await server.member('alice').types(`/say text:Number ${round} is for keeps. as:${as}`);
    await expect.poll(charges, { timeout: 10_000 }).toBeGreaterThan(before);
    await kill();
    scene.service.faults.billedLatencyMs = 0;
    await scene.restartBot();
    const reply = await sent.reply({ ...ANSWERED, until: /The bot restarted/ });
    expect(reply.text).toBe('The bot restarted while making this. Use the command again.\nCredits may have been used.');
    expect(shown(sent)).toHaveLength(1);
    await nothingIsKept();
  },
);

it('a file that is told is not kept any longer', async () => {
  const sent = await server.member('alice').types(`/say text:Number ${round} is done. as:file`);
  await sent.reply({ ...ANSWERED, until: ({ files }) => files.length > 0 });
  await nothingIsKept();
});

it('where admins do not want texts back, each gets an answer all the same', async () => {
  await choose(scene, { resumeTexts: false }, { server });
  const { long, first, second } = await oneSpokenTwoWaiting();
  await kill();
  await scene.restartBot();
  for (const sent of [long, first, second]) {
    const reply = await sent.reply({ ...ANSWERED, until: /The bot restarted/ });
    const spoken = sent === long ? 'spoken in full' : 'spoken';
    expect(reply.text).toBe(`The bot restarted, so this wasn’t ${spoken}.\nCredits may have been used.`);
    expect(shown(sent)).toHaveLength(1);
    expect(reply.buttons).toEqual([]);
  }
  await nothingIsKept();
});

/** The clips of a disk cache that are whole: each is written under another name first. */
const finished = (folder: string) => readdirSync(folder).filter((name) => /^[\w-]{43}$/.test(name));

it('with engines that have a price, what was paid for before is told with its cost, and not paid for again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'crier-engines-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const engines = join(folder, 'engines.toml');
  writeFileSync(engines, '[[engines]]\nname = "local"\nkind = "embedded"\ncredits_per_character = 2\n');
  const priced = await startScene({
    asProcess: true,
    env: { VOICE_API_URL: '', VOICE_API_KEY: '', SPEECH_ENGINES: engines },
  });
  const [alice, bob] = [priced.world.member('alice'), priced.world.member('bob')];
  alice.joins('General');
  bob.joins('General');
  const long = await alice.types(`/say text:${LONG}`);
  await alice.listener.audible(1, ANSWERED);
  // It must not be over before the other one is paid for.
  await (await alice.types('/pause')).reply(ANSWERED);
  const second = await bob.types('/say text:This waits for its turn.');
  // Both are paid for, and kept on disk.
  await expect.poll(() => finished(join(priced.dataDir, 'clips')), { timeout: 20_000 }).toHaveLength(2);
  priced.bot.signal('SIGKILL');
  await priced.bot.ended;
  await priced.restartBot();
  const resume = async () => (await (await alice.types('/resume')).reply(ANSWERED)).text;
  await expect.poll(resume, { timeout: 20_000 }).toBe('Resumed.');
  expect((await long.reply(SPOKEN)).text).toContain(`${2 * LONG.length} credits used`);
  expect((await second.reply(SPOKEN)).text).toContain('48 credits used');
  const { text } = await (await alice.types('/credits')).reply(ANSWERED);
  expect(text).toContain(`This server: ${2 * LONG.length + 48} credits`);
});
