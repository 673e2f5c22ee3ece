import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startWorld, type World } from '../../../src/playground/world.ts';
import { call, form } from '../raw-client.ts';

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

  it('is one sound with its length and waveform', async () => {
    expect(await voice()).toMatchObject({
      status: 200,
      body: { flags: 1 << 13, attachments: [{ duration_secs: 1.5 }] },
    });
    const [message] = world.channel('general').messages;
    expect(message).toMatchObject({
      voiceMessage: true,
      files: [{ durationSeconds: 1.5, waveform: described.waveform }],
    });
  });

  it('has no content: 50160', async () => {
    expect((await voice({ content: 'x' })).body.code).toBe(50160);
  });

  it('has a single attachment: 50161', async () => {
    expect((await voice({}, audio, { ...audio, name: 'b.ogg' })).body.code).toBe(50161);
    expect(
      (
        await voice(
          { attachments: [{ ...described, filename: 'a.txt' }] },
          { ...audio, name: 'a.txt', type: 'text/plain' },
        )
      ).body.code,
    ).toBe(50161);
  });

  it('has its length and a waveform of at most 256 points: 50162', async () => {
    expect((await voice({ attachments: [] })).body.code).toBe(50162);
    expect(
      (await voice({ attachments: [{ ...described, waveform: Buffer.alloc(257).toString('base64') }] })).body.code,
    ).toBe(50162);
  });

  it('cannot be edited: 50163', async () => {
    const { body } = await voice();
    expect((await call(world, 'PATCH', `${path()}/${body.id}`, { content: 'x' })).body.code).toBe(50163);
  });

  it('needs Send Voice Messages: 50173', async () => {
    world.channel('general').denyBot('SendVoiceMessages');
    expect((await voice()).body.code).toBe(50173);
  });
});
