import { PermissionsBitField } from 'discord.js';
import { expect, it } from 'vitest';
import { VoiceJoinError } from '../../../src/audio/connection/voice-session-types.ts';
import type { Control } from '../../../src/commands/framework/command.ts';
import { join } from '../../../src/commands/playback/join.ts';
import { createJoinedChats } from '../../../src/services/presence/channel-presence.ts';
import { rulesOf } from '../../../src/services/servers/admission.ts';
import type { ServerSettings } from '../../../src/services/servers/server-settings.ts';
import { callOf, replyOf } from '../scene.ts';

it('the channel that could not be joined is named with what kept the bot out', async () => {
  const noRoute = new VoiceJoinError('no-route', 'x');
  const channel = { id: '42', guild: {} };
  const speaker = { channelId: undefined, join: () => Promise.reject(noRoute) };
  const interaction = {
    guild: { id: '9', members: { me: null } },
    member: { voice: { channel }, permissions: new PermissionsBitField(), roles: { cache: new Map() } },
    options: { getChannel: () => null },
  };
  const services = {
    speakers: { find: () => undefined, of: () => speaker },
    settings: { of: async () => rulesOf({}) },
  };
  const failed = replyOf(join, callOf(interaction, services));
  await expect(failed).rejects.toMatchObject({ name: 'JoinError', channelId: '42', cause: noRoute });
});

it('the chat of the channel is read no longer at a press, also once admins have all of them read, and then no more', async () => {
  const joinedChats = createJoinedChats();
  joinedChats.read('9', '42');
  const pressed = async (settings: ServerSettings) => {
    const services = { reading: joinedChats, settings: { of: async () => rulesOf(settings) } };
    const [control] = join.controls as [Control];
    return (await replyOf(control, callOf({}, services, { argument: '42' }))).lines;
  };
  const always = pressed({ autoReadVoiceChat: 'always' });
  await expect(always).rejects.toMatchObject({ text: { key: 'join.always-read' } });
  expect(joinedChats.isRead('9', '42')).toBe(false);
  await expect(pressed({})).rejects.toMatchObject({ text: { key: 'refused.over' } });
  joinedChats.read('9', '42');
  expect(await pressed({})).toMatchObject([{ key: 'join.reads-no-longer' }]);
});
