import { expect, it } from 'vitest';
import type { Person } from '../../src/playground/world/world.ts';
import type { ServerSettings } from '../../src/services/servers/server-settings.ts';
import { choose, waiting } from './reading.ts';
import { inVoice, replyTo, shareScene, speaking, textOf } from './scene.ts';

const shared = await shareScene();

function bobComes(): Person {
  const bob = inVoice(shared.server, 'bob');
  return bob;
}

const rules = (settings: ServerSettings) => choose(shared.scene, settings, shared);

it('nothing more is heard of what a member asked for who is muted', async () => {
  const { server } = shared;
  const { alice, sent: spoken } = await speaking(server);
  const bob = bobComes();
  const bobs = await bob.types('/say text:Bob is next.');
  const alices = await alice.types('/say text:Alice goes on and on.');
  await expect.poll(() => waiting(bob)).toHaveLength(2);
  await rules({ mutedMembers: [alice.id] });
  expect(await textOf(spoken)).toContain('An admin muted you for this bot.');
  expect(await textOf(alices)).toContain('An admin muted you for this bot.');
  expect(await textOf(bobs)).toContain('Spoken in #General');
});

it('what was spoken for a member who is muted then is not spoken again', async () => {
  const { alice, sent } = await speaking(shared.server, 'Something rude.');
  const spoken = await sent.reply();
  const bob = bobComes();
  await rules({ mutedMembers: [alice.id] });
  expect((await replyTo(bob.presses(spoken, 'Replay'))).text).toContain('This one is gone');
});

it('a muted member cannot send the bot away', async () => {
  const { alice } = await speaking(shared.server, 'Hello.');
  await rules({ mutedMembers: [alice.id], allowedChannels: ['123456789012345678'] });
  expect((await replyTo(alice.types('/leave'))).text).toBe('An admin muted you for this bot.');
  await rules({ allowedChannels: ['123456789012345678'] });
  expect((await replyTo(alice.types('/leave'))).text).toBe('Left #General.');
});

it('a word that is blocked is heard from no text that waits', async () => {
  const { alice, sent } = await speaking(shared.server);
  const bob = bobComes();
  const bobs = await bob.types('/say text:A kumquat it is.');
  await expect.poll(() => waiting(bob)).toHaveLength(1);
  await rules({ blockedWords: ['kumquat'], blockedWordsMode: 'bleep' });
  expect(await textOf(bobs)).toContain('the server blocks “kumquat”');
  await alice.types('/stop');
  expect(await textOf(sent)).toContain('Stopped early');
});

it('a text with a word that was blocked since is neither spoken again nor saved', async () => {
  const { alice, sent } = await speaking(shared.server, 'A durian it is.');
  const spoken = await sent.reply();
  await rules({ blockedWords: ['durian'] });
  for (const again of [
    alice.presses(spoken, 'Replay'),
    alice.presses(spoken, 'Save as file'),
    alice.types('/replay'),
  ]) {
    expect((await replyTo(again)).text).toContain('the server blocks “durian”');
  }
  await rules({});
  expect((await replyTo(alice.types('/replay'))).text).toContain('Replayed in');
});
