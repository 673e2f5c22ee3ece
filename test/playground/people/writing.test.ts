import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createManualClock, startWorld, type World } from '../../../src/playground/world/world.ts';
import { connect, INTENTS, identity, logIn, type RawGateway } from '../raw-client.ts';

let world: World;
const clock = createManualClock();

beforeEach(async () => {
  world = await startWorld({ clock, privilegedIntents: ['MessageContent'] });
});
afterEach(() => world.close());

const reading = () => logIn(world, { intents: INTENTS.guilds | INTENTS.guildMessages | INTENTS.messageContent });
const written = async (gateway: RawGateway) => (await gateway.event('MESSAGE_CREATE')).d;

// https://discord.com/developers/docs/events/gateway#message-content-intent
describe('people’s messages reach the bot', () => {
  it.each(['general', 'General', 'Stage', 'Topic'])('from %s', async (place) => {
    world.newThread('general', 'Topic');
    const gateway = await reading();
    world.member('alice').says('hello', { in: place });
    expect(await written(gateway)).toMatchObject({ content: 'hello', channel_id: world.channel(place).id });
  });

  it('without its words where the intent is missing, unless the bot is mentioned or answered', async () => {
    const gateway = await logIn(world);
    const alice = world.member('alice');
    alice.says('private', { files: [{ name: 'a.txt', bytes: Buffer.from('x') }] });
    expect(await written(gateway)).toMatchObject({ content: '', attachments: [] });
    alice.says('hello @Crier');
    expect((await gateway.next(({ d }) => d?.mentions?.length === 1)).d.content).toBe(`hello <@${world.bot.userId}>`);
  });

  it('as a forward with the original, and as a bot’s reply that it fills in later', async () => {
    const gateway = await reading();
    const original = world
      .member('alice')
      .says('look', { in: 'General', files: [{ name: 'a.txt', bytes: Buffer.from('x') }] });
    const forward = world.member('bob').says('', { forwards: original });
    const came = async (id: string) => (await gateway.next(({ d }) => d?.id === id)).d;
    expect(await came(forward.messageId)).toMatchObject({
      content: '',
      message_reference: { type: 1, message_id: original.messageId, channel_id: original.channelId },
      message_snapshots: [{ message: { content: 'look', attachments: [{ filename: 'a.txt' }] } }],
    });
    const robot = world.newMember('robot', { bot: true });
    const deferred = robot.says('', { thinking: true });
    expect(await came(deferred.messageId)).toMatchObject({ content: '', flags: 1 << 7 });
    robot.edits(deferred, 'Beep.');
    expect((await gateway.event('MESSAGE_UPDATE')).d).toMatchObject({
      content: 'Beep.',
      flags: 0,
      edited_timestamp: null,
    });
  });

  it('not at all without the GuildMessages intent, or where it sees nothing', async () => {
    const gateway = await logIn(world, { intents: INTENTS.guilds });
    world.member('alice').says('x');
    const seeing = await logInLater();
    world.channel('general').denyBot('ViewChannel');
    world.member('alice').says('y');
    world.newChannel('after', 'text');
    for (const session of [gateway, seeing]) {
      await session.event('CHANNEL_CREATE');
      expect(session.received.some(({ t }) => t === 'MESSAGE_CREATE')).toBe(false);
    }
  });

  async function logInLater() {
    clock.advance(5_000);
    return reading();
  }

  it('never with an intent that is not switched on: 4014', async () => {
    const strict = await startWorld({ clock });
    const gateway = await connect(strict);
    gateway.send(2, identity(strict, { intents: INTENTS.guildMessages | INTENTS.messageContent }));
    expect(await gateway.closed()).toBe(4014);
    await strict.close();
  });
});

describe('a message', () => {
  it('replies, and pings the author it answers unless told otherwise', async () => {
    const gateway = await reading();
    const question = world.member('alice').says('who?');
    const reply = world.member('bob').says('me', { replyTo: question });
    expect(reply.repliesTo).toBe(question.messageId);
    expect((await gateway.next(({ d }) => d?.type === 19)).d).toMatchObject({
      mentions: [{ username: 'alice' }],
      referenced_message: { content: 'who?' },
    });
    world.member('bob').says('quietly', { replyTo: question, ping: false });
    expect((await gateway.next(({ d }) => d?.content === 'quietly')).d.mentions).toEqual([]);
  });

  it('names people, roles and channels as the client completes them', () => {
    world.giveRole('bob', 'Readers');
    const { content, text } = world.member('alice').says('@Bob @Readers look at #general, not a@bob.example');
    expect(content).toMatch(/^<@\d+> <@&\d+> look at <#\d+>, not a@bob\.example$/);
    expect(text).toBe('@Bob @Readers look at #general, not a@bob.example');
  });

  it('is silent after @silent', async () => {
    const gateway = await reading();
    expect(world.member('alice').says('@silent psst')).toMatchObject({ content: 'psst', silent: true });
    expect((await written(gateway)).flags).toBe(1 << 12);
  });

  it('carries files, stickers, embeds, or a recorded voice', async () => {
    const gateway = await reading();
    const file = { name: 'voice.ogg', bytes: Buffer.from('OggS'), contentType: 'audio/ogg', durationSeconds: 3 };
    const text = { name: 'a.txt', bytes: Buffer.from('a'), contentType: 'text/plain' };
    world.member('alice').says('', { stickers: ['Wave'], embeds: [{ title: 'News' }], files: [file, text] });
    const { sticker_items, embeds, attachments } = await written(gateway);
    expect({ sticker_items, embeds }).toMatchObject({ sticker_items: [{ name: 'Wave' }], embeds: [{ title: 'News' }] });
    // Discord measures all audio and video; only a voice message has a waveform.
    expect(attachments).toMatchObject([{ filename: 'voice.ogg', size: 4, duration_secs: 3 }, { filename: 'a.txt' }]);
    expect(attachments[0]).not.toHaveProperty('waveform');
    expect(attachments[1]).not.toHaveProperty('duration_secs');
    const spoken = world.member('alice').says('', { files: [file], voiceMessage: { durationSeconds: 2 } });
    expect(spoken).toMatchObject({ voiceMessage: true, lines: ['[voice message: 2 s]'] });
  });

  it('is edited by its author, and deleted by its author or a moderator', async () => {
    const gateway = await reading();
    const message = world.member('alice').says('helo');
    expect(() => world.member('bob').edits(message, 'x')).toThrow(/did not write/);
    expect(() => world.member('bob').deletes(message)).toThrow(/did not write/);
    expect(world.member('alice').edits(message, 'hello')).toMatchObject({ content: 'hello', edited: true });
    expect((await gateway.event('MESSAGE_UPDATE')).d.content).toBe('hello');
    world.member('olga').deletes(message);
    expect((await gateway.event('MESSAGE_DELETE')).d.id).toBe(message.messageId);
  });

  it('is purged by moderators, many at once, which is told once for each channel', async () => {
    const gateway = await reading();
    const alice = world.member('alice');
    const [one, two] = [alice.says('one'), alice.says('two')];
    const elsewhere = alice.says('three', { in: 'General' });
    expect(() => world.member('bob').purges([one, two])).toThrow(/may not delete/);
    world.member('olga').purges([one, elsewhere, two]);
    const told = async (channel: string) =>
      (await gateway.next(({ t, d }) => t === 'MESSAGE_DELETE_BULK' && d.channel_id === world.channel(channel).id)).d;
    expect(await told('general')).toMatchObject({ ids: [one.messageId, two.messageId], guild_id: world.guildId });
    expect(await told('General')).toMatchObject({ ids: [elsewhere.messageId] });
    expect(() => alice.looksAt(one)).toThrow('no longer exists');
  });

  it('comes from other bots and webhooks too', async () => {
    const gateway = await reading();
    world.newMember('quizbot', { bot: true }).says('Question 1');
    expect((await written(gateway)).author).toMatchObject({ username: 'quizbot', bot: true });
    expect(world.webhookSays('Build', 'passed')).toMatchObject({ author: 'Build', content: 'passed' });
    const { d } = await gateway.next(({ d }) => d?.webhook_id !== undefined);
    expect(d.author).toMatchObject({ id: d.webhook_id, username: 'Build', bot: true, discriminator: '0000' });
    expect(d).not.toHaveProperty('member');
  });

  it('may be in a private thread, which is of a type of its own', async () => {
    const gateway = await reading();
    const { id } = world.newThread('general', 'Secret', { private: true });
    expect((await gateway.event('THREAD_CREATE')).d).toMatchObject({ id, type: 12 });
    world.member('alice').says('psst', { in: 'Secret' });
    expect(await written(gateway)).toMatchObject({ content: 'psst', channel_id: id });
  });

  it('needs the permission to write, in threads one of its own', () => {
    world.newThread('general', 'Topic');
    world.channel('general').setOverwrite('@everyone', { deny: ['SendMessages'] });
    expect(() => world.member('alice').says('x')).toThrow(/may not write/);
    world.member('alice').says('x', { in: 'Topic' });
    expect(() => world.member('alice').says('x'.repeat(2_001), { in: 'Topic' })).toThrow(/too long/);
  });

  it('stands in the posts of a forum, not in the forum', () => {
    world.newChannel('help', 'forum');
    world.newThread('help', 'A question');
    expect(() => world.member('alice').says('x', { in: 'help' })).toThrow(/holds posts/);
    expect(world.member('alice').says('x', { in: 'A question' })).toMatchObject({ content: 'x' });
  });
});
