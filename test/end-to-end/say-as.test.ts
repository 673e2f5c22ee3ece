import { describe, expect, it } from 'vitest';
import type { Person } from '../../src/playground/world/world.ts';
import { choose } from './reading.ts';
import { LONG, newGuest, sceneOfFile, startScene, textOf } from './scene.ts';

const scene = await sceneOfFile({ env: { DIRECT_USE: 'on' } });
// No test waits for the bot to leave.
await choose(scene, { aloneSeconds: 0 });

const somebody = (channel?: string): Person => newGuest(scene.world, channel);

describe('/say as a file or voice message', () => {
  it('attaches the audio, for a member in no voice channel', async () => {
    const ann = somebody();
    const channel = scene.world.channel('General').id;
    const reply = await (await ann.command('say', { text: 'Keep this.', as: 'file', channel })).reply();
    expect(reply.text).toContain('Keep this.');
    expect(reply.text).toContain('The channel option was ignored');
    expect(reply.text).toMatch(/credits? used/);
    const [file] = reply.files;
    expect(file?.name).toMatch(/^speech\.(wav|mp3)$/);
    expect(file?.size).toBeGreaterThan(10_000);
    expect(file?.description).toBe('Keep this.');
  });

  it('sends a native voice message, with the credits in a second one that only the caller sees', async () => {
    const ann = somebody();
    const sent = await ann.types('/say text:Hear this. as:voice-message');
    const facts = await sent.reply({ until: /Sent with/ });
    expect(facts.ephemeral).toBe(true);
    expect(facts.text).toMatch(/credits? used/);
    const message = sent.replies.find(({ voiceMessage }) => voiceMessage);
    expect(message?.ephemeral).toBe(false);
    expect(message?.files[0]?.durationSeconds).toBeGreaterThan(0.3);
    expect(message?.files[0]?.waveform?.length).toBeGreaterThan(4);
  });

  it('gives a file, with the credits and why, where Discord takes no voice message from the bot', async () => {
    const ann = somebody();
    const general = scene.world.channel('general');
    general.denyBot('SendVoiceMessages');
    const reply = await (await ann.types('/say text:Hear this anyway. as:voice-message')).reply();
    general.allowBot('SendVoiceMessages');
    expect(reply).toMatchObject({ voiceMessage: false, ephemeral: false, files: [{ name: 'voice-message.ogg' }] });
    expect(reply.text).toMatch(/credits? used/);
    expect(reply.text).toContain('the bot needs the Send Voice Messages permission');
  });

  it('works in direct messages and where the bot is not, once the owner has enabled that', async () => {
    const ann = somebody();
    ann.installsApp();
    const direct = await ann.types('/say text:Just for me.', { in: '@bot' });
    await direct.reply({ until: /Sent with/ });
    expect(direct.replies.some(({ voiceMessage }) => voiceMessage)).toBe(true);
    const voice = await (await ann.types('/say text:Out loud. as:voice', { in: '@bot' })).reply();
    expect(voice.text).toContain('There is no voice channel here');
    const help = await (await ann.types('/help', { in: '@bot' })).reply();
    expect(help.text).toContain('Type /say: the bot replies with a voice message');
    expect(help.text).not.toContain('/settings');
    const group = await ann.types('/say text:For us two. as:file', { in: '@bob' });
    expect((await group.reply()).files).toHaveLength(1);
  });

  it('is kept out of direct messages otherwise', async () => {
    const { world } = await startScene();
    const alice = world.member('alice');
    expect(alice.seesCommands({ in: '@bot' }).map(({ name }) => name)).not.toContain('say');
    const forced = await alice.forcesCommand('say', { text: 'Hello' }, { in: '@bot' });
    expect(await textOf(forced)).toContain('hasn’t enabled it for direct messages');
  });
});

it('/say in another channel speaks there for a requester with permission to speak there', async () => {
  const [ann, ben] = [somebody(), somebody('Lounge')];
  const reply = await (await ann.types('/say text:Over there. channel:Lounge')).reply();
  expect(reply.text).toContain('Spoken in #Lounge');
  expect(ben.listener.heard().seconds).toBeGreaterThan(0.3);
  ben.leaves();
  await scene.world.channel('Lounge').hasBot(false);
});

describe('the form for a long text', () => {
  it('opens without a text, shows the cost first, and speaks it in parts', async () => {
    const ann = somebody('General');
    const modal = await (await ann.types('/say')).modal();
    expect(modal.title).toBe('Speak a long text');
    const sentences = Array.from({ length: 12 }, (_, index) => `This is sentence number ${index + 1} of a long text.`);
    const text = sentences.join(' ');
    const sent = await ann.submits(modal, { text });
    const speaking = await sent.reply({ until: /Speaking part \d of 3/ });
    expect(speaking.text).toMatch(/\d+ characters billed, in 3/);
    await ann.listener.audible(2);
    await ann.presses(speaking, 'Stop');
    expect(await textOf(sent, /Stopped early/)).toContain('sentence number 1');
    ann.leaves();
    await scene.world.channel('General').hasBot(false);
  });

  it('asks before it becomes dear, and then speaks once however often it is pressed', async () => {
    const ann = somebody();
    const modal = await (await ann.types('/say as:file')).modal();
    const sent = await ann.submits(modal, { text: 'One more word. '.repeat(75) });
    const question = await sent.reply();
    // In four parts: the spaces between them are in none.
    expect(question.text).toMatch(/1,121 characters will be billed/);
    expect(question.ephemeral).toBe(true);
    const pressed = await ann.presses(question, 'Create the file');
    expect((await pressed.reply({ timeoutMs: 55_000 })).files).toHaveLength(1);
    expect(await textOf(ann.presses(question, 'Create the file'))).toBe('You’ve already answered this one.');
  });
});

it('the buttons of a reply skip the current item, for its requester alone; then speak it again and save it', async () => {
  const [ann, ben] = [somebody('General'), somebody('General')];
  const sent = await ann.types(`/say text:${LONG}`);
  // All of its sound is there by then.
  await ann.listener.audible(2);
  const speaking = await sent.reply({ until: /Speaking in/ });
  expect(speaking.buttons.map(({ label }) => label)).toEqual(['Skip', 'Stop']);
  expect(await textOf(ben.presses(speaking, 'Skip'))).toContain('’s text. Only they');
  expect(await textOf(ann.presses(speaking, 'Skip'))).toContain('Skipped');
  const over = await sent.reply({ until: /Stopped early/ });
  expect(over.buttons.map(({ label }) => label)).toEqual(['Replay', 'Save as file']);
  expect((await (await ann.presses(over, 'Save as file')).reply()).files).toHaveLength(1);
  expect(await textOf(ann.forges({ customId: 'skip:made-up' }))).toContain('This has expired');
  for (const one of [ann, ben]) one.leaves();
  await scene.world.channel('General').hasBot(false);
});

it('no reply was edited more often than Discord allows', () => {
  expect(scene.world.rateLimitHits).toEqual([]);
});
