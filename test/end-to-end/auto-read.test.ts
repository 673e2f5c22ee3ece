import { expect, it } from 'vitest';
import type { Person } from '../../src/playground/world/world.ts';
import type { ServerSettings } from '../../src/services/servers/server-settings.ts';
import { choose, READS, waiting } from './reading.ts';
import { expectSameSpeech, LONG, newGuest, openScene, replyTo, shareScene, speaking, startScene } from './scene.ts';

/** A message that is read, after which all before it have been decided upon. */
const LAST = 'That was all.';

const shared = await shareScene(READS);
const { scene } = shared;

const channel = (name: string) => shared.server.channel(name);
const chosen = (settings: ServerSettings = {}) =>
  choose(scene, { autoReadChannels: [channel('general').id], autoReadOnlyInVoice: false, ...settings }, shared);
const guest = (nick: string, options = {}) => newGuest(shared.server, undefined, { nick, ...options });

/** Somebody who is spoken for so long that all other texts are queued. */
const speaker = async (): Promise<Person> => (await speaking(shared.server, `${LONG} ${LONG}`)).alice;
/** What is queued, without its author. */
const wordsOf = async (asker: Person) => (await waiting(asker)).map((line) => line.replace(/^\S+ /u, ''));

it('messages of a chosen channel are heard in their author’s channel, with the name when the author changes', async () => {
  await chosen();
  // The welcome.
  const botMessages = () => channel('general').messages.filter(({ author }) => author === 'Crier');
  await expect.poll(botMessages).toHaveLength(1);
  const [ann, ben] = [guest('Ann'), guest('Ben')];
  ann.joins('General');
  for (const [who, written, heard] of [
    [ann, 'Good evening!', 'Ann says: Good evening!'],
    [ann, 'Is anybody here?', 'Is anybody here?'],
    [ben, 'I am, from afar.', 'Ben says: I am, from afar.'],
  ] as const) {
    ann.listener.clear();
    who.says(written);
    const speech = await ann.listener.utterance();
    expect(speech.endToEndEncrypted).toBe(true);
    expectSameSpeech(speech, await scene.said(heard));
  }
  expect(botMessages()).toHaveLength(1);
  const line = await scene.bot.logged(
    ({ msg, userId }) => msg === 'Finished or stopped reading a message aloud' && userId === ben.id,
  );
  expect(line).toMatchObject({ textChannelId: channel('general').id, outcome: 'finished', voice: 'aria' });
  expect(JSON.stringify(line)).not.toContain('from afar');
});

it('messages are not read where reading is off', async () => {
  const [ann, muted, outsider] = [guest('Ann'), guest('Muted'), guest('Out')];
  await chosen({ mutedMembers: [muted.id], blockedWords: ['dragon'] });
  await replyTo(outsider.types('/opt-out'));
  const asker = await speaker();
  ann.says('@silent Not this.');
  ann.says('!play something');
  ann.says('I like dragons, and a dragon.');
  muted.says('Nor me.');
  outsider.says('Nor me.');
  guest('Robot', { bot: true }).says('Nor a bot.');
  shared.server.webhookSays('News', 'Nor a webhook.');
  ann.says('Nor elsewhere.', { in: 'General' });
  ann.says(LAST);
  await expect.poll(() => wordsOf(asker), { interval: 300 }).toEqual([`Ann says: ${LAST}`]);
  await replyTo(outsider.types('/opt-out back:True'));
  outsider.says('I am back.');
  await expect.poll(() => wordsOf(asker), { interval: 300 }).toContain('Out says: I am back.');
});

it('messages are withdrawn when they are deleted, read as edited, and withdrawn when their author opts out', async () => {
  await chosen({ autoReadNames: 'never' });
  const [asker, ann, ben] = [await speaker(), guest('Ann'), guest('Ben')];
  const expectWords = (...words: string[]) => expect.poll(() => wordsOf(asker), { interval: 400 }).toEqual(words);
  const first = ann.says('A first one.');
  ben.says('A second one.');
  const third = ann.says('A third won.');
  await expectWords('A first one.', 'A second one.', 'A third won.');
  ann.deletes(first);
  await expectWords('A second one.', 'A third won.');
  ann.edits(third, 'A third one.');
  await expectWords('A second one.', 'A third one.');
  await replyTo(ben.types('/opt-out'));
  await expectWords('A third one.');
});

it('messages are read of the chat of the channel that /join brought the bot to, until a button stops it', async () => {
  await chosen({ autoReadNames: 'never' });
  const ann = guest('Ann');
  ann.joins('General');
  const joined = await replyTo(ann.types('/join'));
  expect(joined.text).toContain('Messages in the chat of #General are read aloud while the bot is there.');
  ann.says('In the chat.', { in: 'General' });
  expectSameSpeech(await ann.listener.utterance(), await scene.said('In the chat.'));
  const stopped = await replyTo(ann.presses(joined, 'Don’t read the chat'), /no longer/);
  expect(stopped.text).toContain('The chat of #General is no longer read aloud.');
  expect(stopped.buttons).toEqual([]);
  ann.listener.clear();
  ann.says('Not this one.', { in: 'General' });
  await ann.types('/say text:This one.');
  expectSameSpeech(await ann.listener.utterance(), await scene.said('This one.'));
});

it('messages are read after a restart, an outage and a lost connection as before', async () => {
  await chosen({ autoReadNames: 'never' });
  const ann = guest('Ann');
  ann.joins('General');
  await scene.restartBot();
  const end = shared.server.outage();
  ann.says('During the outage.');
  end();
  ann.says('After all that.');
  expectSameSpeech(await ann.listener.utterance(), await scene.said('After all that.'));
  ann.listener.clear();
  scene.world.faults.dropGateway();
  ann.says('And again.');
  expectSameSpeech(await ann.listener.utterance(), await scene.said('And again.'));
});

it('without the intent, nothing is read unless the owner has switched it on, and everything else works', async () => {
  const scene = await startScene({ world: { privilegedIntents: ['MessageContent'] } });
  const alice = scene.world.member('alice');
  await choose(scene, { autoReadChannels: [scene.world.channel('general').id] });
  alice.joins('General');
  alice.says('Read this.');
  await alice.types('/say text:Only this.');
  expectSameSpeech(await alice.listener.utterance(), await scene.said('Only this.'));
});

it('the bot ends with what to do when Discord does not let it read', async () => {
  const starting = openScene({ env: { READ_MESSAGES: 'on' } });
  await expect(starting).rejects.toThrow(/Message Content Intent/);
});
