import { expect, it } from 'vitest';
import type { ServerSettings } from '../../src/services/servers/server-settings.ts';
import { choose, waiting } from './reading.ts';
import { inVoice, shareScene, speaking, textOf } from './scene.ts';

const shared = await shareScene();

const rules = (settings: ServerSettings) => choose(shared.scene, settings, shared);

it('nothing more is heard of what a member asked for who is muted', async () => {
  const { server } = shared;
  const { alice, sent: spoken } = await speaking(server);
  const bob = inVoice(shared.server, 'bob');
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
  const bob = inVoice(shared.server, 'bob');
  await rules({ mutedMembers: [alice.id] });
  expect(await textOf(bob.presses(spoken, 'Replay'))).toContain('This one is gone');
});

it('a muted member cannot send the bot away', async () => {
  const { alice } = await speaking(shared.server, 'Hello.');
  await rules({ mutedMembers: [alice.id], allowedChannels: ['123456789012345678'] });
  expect(await textOf(alice.types('/leave'))).toBe('An admin muted you for this bot.');
  await rules({ allowedChannels: ['123456789012345678'] });
  expect(await textOf(alice.types('/leave'))).toBe('Left #General.');
});

it('a word that is blocked is heard from no text that waits', async () => {
  const { alice, sent } = await speaking(shared.server);
  const bob = inVoice(shared.server, 'bob');
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
    expect(await textOf(again)).toContain('the server blocks “durian”');
  }
  await rules({});
  expect(await textOf(alice.types('/replay'))).toContain('Replayed in');
});
