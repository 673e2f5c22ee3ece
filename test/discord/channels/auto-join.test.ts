import { ChannelType, Collection, PermissionsBitField } from 'discord.js';
import { expect, it } from 'vitest';
import { autoJoinProblem } from '../../../src/discord/channels/voice-access.ts';
import { render } from '../../../src/texts/catalog.ts';

interface Circumstances {
  readonly bits?: bigint;
  readonly userLimit?: number;
  readonly type?: ChannelType;
  readonly afkChannelId?: string;
  readonly isGone?: boolean;
  readonly allowed?: string[];
}

const { ViewChannel, Connect, Speak } = PermissionsBitField.Flags;

function problem({
  bits = ViewChannel | Connect | Speak,
  userLimit = 0,
  type,
  afkChannelId,
  isGone,
  allowed,
}: Circumstances) {
  const guild = {
    available: true,
    afkChannelId,
    voiceStates: { cache: new Collection([['alice', { id: 'alice', channelId: '1' }]]) },
    channels: { cache: new Collection<string, unknown>() },
    members: { me: { id: 'bot' } },
  };
  const permissionsFor = () => new PermissionsBitField(bits);
  const channel = { id: '1', type, guild, userLimit, permissionsFor, isVoiceBased: () => true };
  if (!isGone) guild.channels.cache.set('1', channel);
  const client = { user: { id: 'bot' }, guilds: { cache: new Collection([['9', guild]]) } };
  const found = autoJoinProblem(client as never, '9', {
    autoJoinChannel: '1',
    ...(allowed && { allowedChannels: allowed }),
  });
  return found && render(found);
}

it('names what the bot may not do in the channel to join by itself', () => {
  expect(problem({})).toBeUndefined();
  expect(problem({ bits: ViewChannel | Speak })).toContain('⚠️ The bot can’t join automatically yet. ');
  expect(problem({ bits: ViewChannel | Speak })).toContain('<#1>: it’s missing Connect.');
});

it('says nothing of a channel that is only full at the moment', () => {
  expect(problem({ userLimit: 1 })).toBeUndefined();
});

it('names a stage that it may not speak on, the AFK channel, and one that was deleted', () => {
  expect(problem({ type: ChannelType.GuildStageVoice })).toContain('can’t speak on the stage <#1>');
  expect(problem({ afkChannelId: '1' })).toContain('it’s this server’s AFK channel');
  expect(problem({ isGone: true })).toContain('no longer exists');
  // The server's own list can be no reason then.
  expect(problem({ isGone: true, allowed: ['2'] })).toContain('no longer exists');
  expect(problem({ afkChannelId: '1', allowed: ['2'] })).toContain('AFK');
});
