import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createManualClock,
  type SentInteraction,
  startWorld,
  type World,
} from '../../../src/playground/world/world.ts';
import { call, codesAt, form, logIn, type RawGateway } from '../raw-client.ts';

// https://discord.com/developers/docs/interactions/receiving-and-responding
let world: World;
let gateway: RawGateway;
const clock = createManualClock();

beforeEach(async () => {
  world = await startWorld({ clock });
  gateway = await logIn(world);
  await call(world, 'PUT', `/applications/${world.bot.applicationId}/commands`, [
    { name: 'say', description: 'Speak', options: [{ type: 3, name: 'text', description: 'x', autocomplete: true }] },
  ]);
});
afterEach(() => world.close());

interface Asked {
  readonly sent: SentInteraction;
  readonly id: string;
  readonly token: string;
  readonly callback: string;
  readonly webhook: string;
}

async function asked(): Promise<Asked> {
  const sent = await world.member('alice').types('/say text:hello');
  const { d } = await gateway.next((payload) => payload.t === 'INTERACTION_CREATE' && payload.d.id === sent.id);
  return {
    sent,
    id: d.id,
    token: d.token,
    callback: `/interactions/${d.id}/${d.token}/callback`,
    webhook: `/webhooks/${world.bot.applicationId}/${d.token}`,
  };
}

const open = { token: null };
const answer = (to: Asked, body: unknown, query = '') => call(world, 'POST', `${to.callback}${query}`, body, open);
const soon = { timeoutMs: 1_000 };

describe('an interaction', () => {
  it('carries everything a bot needs to answer it', async () => {
    await asked();
    const { d } = await gateway.event('INTERACTION_CREATE');
    expect(d).toMatchObject({
      application_id: world.bot.applicationId,
      type: 2,
      guild_id: world.guildId,
      channel: { type: 0, name: 'general', permissions: expect.any(String) },
      member: { user: { username: 'alice' }, permissions: expect.any(String) },
      data: { name: 'say', type: 1, options: [{ name: 'text', type: 3, value: 'hello' }] },
      entitlements: [],
      authorizing_integration_owners: { 0: world.guildId },
      app_permissions: expect.any(String),
      version: 1,
      context: 0,
    });
    expect(d.user).toBeUndefined();
  });

  it('not answered within 3 seconds is over: 10062, and the person is told', async () => {
    const to = await asked();
    clock.advance(2_999);
    expect(to.sent.acknowledgedAtMs).toBeUndefined();
    clock.advance(1);
    expect(await answer(to, { type: 4, data: { content: 'late' } })).toMatchObject({
      status: 404,
      body: { code: 10062 },
    });
    expect(await to.sent.reply(soon)).toMatchObject({ failed: true, content: 'The application did not respond' });
  });

  it('is answered once: 40060 after that', async () => {
    const to = await asked();
    expect((await answer(to, { type: 5 })).status).toBe(204);
    expect(await answer(to, { type: 5 })).toMatchObject({ status: 400, body: { code: 40060 } });
  });

  it('of which the answer got lost was answered all the same', async () => {
    const to = await asked();
    world.faults.rest({ path: /callback$/, loseAnswer: true });
    await expect(answer(to, { type: 4, data: { content: 'hi' } })).rejects.toThrow();
    expect(await answer(to, { type: 4, data: { content: 'hi' } })).toMatchObject({ body: { code: 40060 } });
    expect((await to.sent.reply(soon)).content).toBe('hi');
  });

  it('with another token is unknown', async () => {
    const to = await asked();
    expect(await call(world, 'POST', `/interactions/${to.id}/x/callback`, { type: 5 }, open)).toMatchObject({
      body: { code: 10062 },
    });
  });

  it.each([1, 6, 7, 8, 99])('of a command takes no answer of type %i', async (type) => {
    const { status, body } = await answer(await asked(), { type });
    expect([status, body.code]).toEqual([400, 50035]);
    expect(body.errors.type._errors[0].code).toBe('BASE_TYPE_CHOICES');
  });

  it('refused an empty message is still open', async () => {
    const to = await asked();
    expect(await answer(to, { type: 4, data: {} })).toMatchObject({ status: 400, body: { code: 50006 } });
    expect((await answer(to, { type: 4, data: { content: 'x' } })).status).toBe(204);
  });

  // …#interaction-callback-interaction-callback-response-object
  it('gives back the message with with_response', async () => {
    const { status, body } = await answer(
      await asked(),
      { type: 4, data: { content: 'hi', flags: 64 } },
      '?with_response=true',
    );
    expect(status).toBe(200);
    expect(body).toMatchObject({
      interaction: { type: 2, response_message_ephemeral: true, response_message_loading: false },
      resource: { type: 4, message: { content: 'hi', flags: 64, type: 20 } },
    });
  });
});

describe('the answer to a deferred interaction', () => {
  it('is "thinking" for everyone, then filled in by an edit', async () => {
    const to = await asked();
    await answer(to, { type: 5 });
    expect(world.channel('general').messages[0]?.thinking).toBe(true);
    const edited = await call(world, 'PATCH', `${to.webhook}/messages/%40original`, { content: 'done' }, open);
    expect(edited).toMatchObject({ status: 200, body: { content: 'done', flags: 0, edited_timestamp: null } });
    expect(await to.sent.reply(soon)).toMatchObject({ content: 'done', thinking: false });
  });

  // …#create-followup-message
  it('is edited by the first follow-up, which cannot change that it is public', async () => {
    const to = await asked();
    await answer(to, { type: 5 });
    const first = await call(world, 'POST', to.webhook, { content: 'one', flags: 64 }, open);
    const second = await call(world, 'POST', to.webhook, { content: 'two', flags: 64 }, open);
    expect(first.body.flags).toBe(0);
    expect(second.body.flags).toBe(64);
    expect(to.sent.replies.map(({ content, ephemeral }) => [content, ephemeral])).toEqual([
      ['one', false],
      ['two', true],
    ]);
  });

  it('once deleted gives way to a follow-up that may be ephemeral', async () => {
    const to = await asked();
    await answer(to, { type: 5 });
    expect((await call(world, 'DELETE', `${to.webhook}/messages/@original`, undefined, open)).status).toBe(204);
    expect(await call(world, 'GET', `${to.webhook}/messages/@original`, undefined, open)).toMatchObject({
      status: 404,
      body: { code: 10008 },
    });
    await call(world, 'POST', to.webhook, { content: 'sorry', flags: 64 }, open);
    expect(await to.sent.reply(soon)).toMatchObject({ content: 'sorry', ephemeral: true });
    expect(world.channel('general').messages).toEqual([]);
  });
});

describe("an interaction's webhook", () => {
  it('is unknown before the first answer', async () => {
    const to = await asked();
    expect(await call(world, 'POST', to.webhook, { content: 'x' }, open)).toMatchObject({
      status: 404,
      body: { code: 10015 },
    });
  });

  it('lives for 15 minutes', async () => {
    const to = await asked();
    await answer(to, { type: 5 });
    clock.advance(15 * 60_000 - 1);
    expect((await call(world, 'POST', to.webhook, { content: 'x' }, open)).status).toBe(200);
    clock.advance(1);
    expect(await call(world, 'POST', to.webhook, { content: 'x' }, open)).toMatchObject({
      status: 401,
      body: { code: 50027 },
    });
  });

  it('takes files with a form, and gives their bytes to the person', async () => {
    const to = await asked();
    await answer(to, { type: 4, data: { content: 'here' } });
    const wav = { name: 'a.wav', type: 'audio/wav', bytes: Buffer.from('RIFF') };
    const payload = { content: 'file', attachments: [{ id: 0, description: 'a sound' }] };
    const { body } = await call(world, 'POST', to.webhook, form(payload, wav), open);
    expect(body.attachments[0]).toMatchObject({
      filename: 'a.wav',
      size: 4,
      content_type: 'audio/wav',
      description: 'a sound',
    });
    expect(await (await fetch(body.attachments[0].url)).text()).toBe('RIFF');
    const [, reply] = to.sent.replies;
    expect(Buffer.from(reply?.files[0]?.bytes ?? []).toString()).toBe('RIFF');
  });

  // https://discord.com/developers/docs/resources/message#voice-messages
  it('takes a voice message as follow-up, ephemeral too', async () => {
    const to = await asked();
    await answer(to, { type: 4, data: { content: 'here' } });
    const sound = { name: 'voice.ogg', type: 'audio/ogg', bytes: Buffer.from('OggS') };
    const attachments = [{ id: 0, filename: 'voice.ogg', duration_secs: 1, waveform: 'AAAA' }];
    const { body } = await call(world, 'POST', to.webhook, form({ flags: (1 << 13) | 64, attachments }, sound), open);
    expect(body.flags).toBe((1 << 13) | 64);
    expect(to.sent.replies[1]).toMatchObject({ voiceMessage: true, ephemeral: true, files: [{ durationSeconds: 1 }] });
  });

  it('drops the attachments that an edit does not list', async () => {
    const to = await asked();
    const file = { name: 'a.txt', type: 'text/plain', bytes: Buffer.from('a') };
    await answer(to, { type: 4, data: { content: 'x' } });
    const { body } = await call(world, 'POST', to.webhook, form({ content: 'x' }, file), open);
    const edited = await call(world, 'PATCH', `${to.webhook}/messages/${body.id}`, { attachments: [] }, open);
    expect(edited.body.attachments).toEqual([]);
  });

  it('does not reach the messages of another interaction', async () => {
    const first = await asked();
    await answer(first, { type: 4, data: { content: 'mine' } });
    const second = await asked();
    await answer(second, { type: 5 });
    const id = first.sent.replies[0]?.messageId;
    expect(await call(world, 'PATCH', `${second.webhook}/messages/${id}`, { content: 'x' }, open)).toMatchObject({
      body: { code: 10008 },
    });
  });
});

describe('autocomplete', () => {
  const typing = async () => {
    const choices = world.member('alice').autocompletes('say', { text: 'he' });
    choices.catch(() => {});
    const { d } = await gateway.event('INTERACTION_CREATE');
    expect(d).toMatchObject({ type: 4, data: { options: [{ name: 'text', value: 'he', focused: true }] } });
    return {
      choices,
      reply: (body: unknown) => call(world, 'POST', `/interactions/${d.id}/${d.token}/callback`, body, open),
    };
  };

  it('takes at most 25 choices', async () => {
    const { reply } = await typing();
    const choices = Array.from({ length: 26 }, (_, index) => ({ name: `c${index}`, value: 'x' }));
    expect(await reply({ type: 8, data: { choices } })).toMatchObject({ status: 400, body: { code: 50035 } });
    expect((await reply({ type: 8, data: { choices: choices.slice(1) } })).status).toBe(204);
  });

  it.each([
    ['name', { name: 'x'.repeat(101), value: 'x' }],
    ['name_localizations.de', { name: 'x', name_localizations: { de: 'x'.repeat(101) }, value: 'x' }],
    ['value', { name: 'x', value: 'x'.repeat(101) }],
  ])('takes a %s of 1 to 100 characters', async (at, choice) => {
    const { reply } = await typing();
    const answer = await reply({ type: 8, data: { choices: [choice] } });
    expect(codesAt(answer, `data.choices.0.${at}`)).toEqual(['BASE_TYPE_BAD_LENGTH']);
  });

  it('takes no message', async () => {
    const { reply } = await typing();
    expect((await reply({ type: 4, data: { content: 'x' } })).status).toBe(400);
  });

  it('not answered within 3 seconds fails for the person', async () => {
    const { choices } = await typing();
    clock.advance(3_000);
    await expect(choices).rejects.toThrow('Loading options failed');
  });
});
