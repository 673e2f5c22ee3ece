import { ChannelType, Collection, PermissionFlagsBits, PermissionsBitField } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { VoiceJoinError } from '../../../src/audio/connection/voice-session-types.ts';
import { join } from '../../../src/commands/playback/join.ts';
import { UserError } from '../../../src/errors/user-errors.ts';
import { createJoinedChats } from '../../../src/services/presence/joined-chats.ts';
import { DEFAULT_RULES, rulesOf } from '../../../src/services/servers/server-rules.ts';
import type { ServerSettings } from '../../../src/services/servers/server-settings.ts';
import { text } from '../../../src/texts/catalog.ts';
import { servicesOf } from '../services.ts';

const MAY = [PermissionFlagsBits.ViewChannel, PermissionFlagsBits.Connect, PermissionFlagsBits.Speak];

/** Somebody in a channel who calls the bot, and what is shown meanwhile. */
function called({ type = ChannelType.GuildVoice, joining = Promise.resolve() }) {
  const guild = {
    id: '9',
    members: { me: { id: 'bot' } },
    voiceStates: { cache: new Collection() },
    voiceAdapterCreator: () => undefined,
  };
  const permissionsFor = () => new PermissionsBitField([...MAY, PermissionFlagsBits.RequestToSpeak]);
  const channel = { id: '42', type, guild, userLimit: 0, permissionsFor };
  const interaction = {
    guild,
    guildId: '9',
    channelId: '8',
    user: { id: '7' },
    member: { voice: { channel }, permissions: new PermissionsBitField() },
    options: { getChannel: () => null },
    inCachedGuild: () => true,
  };
  const speakers = { find: () => undefined, of: () => ({ channelId: undefined, join: () => joining }) };
  const shown: string[] = [];
  const call = {
    interaction,
    services: servicesOf({ speakers, settings: { of: async () => DEFAULT_RULES } }),
    signal: new AbortController().signal,
  } as never;
  async function reply() {
    const work = await join.begin(call);
    if (typeof work !== 'function') throw new Error('A form was shown');
    return work(({ lines }) => shown.push(...lines.map(({ key }) => key)));
  }
  return { reply, shown };
}

describe('/join', () => {
  it('names the channel that could not be joined, as a failure that is known', async () => {
    const failure = new VoiceJoinError('timeout', 'no answer');
    const { reply } = called({ joining: Promise.reject(failure) });
    await expect(reply()).rejects.toMatchObject({ name: 'JoinError', channelId: '42', cause: failure });
  });

  it('the chat of the channel is read no longer at a press, also once admins have all of them read, and then no more', async () => {
    const joinedChats = createJoinedChats();
    joinedChats.read('9', '42');
    const pressed = async (settings: ServerSettings) => {
      const services = servicesOf({ reading: joinedChats, settings: { of: async () => rulesOf(settings) } });
      const work = await join.controls?.[0]?.begin({
        interaction: { guildId: '9', inCachedGuild: () => true },
        services,
        argument: '42',
      } as never);
      return typeof work === 'function' ? (await work(() => undefined)).lines : undefined;
    };
    const always = pressed({ autoReadVoiceChat: 'always' });
    await expect(always).rejects.toMatchObject({ text: { key: 'join.always-read' } });
    expect(joinedChats.isRead('9', '42')).toBe(false);
    await expect(pressed({})).rejects.toMatchObject({ text: { key: 'refused.over' } });
    joinedChats.read('9', '42');
    expect(await pressed({})).toMatchObject([{ key: 'join.reads-no-longer' }]);
  });

  it('leaves refusals as they are', async () => {
    const refusal = new UserError(text('stage.not-invited', { channel: '<#42>' }));
    await expect(called({ joining: Promise.reject(refusal) }).reply()).rejects.toBe(refusal);
  });

  it('says on a stage that it waits for an invitation, and only there', async () => {
    const [onStage, elsewhere] = [called({ type: ChannelType.GuildStageVoice }), called({})];
    for (const { reply } of [onStage, elsewhere]) expect((await reply()).lines[0]?.key).toBe('join.joined');
    expect([onStage.shown, elsewhere.shown]).toEqual([['say.raising-hand'], []]);
  });
});
