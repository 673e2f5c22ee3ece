import { once } from 'node:events';
import { beforeEach, describe, expect, it } from 'vitest';
import type { World } from '../../../src/playground/world/world.ts';
import { openWorld } from '../../discord/logged-in.ts';
import { logIn, type RawGateway } from '../raw-client.ts';
import { sealedSilence, selected } from '../voice/raw-client.ts';

let world: World;
let gateway: RawGateway;

beforeEach(async () => {
  world = await openWorld();
  // Frames are not end-to-end encrypted here: the tests are about their delivery, not their content.
  world.voiceServer.settings.dave = false;
  gateway = await logIn(world);
});

/** Joins as the documents say: op 4, the two events it is answered with, and a voice connection made of them. */
async function botIn(channel: string) {
  const channelId = world.channel(channel).id;
  gateway.send(4, { guild_id: world.guildId, channel_id: channelId, self_mute: false, self_deaf: true });
  const state = (await gateway.next(({ t, d }) => t === 'VOICE_STATE_UPDATE' && d.user_id === world.bot.userId)).d;
  const { token } = (await gateway.event('VOICE_SERVER_UPDATE')).d;
  const voice = await selected(world.voiceServer, undefined, {
    server_id: world.guildId,
    user_id: world.bot.userId,
    session_id: state.session_id,
    token,
    max_dave_protocol_version: 1,
  });
  return { state, voice };
}

// https://discord.com/developers/docs/topics/opcodes-and-status-codes#voice-voice-close-event-codes
describe("the bot's voice socket closes", () => {
  it.each<[number, string, () => void, isAlone?: boolean]>([
    [4022, 'when its channel is deleted', () => world.channel('General').delete()],
    [4014, 'when a moderator disconnects it from others', () => world.member('olga').disconnects('bot')],
    [4014, 'when a moderator drags it elsewhere', () => world.member('olga').drags('bot', 'Lounge')],
    [4014, 'when its session has ended', () => world.faults.invalidateSession({ resumable: false })],
    [4014, 'when it is removed from the server', () => world.removeBot()],
    // With it the call is over: https://github.com/discord/discord-api-docs/issues/7575
    [4022, 'when a moderator disconnects it while alone', () => world.member('olga').disconnects('bot'), true],
  ])('with %i %s', async (code, _when, happens, isAlone = false) => {
    if (!isAlone) world.member('alice').joins('General');
    const { voice } = await botIn('General');
    happens();
    expect(await voice.closed()).toBe(code);
  });
});

// https://discord.com/developers/docs/resources/voice#voice-state-object
describe('the bot’s audio', () => {
  let sequence = 0;

  /** Sends one sealed frame and resolves when the server has dealt with it: datagrams on loopback stay in order. */
  async function sendFrame(voice: Awaited<ReturnType<typeof selected>>): Promise<void> {
    sequence += 1;
    for (const datagram of [sealedSilence(voice, sequence), Buffer.alloc(8, 7)])
      voice.udp.send(datagram, voice.port, '127.0.0.1');
    await once(voice.udp, 'message');
  }

  it('reaches no listener where the bot lacks the permission to speak', async () => {
    const listener = world.member('alice').joins('Quiet');
    const { state, voice } = await botIn('Quiet');
    expect(state.suppress).toBe(true);
    voice.send(5, { speaking: 1, delay: 0, ssrc: voice.ssrc });
    await sendFrame(voice);
    expect(listener.heard().packets).toEqual([]);
  });

  // https://discord.com/developers/docs/resources/guild#modify-guild-member
  it('reaches no listener while it is audience or a moderator mutes it, and all while one deafens it', async () => {
    const listener = world.member('alice').joins('Stage');
    const { voice } = await botIn('Stage');
    const olga = world.member('olga');
    const heardAfter = async (change: () => void) => {
      change();
      listener.clear();
      await sendFrame(voice);
      return listener.heard().packets.length;
    };
    voice.send(5, { speaking: 1, delay: 0, ssrc: voice.ssrc });
    expect(await heardAfter(() => {})).toBe(0);
    expect(await heardAfter(() => olga.invitesToSpeak('bot'))).toBe(1);
    expect(await heardAfter(() => olga.movesToAudience('bot'))).toBe(0);
    expect(await heardAfter(() => olga.invitesToSpeak('bot'))).toBe(1);
    expect(await heardAfter(() => olga.serverMutes('bot', true))).toBe(0);
    expect(await heardAfter(() => olga.serverMutes('bot', false))).toBe(1);
    expect(await heardAfter(() => olga.serverDeafens('bot', true))).toBe(1);
    const own = gateway.received.filter(({ t, d }) => t === 'VOICE_STATE_UPDATE' && d.user_id === world.bot.userId);
    expect(own.slice(-3).map(({ d }) => [d.mute, d.deaf])).toEqual([
      [true, false],
      [false, false],
      [false, true],
    ]);
  });
});
