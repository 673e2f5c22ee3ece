import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createManualClock, startWorld, type VisibleMessage, type World } from '../../../src/playground/world/world.ts';
import { call, INTENTS, interactionOf, logIn, type RawGateway } from '../raw-client.ts';

let world: World;
let gateway: RawGateway;
const clock = createManualClock();
const soon = { timeoutMs: 1_000 };

beforeEach(async () => {
  world = await startWorld({ clock });
  gateway = await logIn(world, { intents: INTENTS.guilds });
  const say = { name: 'say', description: 'Speak', options: [{ type: 3, name: 'text', description: 'x' }] };
  await call(world, 'PUT', `/applications/${world.bot.applicationId}/commands`, [say]);
});
afterEach(() => world.close());

const types = (line: string) => world.member('alice').types(line);

const interaction = (id: string) => interactionOf(gateway, id);

async function answer(id: string, body: unknown) {
  const { token } = await interaction(id);
  expect(await call(world, 'POST', `/interactions/${id}/${token}/callback`, body, { token: null })).toMatchObject({
    status: 204,
  });
}

describe('components', () => {
  const button = (custom_id: string, label: string, change = {}) => ({
    type: 2,
    style: 1,
    custom_id,
    label,
    ...change,
  });
  const COMPONENTS = [
    { type: 1, components: [button('skip', 'Skip'), button('stop', 'Stop', { disabled: true })] },
    {
      type: 1,
      components: [{ type: 3, custom_id: 'voice', placeholder: 'Choose', options: [{ label: 'Ada', value: 'ada' }] }],
    },
  ];

  async function shown(): Promise<VisibleMessage> {
    const sent = await types('/say text:x');
    await answer(sent.id, { type: 4, data: { content: 'Playing', components: COMPONENTS } });
    return sent.reply(soon);
  }

  it('are pressed by their label, and the message can be changed in answer', async () => {
    const pressed = await world.member('bob').presses(await shown(), 'Skip');
    expect(await interaction(pressed.id)).toMatchObject({
      type: 3,
      data: { custom_id: 'skip', component_type: 2 },
      message: { content: 'Playing' },
      member: { user: { username: 'bob' } },
    });
    await answer(pressed.id, { type: 7, data: { content: 'Skipped', components: [] } });
    expect(await pressed.reply(soon)).toMatchObject({ content: 'Skipped', components: [], edited: true });
    expect(world.channel('general').messages.map(({ content }) => content)).toEqual(['Skipped']);
  });

  it('can be answered later, by an edit of the message or another message', async () => {
    const message = await shown();
    const pressed = await world.member('alice').presses(message, 'skip');
    await answer(pressed.id, { type: 6 });
    const { token } = await interaction(pressed.id);
    const webhook = `/webhooks/${world.bot.applicationId}/${token}`;
    await call(world, 'POST', webhook, { content: 'for you', flags: 64 }, { token: null });
    expect(await pressed.reply(soon)).toMatchObject({ content: 'for you', ephemeral: true });
    await call(world, 'PATCH', `${webhook}/messages/@original`, { content: 'later' }, { token: null });
    expect(world.channel('general').messages.map(({ content }) => content)).toEqual(['later']);
  });

  it('that are disabled or not there cannot be pressed', async () => {
    const message = await shown();
    await expect(world.member('alice').presses(message, 'Stop')).rejects.toThrow(/disabled/);
    await expect(world.member('alice').presses(message, 'Pause')).rejects.toThrow(/no button/);
  });

  it('offer values to select', async () => {
    const message = await shown();
    const selected = await world.member('alice').selects(message, 'Choose', ['Ada']);
    expect((await interaction(selected.id)).data).toMatchObject({
      custom_id: 'voice',
      component_type: 3,
      values: ['ada'],
    });
    await expect(world.member('alice').selects(message, 'voice', ['Bea'])).rejects.toThrow(/not offered/);
    await expect(world.member('alice').selects(message, 'voice', [])).rejects.toThrow(/Choose 1$/);
  });

  it('of an ephemeral message are there for one person only', async () => {
    const sent = await types('/say text:x');
    await answer(sent.id, { type: 4, data: { content: 'x', flags: 64, components: COMPONENTS } });
    const message = await sent.reply(soon);
    await expect(world.member('bob').presses(message, 'Skip')).rejects.toThrow(/cannot see/);
  });

  it('not answered within 3 seconds fail', async () => {
    const pressed = await world.member('alice').presses(await shown(), 'Skip');
    clock.advance(3_000);
    expect((await pressed.reply(soon)).failed).toBe(true);
  });
});

describe('a modal', () => {
  const input = (change = {}) => ({ type: 4, custom_id: 'word', style: 1, max_length: 5, ...change });
  const modal = {
    custom_id: 'dictionary',
    title: 'Pronunciation',
    components: [
      { type: 18, label: 'Word', component: input() },
      { type: 1, components: [input({ custom_id: 'as', label: 'Spoken as', required: false, value: 'x' })] },
    ],
  };

  it('is shown, filled in and submitted', async () => {
    const sent = await types('/say text:x');
    await answer(sent.id, { type: 9, data: modal });
    const opened = await sent.modal(soon);
    expect(opened).toMatchObject({ title: 'Pronunciation', customId: 'dictionary' });
    const submitted = await world.member('alice').submits(opened, { Word: 'gif' });
    const { type, data } = await interaction(submitted.id);
    expect(type).toBe(5);
    expect(data.components).toMatchObject([
      { type: 18, component: { type: 4, custom_id: 'word', value: 'gif' } },
      { type: 1, components: [{ custom_id: 'as', value: 'x' }] },
    ]);
    await answer(submitted.id, { type: 4, data: { content: 'kept' } });
    expect((await submitted.reply(soon)).content).toBe('kept');
  });

  it('is checked before it is submitted', async () => {
    const sent = await types('/say text:x');
    await answer(sent.id, { type: 9, data: modal });
    const opened = await sent.modal(soon);
    const alice = world.member('alice');
    await expect(alice.submits(opened, {})).rejects.toThrow(/required: Word/);
    await expect(alice.submits(opened, { Word: 'too long' })).rejects.toThrow(/at most 5/);
    await expect(alice.submits(opened, { Word: 'x', Other: 'y' })).rejects.toThrow(/no field Other/);
    await expect(world.member('bob').submits(opened, { Word: 'x' })).rejects.toThrow(/did not open/);
  });

  it('has a title of at most 45 characters and up to 5 fields', async () => {
    const sent = await types('/say text:x');
    const { token } = await interaction(sent.id);
    const bad = { ...modal, title: 'x'.repeat(46), components: Array.from({ length: 6 }, () => modal.components[0]) };
    const { body } = await call(
      world,
      'POST',
      `/interactions/${sent.id}/${token}/callback`,
      { type: 9, data: bad },
      { token: null },
    );
    expect(Object.keys(body.errors.data)).toEqual(expect.arrayContaining(['title', 'components']));
  });
});
