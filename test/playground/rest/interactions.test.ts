import { beforeEach, describe, expect, it } from 'vitest';
import type { World } from '../../../src/playground/world/world.ts';
import { openWorld } from '../../discord/logged-in.ts';
import { createManualClock } from '../../pace/manual-clock.ts';
import { call, form, interactionOf, logIn, type RawGateway, refusals } from '../raw-client.ts';

// https://discord.com/developers/docs/interactions/receiving-and-responding
let world: World;
let gateway: RawGateway;
const clock = createManualClock();

beforeEach(async () => {
  world = await openWorld({ clock });
  gateway = await logIn(world);
  await call(world, 'PUT', `/applications/${world.bot.applicationId}/commands`, [
    { name: 'say', description: 'Speak', options: [{ type: 3, name: 'text', description: 'x', autocomplete: true }] },
  ]);
});

const open = { token: null };

/** A command that was sent, with all that its bot can do. */
async function asked() {
  const sent = await world.member('alice').types('/say text:hello');
  const { id, token } = await interactionOf(gateway, sent.id);
  const webhook = `/webhooks/${world.bot.applicationId}/${token}`;
  const message = (method: string, body?: unknown, of = '@original') =>
    call(world, method, `${webhook}/messages/${of}`, body, open);
  return {
    sent,
    answer: (body: unknown) => call(world, 'POST', `/interactions/${id}/${token}/callback`, body, open),
    forge: (body: unknown) => call(world, 'POST', `/interactions/${id}/x/callback`, body, open),
    followUp: (body: unknown) => call(world, 'POST', webhook, body, open),
    message,
  };
}

const soon = { timeoutMs: 1_000 };
const EPHEMERAL = 1 << 6;
const VOICE = 1 << 13;

describe('an interaction', () => {
  it('not answered within 3 seconds is over: 10062, and the person is told', async () => {
    const { sent, answer } = await asked();
    await clock.advance(2_999);
    expect(sent.acknowledgedAtMs).toBeUndefined();
    await clock.advance(1);
    const late = await answer({ type: 4, data: { content: 'late' } });
    expect(late).toMatchObject({ status: 404, body: { code: 10062 } });
    expect(await sent.reply(soon)).toMatchObject({ failed: true, content: 'The application did not respond' });
  });

  it('is answered once, with its own token: 40060 after that; a refused answer is none', async () => {
    const { answer, forge } = await asked();
    expect((await forge({ type: 5 })).body.code).toBe(10062);
    expect(await answer({ type: 4, data: {} })).toMatchObject({ status: 400, body: { code: 50006 } });
    expect((await answer({ type: 5 })).status).toBe(204);
    expect(await answer({ type: 5 })).toMatchObject({ status: 400, body: { code: 40060 } });
  });

  it.each([6, 99])('of a command takes no answer of type %i', async (type) => {
    const { answer } = await asked();
    expect(refusals(await answer({ type }))).toContain('type BASE_TYPE_CHOICES');
  });
});

describe('the answer to a deferred interaction', () => {
  // …#create-followup-message
  it('is edited by the first follow-up, which cannot change that it is public', async () => {
    const { sent, answer, followUp } = await asked();
    await answer({ type: 5 });
    expect((await followUp({ content: 'one', flags: EPHEMERAL })).body.flags).toBe(0);
    expect((await followUp({ content: 'two', flags: EPHEMERAL })).body.flags).toBe(EPHEMERAL);
    expect(sent.replies.map(({ content, ephemeral }) => [content, ephemeral])).toEqual([
      ['one', false],
      ['two', true],
    ]);
  });

  it('once deleted gives way to a follow-up that may be ephemeral', async () => {
    const { sent, answer, followUp, message } = await asked();
    await answer({ type: 5 });
    expect((await message('DELETE')).status).toBe(204);
    expect(await message('GET')).toMatchObject({ status: 404, body: { code: 10008 } });
    await followUp({ content: 'sorry', flags: EPHEMERAL });
    expect(await sent.reply(soon)).toMatchObject({ content: 'sorry', ephemeral: true });
    expect(world.channel('general').messages).toEqual([]);
  });
});

describe("an interaction's webhook", () => {
  it('is unknown before the first answer, and lives for 15 minutes', async () => {
    const { answer, followUp } = await asked();
    expect(await followUp({ content: 'x' })).toMatchObject({ status: 404, body: { code: 10015 } });
    await answer({ type: 5 });
    await clock.advance(15 * 60_000 - 1);
    expect((await followUp({ content: 'x' })).status).toBe(200);
    await clock.advance(1);
    expect(await followUp({ content: 'x' })).toMatchObject({ status: 401, body: { code: 50027 } });
  });

  it('does not reach the messages of another interaction', async () => {
    const first = await asked();
    await first.answer({ type: 4, data: { content: 'mine' } });
    const second = await asked();
    await second.answer({ type: 5 });
    const id = first.sent.replies[0]?.messageId;
    expect((await second.message('PATCH', { content: 'x' }, id)).body.code).toBe(10008);
  });
});

describe('autocomplete', () => {
  const typing = async () => {
    const choices = world.member('alice').autocompletes('say', { text: 'he' });
    choices.catch(() => {});
    const { d } = await gateway.event('INTERACTION_CREATE');
    expect(d).toMatchObject({ type: 4, data: { options: [{ name: 'text', value: 'he', focused: true }] } });
    return (body: unknown) => call(world, 'POST', `/interactions/${d.id}/${d.token}/callback`, body, open);
  };

  it('takes at most 25 choices, with names and values of 1 to 100 characters, and no message', async () => {
    const reply = await typing();
    expect((await reply({ type: 4, data: { content: 'x' } })).status).toBe(400);
    const offer = (...choices: object[]) => reply({ type: 8, data: { choices } });
    const long = await offer({ name: 'x'.repeat(101), value: 'x'.repeat(101) });
    const wrong = ['name', 'value'].map((at) => `data.choices.0.${at} BASE_TYPE_BAD_LENGTH`);
    expect(refusals(long)).toEqual(expect.arrayContaining(wrong));
    const choices = Array.from({ length: 26 }, (_, index) => ({ name: `c${index}`, value: 'x' }));
    expect(await offer(...choices)).toMatchObject({ status: 400, body: { code: 50035 } });
    expect((await offer(...choices.slice(1))).status).toBe(204);
  });
});

// https://discord.com/developers/docs/resources/message#voice-messages
describe('a voice message', () => {
  const waveformOf = (points: number) => Buffer.alloc(points).toString('base64');
  const audio = { name: 'voice.ogg', type: 'audio/ogg', bytes: Buffer.from('OggS') };
  const described = { id: 0, filename: 'voice.ogg', duration_secs: 1.5, waveform: waveformOf(256) };
  const voice = (change: object = {}, ...files: (typeof audio)[]) =>
    form({ flags: VOICE, attachments: [described], ...change }, ...(files.length > 0 ? files : [audio]));

  it.each([
    ['has no content', 50159, voice({ content: 'x' })],
    ['has a single attachment', 50160, voice({}, audio, { ...audio, name: 'b.ogg' })],
    ['has an audio file', 50160, voice({}, { ...audio, type: 'text/plain' })],
    [
      'has a waveform of at most 256 points',
      50161,
      voice({ attachments: [{ ...described, waveform: waveformOf(257) }] }),
    ],
  ])('%s: %i', async (_, code, body) => {
    const answer = await call(world, 'POST', `/channels/${world.channel('general').id}/messages`, body);
    expect(answer.body.code).toBe(code);
  });

  const replaced = async ({ answer, message }: Awaited<ReturnType<typeof asked>>) => {
    await answer({ type: 5 });
    expect((await message('DELETE')).status).toBe(204);
  };

  it('is a follow-up once the placeholder is gone, and nothing can be edited into it: 50162', async () => {
    const to = await asked();
    await replaced(to);
    const { body } = await to.followUp(voice());
    expect((await to.message('PATCH', { content: 'x' }, body.id)).body.code).toBe(50162);
    expect((await to.followUp({ content: 'costs', flags: EPHEMERAL })).status).toBe(200);
    const shown = to.sent.replies.filter(({ deleted }) => !deleted);
    expect(shown.map(({ voiceMessage, ephemeral }) => ({ voiceMessage, ephemeral }))).toEqual([
      { voiceMessage: true, ephemeral: false },
      { voiceMessage: false, ephemeral: true },
    ]);
  });

  it('is not made by the follow-up that fills a placeholder: people would get a plain file', async () => {
    const { sent, answer, followUp } = await asked();
    await answer({ type: 5 });
    expect((await followUp(voice({ flags: VOICE | EPHEMERAL }))).status).toBe(200);
    const plain = { voiceMessage: false, ephemeral: false, files: [{ name: 'voice.ogg' }] };
    expect(await sent.reply(soon)).toMatchObject(plain);
  });

  it('needs Send Voice Messages: 50173, while files need nothing', async () => {
    world.channel('general').denyBot('SendVoiceMessages', 'AttachFiles');
    const to = await asked();
    const first = form({ type: 4, data: { flags: VOICE, attachments: [described] } }, audio);
    expect((await to.answer(first)).body.code).toBe(50173);
    await replaced(to);
    expect((await to.followUp(voice())).body.code).toBe(50173);
    expect((await to.followUp(voice({ flags: 0 }))).status).toBe(200);
  });
});
