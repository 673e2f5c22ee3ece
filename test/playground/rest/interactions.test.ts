import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createManualClock,
  type SentInteraction,
  startWorld,
  type World,
} from '../../../src/playground/world/world.ts';
import { call, codesAt, logIn, type RawGateway } from '../raw-client.ts';

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
});

describe('the answer to a deferred interaction', () => {
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
});
