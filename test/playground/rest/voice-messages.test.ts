import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startWorld, type World } from '../../../src/playground/world/world.ts';
import { call, form, interactionOf, logIn } from '../raw-client.ts';

let world: World;

beforeEach(async () => {
  world = await startWorld();
});
afterEach(() => world.close());

const path = () => `/channels/${world.channel('general').id}/messages`;
const post = (body: unknown) => call(world, 'POST', path(), body);

// https://discord.com/developers/docs/resources/message#voice-messages
describe('a voice message', () => {
  const audio = { name: 'voice.ogg', type: 'audio/ogg', bytes: Buffer.from('OggS') };
  const described = {
    id: 0,
    filename: 'voice.ogg',
    duration_secs: 1.5,
    waveform: Buffer.alloc(256, 9).toString('base64'),
  };
  const voice = (change: object = {}, ...files: (typeof audio)[]) =>
    post(form({ flags: 1 << 13, attachments: [described], ...change }, ...(files.length > 0 ? files : [audio])));

  it('has no content: 50159', async () => {
    expect((await voice({ content: 'x' })).body.code).toBe(50159);
  });

  it('has a single attachment: 50160', async () => {
    expect((await voice({}, audio, { ...audio, name: 'b.ogg' })).body.code).toBe(50160);
    expect(
      (
        await voice(
          { attachments: [{ ...described, filename: 'a.txt' }] },
          { ...audio, name: 'a.txt', type: 'text/plain' },
        )
      ).body.code,
    ).toBe(50160);
  });

  it('has its length and a waveform of at most 256 points: 50161', async () => {
    expect((await voice({ attachments: [] })).body.code).toBe(50161);
    expect(
      (await voice({ attachments: [{ ...described, waveform: Buffer.alloc(257).toString('base64') }] })).body.code,
    ).toBe(50161);
  });

  it('cannot be edited: 50162', async () => {
    const { body } = await voice();
    expect((await call(world, 'PATCH', `${path()}/${body.id}`, { content: 'x' })).body.code).toBe(50162);
  });

  it('needs Send Voice Messages: 50173', async () => {
    world.channel('general').denyBot('SendVoiceMessages');
    expect((await voice()).body.code).toBe(50173);
  });
});

// https://discord.com/developers/docs/interactions/receiving-and-responding
describe('a voice message in answer to a command', () => {
  const audio = { name: 'voice.ogg', type: 'audio/ogg', bytes: Buffer.from('OggS') };
  const attachments = [
    { id: 0, filename: 'voice.ogg', duration_secs: 1.5, waveform: Buffer.alloc(9).toString('base64') },
  ];
  const EPHEMERAL = 1 << 6;
  const VOICE = 1 << 13;

  async function asked() {
    const gateway = await logIn(world);
    const commands = `/applications/${world.bot.applicationId}/commands`;
    await call(world, 'PUT', commands, [{ name: 'say', description: 'x' }]);
    const sent = await world.member('alice').types('/say');
    const { token } = await interactionOf(gateway, sent.id);
    const callback = (body: unknown) =>
      call(world, 'POST', `/interactions/${sent.id}/${token}/callback`, body, { token: null });
    const webhook = `/webhooks/${world.bot.applicationId}/${token}`;
    const followUp = (body: unknown) => call(world, 'POST', webhook, body, { token: null });
    const edit = (body: unknown, id = '@original') =>
      call(world, 'PATCH', `${webhook}/messages/${id}`, body, { token: null });
    const remove = () => call(world, 'DELETE', `${webhook}/messages/@original`, undefined, { token: null });
    return { sent, callback, followUp, edit, remove };
  }

  it('is a follow-up once the placeholder is gone, and nothing can be edited into it: 50162', async () => {
    const { sent, callback, followUp, edit, remove } = await asked();
    await callback({ type: 5 });
    expect((await remove()).status).toBe(204);
    expect((await followUp(form({ flags: VOICE, attachments, content: 'x' }, audio))).body.code).toBe(50159);
    const { body } = await followUp(form({ flags: VOICE, attachments }, audio));
    expect((await edit({ content: 'x' }, body.id)).body.code).toBe(50162);
    expect((await followUp({ content: 'costs', flags: EPHEMERAL })).status).toBe(200);
    const shown = sent.replies.filter(({ deleted }) => !deleted);
    expect(shown.map(({ voiceMessage, ephemeral }) => ({ voiceMessage, ephemeral }))).toEqual([
      { voiceMessage: true, ephemeral: false },
      { voiceMessage: false, ephemeral: true },
    ]);
  });

  it('is not made by the follow-up that fills a placeholder: people would get a plain file', async () => {
    const { sent, callback, followUp } = await asked();
    await callback({ type: 5 });
    expect((await followUp(form({ flags: VOICE | EPHEMERAL, attachments }, audio))).status).toBe(200);
    expect(await sent.reply({ timeoutMs: 1_000 })).toMatchObject({
      voiceMessage: false,
      ephemeral: false,
      files: [{ name: 'voice.ogg' }],
    });
  });

  it('needs Send Voice Messages: 50173, while files need nothing', async () => {
    world.channel('general').denyBot('SendVoiceMessages');
    world.channel('general').denyBot('AttachFiles');
    const { callback, followUp, remove } = await asked();
    expect((await callback(form({ type: 4, data: { flags: VOICE, attachments } }, audio))).body.code).toBe(50173);
    await callback({ type: 5 });
    await remove();
    expect((await followUp(form({ flags: VOICE, attachments }, audio))).body.code).toBe(50173);
    expect((await followUp(form({ attachments }, audio))).status).toBe(200);
  });
});
