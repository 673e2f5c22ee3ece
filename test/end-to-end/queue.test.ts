import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Person, SentInteraction } from '../../src/playground/world/world.ts';
import { openScene, type Scene } from './scene.ts';
import { LONG } from './speaking.ts';

const ANSWERED = { timeoutMs: 30_000 };

let scene: Scene;
const people: Person[] = [];
let guests = 0;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene.close());
/** Leaves nothing for the next test: an empty channel and an empty queue. */
afterEach(async () => {
  const olga = scene.world.member('olga');
  await (await olga.types('/leave')).reply(ANSWERED);
  for (const person of people.splice(0)) if (person.voiceChannel !== undefined) person.leaves();
});

/** A member without earlier commands, in General. */
function somebody(): Person {
  guests += 1;
  const person = scene.world.newMember(`guest${guests}`);
  people.push(person);
  person.joins('General');
  return person;
}

const textOf = async (sent: SentInteraction) => (await sent.reply(ANSWERED)).text;

describe('the queue of a server', () => {
  it('takes turns between members, shows the queued items, and lets each skip their own', async () => {
    const [ann, ben] = [somebody(), somebody()];
    const first = await ann.types(`/say text:${LONG}`);
    await ann.listener.audible(1, ANSWERED);
    const second = await ann.types('/say text:Ann’s second text.');
    const third = await ann.types('/say text:Ann’s third text.');
    const bens = await ben.types('/say text:Ben’s only text.');
    const lines = async () => (await (await ben.types('/queue')).reply(ANSWERED)).content.split('\n');
    await expect.poll(lines, { timeout: 10_000 }).toHaveLength(4);
    const [now, ...waiting] = await lines();
    expect(now).toContain('This text is long enough');
    expect(waiting[0]).toMatch(/^1\. <@\d+>: “Ben’s only text\.” \(in about 0:0\d\)$/);
    expect(waiting[1]).toContain('2. ');
    expect(waiting[1]).toContain('Ann’s second text.');
    expect(waiting[2]).toContain('Ann’s third text.');

    expect(await textOf(await ben.types('/skip'))).toMatch(/to @Guest\d+’s text/);
    expect(await textOf(await ann.types('/skip position:3'))).toBe('Removed from the queue: “Ann’s third text.”');
    expect(await textOf(third)).toContain('Removed from the queue: “Ann’s third text.”');
    const removed = await scene.bot.logged(({ outcome, userId }) => outcome === 'removed' && userId === ann.id, 5_000);
    expect(removed).toMatchObject({ msg: 'Command', command: 'say', userId: ann.id });
    expect(await textOf(await ann.types('/skip'))).toContain('Skipped: “This text is long enough');
    expect(await textOf(first)).toContain('Stopped early');
    expect(await textOf(bens)).toContain('Spoken in');
    expect(await textOf(second)).toContain('Spoken in');
    expect(await textOf(await ben.types('/queue'))).toContain('The queue is empty.');
  });

  it('tells a member whose text a moderator took out of the queue who that was', async () => {
    const [ann, moderator] = [somebody(), scene.world.member('olga')];
    const first = await ann.types(`/say text:${LONG}`);
    await ann.listener.audible(1, ANSWERED);
    await textOf(await moderator.types('/pause'));
    const second = await ann.types('/say text:Ann’s second text.');
    const queued = async () => textOf(await moderator.types('/queue'));
    await expect.poll(queued, { timeout: 10_000 }).toContain('Ann’s second text.');
    await textOf(await moderator.types('/skip position:1'));
    expect((await second.reply(ANSWERED)).content).toContain(
      `Removed from the queue by <@${moderator.id}>: “Ann’s second text.”`,
    );
    await textOf(await moderator.types('/skip'));
    expect((await first.reply(ANSWERED)).content).toContain(`Stopped early by <@${moderator.id}>, in `);
  });

  it('refuses a text that is already waiting or being spoken, and speaks it again once it was heard', async () => {
    const ann = somebody();
    const first = await ann.types(`/say text:${LONG}`);
    const again = await textOf(await ann.types(`/say text:${LONG}`));
    await ann.listener.audible(1, ANSWERED);
    expect(again).toContain('That text is already in the queue');
    expect(await textOf(await ann.types(`/say text:${LONG}`))).toContain('That text is already in the queue');
    await textOf(await ann.types('/stop'));
    expect(await textOf(first)).toContain('Stopped early');
    const hello = await ann.types('/say text:Hello? Can anybody in this channel hear me?');
    expect(await textOf(hello)).toContain('Spoken in');
    expect(await textOf(await ann.types('/say text:Hello? Can anybody in this channel hear me?'))).toContain(
      'Spoken in',
    );
  });

  it('/stop ends one’s own texts where one is not, and nobody else’s', async () => {
    somebody();
    const [bob, carol] = [scene.world.newMember('outsider'), scene.world.newMember('passer-by')];
    const said = await bob.types('/say text:This goes on and on and on, until somebody stops it. channel:General');
    await scene.world.channel('General').hasBot(true, ANSWERED);
    expect(await textOf(await carol.types('/stop'))).toMatch(/outsider/i);
    expect(await textOf(await bob.types('/stop'))).toBe('Stopped.');
    expect(await textOf(said)).toContain('Stopped');
  });

  it('/stop ends a text that was asked for a moment before it', async () => {
    const ann = somebody();
    const said = await ann.types('/say text:Taken back at once.');
    const stop = await ann.types('/stop');
    expect(await textOf(said)).toMatch(/^Stopped: “Taken back at once.”/);
    expect(await textOf(stop)).toMatch(/^(Stopped\.|Nothing is being spoken right now\.)$/);
  });

  it('a moderator may skip others’ items', async () => {
    const ann = somebody();
    const said = await ann.types(`/say text:${LONG}`);
    await ann.listener.audible(1, ANSWERED);
    expect(await textOf(await scene.world.member('olga').types('/skip'))).toContain('Skipped');
    expect(await textOf(said)).toContain('Stopped early');
  });
});

describe('a text that is ended while the service works on it', () => {
  afterEach(() => {
    scene.service.faults.billedLatencyMs = 0;
  });

  it('says at once that it has ended, and what it cost once that is known', async () => {
    const ann = somebody();
    scene.service.faults.billedLatencyMs = 60_000;
    const sent = await ann.types('/say text:This one is taken back.');
    await sent.reply({ ...ANSWERED, until: /Generating speech/ });
    expect(await textOf(await ann.types('/skip'))).toBe('Skipped: “This one is taken back.”');
    await sent.reply({ ...ANSWERED, until: /Ended early/ });
    scene.service.faults.billedLatencyMs = 0;
    const over = await sent.reply({ ...ANSWERED, until: ({ text }) => /used/.test(text) });
    expect(over.text).toMatch(/^Skipped: “This one is taken back.”\s+\d+ credits were used\./);
  });

  it.each(['alone', 'beside another’s'])('says that it was stopped where /stop ended it, %s', async (company) => {
    const [ann, ben] = [somebody(), somebody()];
    scene.service.faults.billedLatencyMs = 60_000;
    const words = `This one is stopped ${company}.`;
    const sent = await ann.types(`/say text:${words}`);
    await sent.reply({ ...ANSWERED, until: /Generating speech/ });
    if (company !== 'alone')
      await (await ben.types('/say text:Me too.')).reply({ ...ANSWERED, until: /at position 1/ });
    await textOf(await ann.types('/stop'));
    scene.service.faults.billedLatencyMs = 0;
    const over = await sent.reply({ ...ANSWERED, until: ({ text }) => /used/.test(text) });
    expect(over.text).toMatch(new RegExp(`^Stopped: “${words}”`));
  });

  it('says what it cost also where it ended because its writer was muted', async () => {
    const [ann, olga] = [somebody(), scene.world.member('olga')];
    scene.service.faults.billedLatencyMs = 60_000;
    const sent = await ann.types('/say text:This one is cut short.');
    await sent.reply({ ...ANSWERED, until: /Generating speech/ });
    expect(await textOf(await olga.command('settings mute', { member: ann.id }))).toContain('Muted members: now');
    await sent.reply({ ...ANSWERED, until: /Ended early/ });
    scene.service.faults.billedLatencyMs = 0;
    const over = await sent.reply({ ...ANSWERED, until: ({ text }) => /used/.test(text) });
    expect(over.text).toMatch(/^A server manager muted you here\.\s+\d+ credits were used\./);
  });
});

describe('/pause and /resume', () => {
  it('hold the speech and go on where it stopped: nothing is lost, nothing twice', async () => {
    const ann = somebody();
    const said = await ann.types(`/say text:${LONG}`);
    await ann.listener.audible(50, ANSWERED);
    expect(await textOf(await ann.types('/pause'))).toContain('Paused');
    const heard = ann.listener.heard().packets.filter(({ audible }) => audible).length;
    expect(await textOf(await ann.types('/pause'))).toContain('Already paused');
    expect(await textOf(await ann.types('/queue'))).toContain('Paused: ');
    expect(await textOf(await ann.types('/resume'))).toBe('Resumed.');
    await ann.listener.audible(heard + 50, ANSWERED);
    expect(await textOf(said)).toContain('Spoken in');
    expect(await textOf(await ann.types('/resume'))).toBe('Nothing is paused.');
  });
});

describe('/replay', () => {
  it('speaks the last text again for nothing', async () => {
    const ann = somebody();
    await textOf(await ann.types('/say text:Once more with feeling.'));
    const again = await textOf(await ann.types('/replay'));
    expect(again).toContain('Spoken again in');
    expect(again).toContain('Once more with feeling.');
    expect(again).toContain('No credits used.');
  });

  it('shows its progress, and can be skipped by its requester', async () => {
    const [ann, ben] = [somebody(), somebody()];
    await textOf(await ann.types(`/say text:${LONG}`));
    const sent = await ann.types('/replay');
    const speaking = await sent.reply({ ...ANSWERED, until: /Speaking again in #General/ });
    expect(speaking.buttons.map(({ label }) => label)).toEqual(['Skip', 'Stop']);
    expect(await textOf(await ben.presses(speaking, 'Skip'))).toContain('’s text. Only they');
    expect(await textOf(await ann.presses(speaking, 'Skip'))).toContain('Skipped');
    const over = await sent.reply({ ...ANSWERED, until: /Stopped early/ });
    expect(over.text).toContain('No credits used.');
  });
});

describe('/join', () => {
  it('brings the bot along, and it follows when it has no other listener', async () => {
    const ann = somebody();
    expect(await textOf(await ann.types('/join'))).toContain('Joined');
    await scene.world.channel('General').hasBot(true, ANSWERED);
    ann.moves('Lounge');
    expect(await textOf(await ann.types('/say text:Here I am.'))).toContain('Spoken in');
    await scene.world.channel('Lounge').hasBot(true, ANSWERED);
    expect(await textOf(await ann.types('/leave'))).toContain('Left');
  });

  it('sends the bot elsewhere for its only listener', async () => {
    const ann = somebody();
    await textOf(await ann.types('/join'));
    expect(await textOf(await ann.types('/join channel:Lounge'))).toContain('Joined #Lounge');
    await scene.world.channel('Lounge').hasBot(true, ANSWERED);
  });

  it('names the requester’s missing permission in another channel', async () => {
    const ann = somebody();
    scene.world.channel('Lounge').setOverwrite('@everyone', { deny: ['Speak'] });
    expect(await textOf(await ann.types('/join channel:Lounge'))).toContain('You’re missing Speak');
    scene.world.channel('Lounge').setOverwrite('@everyone', {});
    expect(await textOf(await ann.types('/join channel:Lounge'))).toContain('Joined');
  });
});
