import { afterEach, describe, expect, it } from 'vitest';
import type { Person } from '../../src/playground/world/world.ts';
import { LONG, newGuest, replyTo, shareScene, startScene, textOf } from './scene.ts';

const shared = await shareScene({ env: { DIRECT_USE: 'on' } });
const somebody = (channel?: string): Person => newGuest(shared.server, channel);
afterEach(() => {
  // No reply was edited more often than Discord allows.
  expect(shared.scene.world.rateLimitHits).toEqual([]);
});

describe('/say as a file or voice message', () => {
  it('attaches the audio, for a member in no voice channel', async () => {
    const ann = somebody();
    const channel = shared.server.channel('General').id;
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
    const general = shared.server.channel('general');
    general.denyBot('SendVoiceMessages');
    const reply = await (await ann.types('/say text:Hear this anyway. as:voice-message')).reply();
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
    const voice = await textOf(ann.types('/say text:Out loud. as:voice', { in: '@bot' }));
    expect(voice).toContain('There is no voice channel here');
    const help = await textOf(ann.types('/help', { in: '@bot' }));
    expect(help).toContain('Type /say: the bot replies with a voice message');
    expect(help).not.toContain('/settings');
    const group = await replyTo(ann.types('/say text:For us two. as:file', { in: '@bob' }));
    expect(group.files).toHaveLength(1);
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
});

describe('the form for a long text', () => {
  it('opens without a text, shows the cost first, and speaks it in parts', async () => {
    const ann = somebody('General');
    const modal = await (await ann.types('/say')).modal();
    expect(modal.title).toBe('Speak a long text');
    const sentences = Array.from({ length: 12 }, (_, index) => `This is sentence number ${index + 1} of a long text.`);
    const sent = await ann.submits(modal, { text: sentences.join(' ') });
    const speaking = await sent.reply({ until: /Speaking part \d of 3/ });
    expect(speaking.text).toMatch(/\d+ characters billed, in 3/);
    await ann.listener.audible(2);
    await ann.presses(speaking, 'Stop');
    expect(await textOf(sent, /Stopped early/)).toContain('sentence number 1');
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
});
