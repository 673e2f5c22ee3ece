import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { Person } from '../../src/playground/world/world.ts';
import { choose } from './reading.ts';
import { inDatabase, newGuest, replyTo, type Scene, shareScene, startScene, textOf } from './scene.ts';

const DAY_MS = 24 * 60 * 60_000;

const shared = await shareScene();
const { scene } = shared;

/** A member without stored data. */
const somebody = () => newGuest(shared.server);

const KEYS = 'SELECT key FROM entries WHERE namespace = ? ORDER BY key';
const entries = (of: Scene, namespace: string) =>
  inDatabase(of, (database) => database.prepare(KEYS).all(namespace)).map(({ key }) => String(key));

/** Of these people, or of this server. */
const entriesOf = (of: readonly { readonly id: string }[], namespace: string) =>
  entries(scene, namespace).filter((key) => key.split(' ').some((part) => of.some(({ id }) => id === part)));

async function keepsSomething(person: Person): Promise<void> {
  await replyTo(person.command('voice set', { speed: 1.5 }));
  await replyTo(person.command('voice set', { style: 'calm', where: 'everywhere' }));
}

it('/privacy tells members which of their data is stored, where and for how long, and that nothing else is', async () => {
  const [alice, bob, olga] = [somebody(), somebody(), shared.server.member('olga')];
  await keepsSomething(alice);
  alice.joins('General');
  await replyTo(alice.types('/say text:Twenty characters ok'));
  const told = await replyTo(alice.types('/privacy'));
  expect(told.ephemeral).toBe(true);
  expect(told.text).toContain('Nothing people say is stored');
  expect(told.text).toContain('Now: settings from /voice, in 2 places.');
  expect(told.text).toMatch(/Now: 2\d credits used today\./);
  expect(told.text).toContain('Now: 1 text spoken recently.');
  expect(told.text).not.toContain('Twenty characters');
  expect(told.text).not.toContain('You manage this server');
  expect(told.text.length).toBeLessThan(4_000);

  const nothing = await replyTo(bob.types('/privacy'));
  expect(nothing.text).not.toMatch(/Now: (?!nothing)/);
  expect(await textOf(olga.types('/privacy'))).toContain('You manage this server: /forget server:True');
});

describe('/forget', () => {
  it('asks, deletes the member’s stored data everywhere, from the files of the bot too, lists it, and leaves the others’', async () => {
    const [alice, bob] = [somebody(), somebody()];
    await Promise.all([keepsSomething(alice), keepsSomething(bob)]);
    alice.joins('General');
    const spoken = await replyTo(alice.types('/say text:Soon to be forgotten'));
    const isInFiles = () =>
      readdirSync(scene.dataDir, { withFileTypes: true }).some(
        (entry) => entry.isFile() && readFileSync(join(scene.dataDir, entry.name), 'latin1').includes('quixotically'),
      );
    await replyTo(alice.command('voice set', { style: 'quixotically calm' }));
    expect(isInFiles()).toBe(true);

    const asked = await replyTo(alice.types('/forget'));
    expect(asked.ephemeral).toBe(true);
    expect(asked.text).toContain('for all servers');
    expect(entriesOf([alice, bob], 'member-settings')).toHaveLength(4);
    const done = await (await alice.presses(asked, 'Delete')).reply({ until: /^Deleted/ });
    expect(done.text).toContain('settings from /voice, in 2 places');
    expect(done.text).toContain('1 text spoken recently');
    expect(done.text).toMatch(/Deleted at the end of the day.*: \d+ credits used today/);
    expect(done.buttons).toEqual([]);
    expect(isInFiles()).toBe(false);
    expect(entriesOf([alice], 'member-settings')).toEqual([]);
    expect(entriesOf([bob], 'member-settings')).toHaveLength(2);
    expect(await textOf(alice.types('/replay'))).toMatch(/^Nothing to replay: .*forget/);
    expect(await textOf(alice.presses(spoken, 'Replay'))).toMatch(/^This one is gone: .*forget/);
    const again = await replyTo(alice.types('/forget'));
    expect(again.text).toMatch(
      /^Deleted at the end of the day[^\n]*: \d+ credits used today\.\nThe bot’s replies stay in Discord[^\n]*$/,
    );
    expect(again.buttons).toEqual([]);
    expect((await replyTo(bob.types('/forget'))).buttons).toHaveLength(2);
    expect(await textOf(somebody().types('/forget'))).toContain('There is nothing of yours to delete');
  });

  it('keeps an opt-out unless that is to go, too', async () => {
    const alice = somebody();
    await replyTo(alice.types('/opt-out'));
    await replyTo(alice.command('voice set', { speed: 1.5 }));
    const first = await replyTo(alice.types('/forget'));
    await (await alice.presses(first, 'Delete')).reply({ until: /^Deleted/ });
    expect(entriesOf([alice], 'opt-outs')).toEqual([alice.id]);
    const second = await replyTo(alice.types('/forget'));
    expect(second.buttons.map(({ label }) => label)).toEqual(['Delete the opt-out', 'Cancel']);
    // The button of before: nothing that it would delete is left.
    const again = await replyTo(alice.forges({ customId: 'forget:me' }));
    expect(again.text).toBe('That was already done: there’s nothing left here to delete.');
    await (await alice.presses(second, 'Delete the opt-out')).reply({ until: /^Deleted/ });
    expect(entriesOf([alice], 'opt-outs')).toEqual([]);
  });

  it('is done by the owner for a member who asks for it, by an id that is not there', async () => {
    const [alice, bob, olga] = [somebody(), somebody(), scene.world.member('olga')];
    const direct = { in: '@bot' };
    await Promise.all([keepsSomething(alice), keepsSomething(bob)]);
    await replyTo(alice.types('/opt-out'));
    const asks = () => replyTo(olga.command('owner forget', { user: alice.id }, direct));
    const asked = await asks();
    expect(asked.text).toMatch(/^Data about @Guest\d+ \(`\d+`\):\nThis will be deleted/);
    expect(asked.text).toContain('- settings from /voice, in 2 places');
    expect(asked.buttons.map(({ label }) => label)).toEqual(['Delete', 'Delete the opt-out, too', 'Cancel']);
    const done = await (await olga.presses(asked, 'Delete')).reply({ until: /Deleted/ });
    expect(done.text).toContain('- settings from /voice, in 2 places');
    expect([entriesOf([alice, bob], 'member-settings').length, entriesOf([alice], 'opt-outs').length]).toEqual([2, 1]);
    await (await olga.presses(await asks(), 'Delete the opt-out')).reply({ until: /Deleted/ });
    expect((await asks()).text).toMatch(/^Data about .*\nThere is nothing to delete\./);
    expect(entriesOf([bob], 'member-settings')).toHaveLength(2);
    // Neither anyone else's to press, nor for a server.
    const forged = { customId: `owner-forget:me ${bob.id}` };
    expect(await textOf(alice.forges(forged))).toContain('This has expired');
    const server = { customId: `owner-forget:server ${scene.world.guildId}`, ...direct };
    expect(await textOf(olga.forges(server))).toContain('This has expired');
  });

  it('with server is for its managers: settings, dictionary and use are deleted, members’ own data stays', async () => {
    const { server } = shared;
    const [alice, olga, here] = [somebody(), server.member('olga'), { id: server.guildId }];
    await keepsSomething(alice);
    await replyTo(olga.command('settings mute', { member: server.member('bob').id }));
    const refused = await replyTo(alice.command('forget', { server: true }));
    const needed = 'You need the Manage Server permission to do that';
    expect(refused.text).toContain(needed);
    expect(await textOf(alice.forges({ customId: 'forget:server' }))).toContain(needed);
    expect(entriesOf([here], 'server-settings')).toEqual([server.guildId]);

    const asked = await replyTo(olga.command('forget', { server: true }));
    expect(asked.text).toContain('settings of this server: 1');
    await (await olga.presses(asked, 'Delete')).reply({ until: /^Deleted/ });
    expect(entriesOf([here], 'server-settings')).toEqual([]);
    expect(entriesOf([alice], 'member-settings')).toHaveLength(2);
  });
});

it('a locked database refuses changes and new texts in words, and shows and speaks what there is', async () => {
  const [alice, olga] = [newGuest(shared.server, 'General'), shared.server.member('olga')];
  await replyTo(alice.types('/say text:Said before'));
  await choose(scene, { creditsPerMember: 500 }, shared);
  const billed = () => scene.service.ledger.charges(100).length;
  const billedBefore = billed();
  const other = new DatabaseSync(join(scene.dataDir, 'crier.sqlite'));
  other.exec('BEGIN EXCLUSIVE');
  const refused = [
    await replyTo(olga.command('settings mute', { member: alice.id })),
    await replyTo(alice.command('voice set', { speed: 1.5 })),
    await replyTo(alice.types('/opt-out')),
    await (await alice.types('/say text:Never said')).reply({ until: ({ ephemeral }) => ephemeral }),
  ];
  for (const { text } of refused) expect(text).toContain('The bot’s database is unavailable');
  expect(await textOf(olga.types('/settings panel'))).toContain('Server settings');
  expect(await textOf(alice.types('/credits'))).toContain('of 500 used today');
  const spoken = await (await alice.types('/say text:Said before')).reply({ until: /Spoken in/ });
  expect(spoken.text).toContain('no credits used');
  expect(billed()).toBe(billedBefore);
  other.exec('ROLLBACK');
  other.close();

  expect(await textOf(olga.command('settings mute', { member: alice.id }))).toContain('(was none)');
  expect(inDatabase(scene, (database) => database.prepare('PRAGMA integrity_check').get())).toEqual({
    integrity_check: 'ok',
  });
});

const removed = ({ bot }: Scene) => bot.logged((line) => line.msg === 'The bot was removed from a server');
const AGED = "UPDATE entries SET value = json_set(value, '$.leftAtMs', ?) WHERE namespace = 'departures'";
const longAgo = (scene: Scene, days: number) =>
  inDatabase(scene, (database) => database.prepare(AGED).run(Date.now() - days * DAY_MS));

it('a server that the bot has left is forgotten after 30 days, over a restart; not after an outage, and not when the bot is back', async () => {
  const scene = await startScene();
  const { world } = scene;
  const [left, back] = [world.newServer('Left'), world.newServer('Back')];
  for (const server of [world, left, back]) {
    await replyTo(server.member('olga').command('settings mute', { member: server.member('bob').id }));
  }
  const kept = () => entries(scene, 'server-settings').sort();
  const all = [world.guildId, left.guildId, back.guildId].sort();
  world.outage()();
  left.removeBot();
  await removed(scene);
  back.removeBot();
  const marked = async (count: number) => expect.poll(() => entries(scene, 'departures').length).toBe(count);
  await marked(2);
  back.inviteBot();
  await marked(1);
  expect(kept()).toEqual(all);

  longAgo(scene, 29.9);
  await scene.restartBot();
  expect(kept()).toEqual(all);
  longAgo(scene, 30);
  await scene.restartBot();
  await scene.bot.logged((line) => /^Deleted the data of a server/.test(line.msg ?? ''));
  expect(kept()).toEqual(all.filter((id) => id !== left.guildId));
  expect(entries(scene, 'departures')).toEqual([]);
});
