import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { SentInteraction, WorldServer } from '../../src/playground/world/world.ts';
import { openScene, type Scene } from './scene.ts';

const ANSWERED = { timeoutMs: 30_000 };
const SPOKEN = { ...ANSWERED, until: /Spoken (again )?in/ };

let scene: Scene;
let server: WorldServer;
let round = 0;
let isOn = true;
beforeAll(async () => {
  scene = await openScene({ env: () => ({ RESUME_TEXTS: isOn ? 'on' : 'off' }) });
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
    long: `Number ${round} is being spoken while the bot ends, and it goes on.`,
    first: `Number ${round} waits first.`,
    second: `Number ${round} waits second.`,
  };
  const before = charges().length;
  const long = await alice.types(`/say text:${words.long}`);
  await alice.listener.audible(1, ANSWERED);
  const second = await alice.types(`/say text:${words.second}`);
  await waits(second);
  const first = await bob.types(`/say text:${words.first}`);
  await waits(first);
  return { alice, bob, long, first, second, words, billed: () => charges().length - before };
}

const waits = (sent: SentInteraction) =>
  scene.world.until(() => sent.replies.some(({ text }) => text.includes('Waiting')), { ...ANSWERED, what: 'waiting' });

async function kill(): Promise<void> {
  scene.bot.signal('SIGKILL');
  await scene.bot.ended;
}

const charges = () => scene.service.ledger.charges(1_000);
const shown = (sent: SentInteraction) => sent.replies.filter(({ deleted }) => !deleted);
const endOf = async (sent: SentInteraction) => (await sent.reply(SPOKEN)).history.at(-1)?.atMs ?? 0;

function keptTexts(): unknown[] {
  const database = new DatabaseSync(join(scene.dataDir, 'unspoken.sqlite'), { readOnly: true });
  try {
    return database.prepare('SELECT id, state FROM texts').all();
  } finally {
    database.close();
  }
}
const nothingIsKept = () => expect.poll(keptTexts, { timeout: 10_000 }).toEqual([]);

it('killed while it speaks, it goes on where it was, and speaks what waited in order, billed once', async () => {
  const { alice, long, first, second, words, billed } = await oneSpokenTwoWaiting();
  await alice.listener.audible(50, ANSWERED);
  await kill();
  await scene.restartBot();

  const ends = [await endOf(long), await endOf(first), await endOf(second)];
  expect(ends).toEqual(ends.toSorted((one, other) => one - other));
  for (const sent of [long, first, second]) {
    const [reply, ...others] = shown(sent);
    expect(others).toEqual([]);
    expect(reply?.text).toMatch(/[1-9]\d* credits? used/);
    expect(reply?.buttons.map(({ label }) => label)).toEqual(['Speak again', 'Save as file']);
  }
  expect(billed()).toBe(3);
  // All of it was heard, and at most the last half second before the end twice.
  const heard = alice.listener.heard().packets.filter(({ audible }) => audible).length * 0.02;
  const said = await Promise.all(Object.values(words).map((each) => scene.said(each)));
  const whole = said.reduce((sum, { samples, sampleRateHz }) => sum + samples.length / sampleRateHz, 0);
  expect(heard).toBeGreaterThan(whole - 0.5);
  expect(heard).toBeLessThan(whole + 1);
  const [reply] = shown(first);
  if (!reply) throw new Error('There is no reply');
  expect((await (await alice.presses(reply, 'Speak again')).reply(SPOKEN)).text).toContain('No credits used');
  await nothingIsKept();
});

it('told to stop by SIGTERM, it finishes the current text, says that the others come back, and speaks them', async () => {
  const { long, first, second, billed } = await oneSpokenTwoWaiting();
  scene.bot.signal('SIGTERM');
  for (const sent of [first, second]) {
    const later = await sent.reply({ ...ANSWERED, until: /is being restarted/ });
    expect(later).toMatchObject({ ephemeral: false, buttons: [] });
    expect(later.text).toContain('This is spoken once it is back');
  }
  await long.reply(SPOKEN);
  await scene.bot.ended;
  await scene.restartBot();
  const ends = [await endOf(first), await endOf(second)];
  expect(ends).toEqual(ends.toSorted((one, other) => one - other));
  expect(billed()).toBe(3);
  await nothingIsKept();
});

it('with nobody there any more it says so, once, and what may be billed is not made again by itself', async () => {
  const { alice, bob, long, first, second } = await oneSpokenTwoWaiting();
  const carol = scene.world.newServer('Elsewhere').member('alice');
  carol.joins('General');
  scene.service.faults.latencyMs = 3_000;
  const lost = await carol.types(`/say text:The answer to number ${round} is on its way.`);
  await scene.world.until(() => shown(lost).some(({ text }) => text.includes('Making')), {
    ...ANSWERED,
    what: 'the speech being made',
  });
  const before = charges().length;
  await kill();
  scene.service.faults.latencyMs = 0;
  alice.leaves();
  bob.leaves();
  await scene.restartBot();
  for (const sent of [long, first, second]) {
    const reply = await sent.reply({ ...ANSWERED, until: /Nobody is listening in #General any more/ });
    expect(shown(sent)).toHaveLength(1);
    expect(reply.buttons.map(({ label }) => label)).toEqual(['Try again']);
  }
  expect(server.channel('General').members).toEqual([]);
  const unknown = await lost.reply({ ...ANSWERED, until: /Credits may have been used/ });
  await nothingIsKept();
  // Billed by the request that the kill cut off, or not at all.
  expect(charges().length - before).toBeLessThanOrEqual(1);
  expect((await (await carol.presses(unknown, 'Try again')).reply(SPOKEN)).text).toContain('is on its way');
});

it('switched off, it keeps nothing, and says what it said before', async () => {
  isOn = false;
  await scene.restartBot();
  const { first } = await oneSpokenTwoWaiting();
  expect(existsSync(join(scene.dataDir, 'unspoken.sqlite'))).toBe(false);
  isOn = true;
  scene.bot.signal('SIGTERM');
  const reply = await first.reply({ ...ANSWERED, until: ({ ephemeral }) => ephemeral });
  expect(reply.text).toContain('Try again in a minute');
  await scene.bot.ended;
  await scene.restartBot();
});
