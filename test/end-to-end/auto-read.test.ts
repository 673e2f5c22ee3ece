import { afterEach, expect, it } from 'vitest';
import type { Person } from '../../src/playground/world/world.ts';
import type { ServerSettings } from '../../src/services/servers/server-settings.ts';
import { choose, READS, waiting, whileSpeaking } from './reading.ts';
import { expectSameSpeech, newGuest, openScene, sceneOfFile, startScene } from './scene.ts';

/** A message that is read, after which all before it have been decided upon. */
const LAST = 'That was all.';

const scene = await sceneOfFile(READS);
const people: Person[] = [];
/** All people and the bot leave. */
afterEach(async () => {
  for (const person of people.splice(0)) if (person.voiceChannel !== undefined) person.leaves();
  for (const name of ['General', 'Stage']) await scene.world.channel(name).hasBot(false);
});

const channelId = (name: string) => scene.world.channel(name).id;
const chosen = (settings: ServerSettings = {}) =>
  // No test waits for the bot to leave.
  choose(scene, {
    autoReadChannels: [channelId('general')],
    autoReadOnlyInVoice: false,
    aloneSeconds: 0,
    ...settings,
  });

function guest(name = 'Guest'): Person {
  const person = newGuest(scene.world, undefined, { nick: name });
  people.push(person);
  return person;
}

/** The posted messages that are queued while another text is spoken. */
async function readOf(post: (author: Person) => void | Promise<void>): Promise<string[]> {
  let read: string[] = [];
  await whileSpeaking(scene, async (speaker) => {
    const author = guest('Ann');
    await post(author);
    const last = guest('Last');
    last.says(LAST);
    await expect.poll(async () => (await waiting(speaker)).at(-1), { interval: 300 }).toContain(LAST);
    read = await waiting(speaker);
  });
  return read.slice(0, -1).map((line) => line.replace(/^\S+ /u, ''));
}

it('messages of a chosen channel are heard in their author’s channel, with the name when the author changes', async () => {
  await chosen();
  const botMessages = () => scene.world.channel('general').messages.filter(({ author }) => author === 'Crier').length;
  const before = botMessages();
  const ann = guest('Ann');
  const ben = guest('Ben');
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
  expect(botMessages()).toBe(before);
  const line = await scene.bot.logged(
    ({ msg, userId }) => msg === 'Finished or stopped reading a message aloud' && userId === ben.id,
  );
  expect(line).toMatchObject({ textChannelId: channelId('general'), outcome: 'finished', voice: 'aria' });
  expect(JSON.stringify(line)).not.toContain('from afar');
});

it('messages are not read where reading is off', async () => {
  const muted = guest('Muted');
  const outsider = guest('Out');
  await chosen({ mutedMembers: [muted.id], blockedWords: ['dragon'] });
  await (await outsider.types('/opt-out')).reply();
  const otherBot = newGuest(scene.world, undefined, { bot: true });
  const read = await readOf((ann) => {
    ann.says('@silent Not this.');
    ann.says('!play something');
    ann.says('I like dragons, and a dragon.');
    muted.says('Nor me.');
    outsider.says('Nor me.');
    otherBot.says('Nor a bot.');
    scene.world.webhookSays('News', 'Nor a webhook.');
    ann.says('Nor elsewhere.', { in: 'General' });
  });
  expect(read).toEqual([]);
  await (await outsider.types('/opt-out back:True')).reply();
  expect(await readOf(() => void outsider.says('I am back.'))).toEqual(['Out says: I am back.']);
});

it('messages are withdrawn when they are deleted, read as edited, and withdrawn when their author opts out', async () => {
  await chosen({ autoReadNames: 'never' });
  await whileSpeaking(scene, async (speaker) => {
    const ann = guest('Ann');
    const ben = guest('Ben');
    const first = ann.says('A first one.');
    ben.says('A second one.');
    const third = ann.says('A third won.');
    const words = async () => (await waiting(speaker)).map((line) => line.replace(/^\S+ /u, ''));
    await expect.poll(words, { interval: 400 }).toHaveLength(3);
    ann.deletes(first);
    await expect.poll(words, { interval: 400 }).toEqual(['A second one.', 'A third won.']);
    ann.edits(third, 'A third one.');
    await expect.poll(words, { interval: 400 }).toEqual(['A second one.', 'A third one.']);
    await (await ben.types('/opt-out')).reply();
    await expect.poll(words, { interval: 400 }).toEqual(['A third one.']);
  });
});

it('messages are read of the chat of the channel that /join brought the bot to, until a button stops it', async () => {
  await chosen({ autoReadNames: 'never' });
  const ann = guest('Ann');
  ann.joins('General');
  const joined = await (await ann.types('/join')).reply();
  expect(joined.text).toContain('Messages in the chat of #General are read aloud while the bot is there.');
  ann.says('In the chat.', { in: 'General' });
  expectSameSpeech(await ann.listener.utterance(), await scene.said('In the chat.'));
  const stopped = await (await ann.presses(joined, 'Don’t read the chat')).reply({ until: /no longer/ });
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
  const end = scene.world.outage();
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
