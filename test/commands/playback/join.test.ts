import { ChannelType, Collection, PermissionFlagsBits, PermissionsBitField } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { VoiceJoinError } from '../../../src/audio/connection/voice-session-types.ts';
import { join } from '../../../src/commands/playback/join.ts';
import { UserError } from '../../../src/errors/user-errors.ts';
import { DEFAULT_RULES } from '../../../src/services/servers/server-rules.ts';
import { text } from '../../../src/texts/catalogue.ts';

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
    services: { speakers, rules: { of: async () => DEFAULT_RULES } },
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
