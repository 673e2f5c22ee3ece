import { describe, expect, it } from 'vitest';
import { decide, type Surroundings } from '../../src/reading/decision.ts';
import { rulesOf } from '../../src/services/servers/admission.ts';
import { EVERYBODY, type ServerSettings } from '../../src/services/servers/server-settings.ts';
import { postedBy } from './posted.ts';

const isVoiceChannel = (id: string) => ['30', '31', '32'].includes(id);
const alone: Surroundings = {
  botChannelId: undefined,
  listeners: 0,
  ageMs: 0,
  isDismissed: () => false,
  isJoinedChat: () => false,
  isVoiceChannel,
};
const listenedTo: Surroundings = { ...alone, botChannelId: '30', listeners: 2 };

const FROM_ANYWHERE: ServerSettings = { autoReadChannels: ['20'], autoReadOnlyInVoice: false };

function decided({
  posted = {} as Parameters<typeof postedBy>[0],
  settings = {} as ServerSettings,
  where = {} as Partial<Surroundings>,
} = {}): string {
  const rules = rulesOf({ ...FROM_ANYWHERE, ...settings });
  const decision = decide(postedBy(posted), rules, { ...listenedTo, ...where });
  return decision.kind === 'read' ? `in ${decision.voiceChannelId}` : decision.why;
}

describe('where a message is read', () => {
  it('is where the bot has listeners, wherever its author is', () => {
    expect(decided()).toBe('in 30');
    expect(decided({ posted: { author: { voiceChannelId: '31' } } })).toBe('in 30');
  });

  it('is the author’s when the bot has no listeners, and none when the author is in none', () => {
    expect(decided({ where: alone, posted: { author: { voiceChannelId: '31' } } })).toBe('in 31');
    expect(decided({ where: { listeners: 0 }, posted: { author: { voiceChannelId: '31' } } })).toBe('in 31');
    expect(decided({ where: alone })).toBe('nobody-listening');
  });

  it('is nowhere when the bot was sent away from there, until it is brought back', () => {
    const isDismissed = (channelId: string) => channelId === '30';
    const from = (voiceChannelId: string) => ({ author: { voiceChannelId } });
    expect(decided({ where: { ...alone, isDismissed }, posted: from('30') })).toBe('dismissed');
    expect(decided({ where: { ...alone, isDismissed }, posted: from('31') })).toBe('in 31');
    expect(decided({ where: { isDismissed }, posted: from('30') })).toBe('in 30');
  });
});

describe('which messages are read', () => {
  it('are those of chosen channels and of threads below them', () => {
    expect(decided({ posted: { channelId: '21' } })).toBe('not-chosen');
    expect(decided({ posted: { channelId: '21', parentChannelId: '20' } })).toBe('in 30');
    expect(decided({ settings: { autoReadChannels: ['21'] }, posted: { channelId: '21' } })).toBe('in 30');
  });

  it('are those of the chat of the voice channel it is spoken in, where that is chosen', () => {
    const settings = { autoReadVoiceChat: 'always' } as const;
    expect(decided({ settings, posted: { channelId: '30' } })).toBe('in 30');
    expect(decided({ settings, posted: { channelId: '31' } })).toBe('not-chosen');
    expect(decided({ posted: { channelId: '30' } })).toBe('not-chosen');
    const author = { voiceChannelId: '31' };
    expect(decided({ settings, posted: { channelId: '31', author }, where: alone })).toBe('in 31');
    expect(decided({ settings, posted: { channelId: '32', author }, where: alone })).toBe('not-chosen');
  });

  it('are those of the chat of a voice channel that is chosen, in that one only', () => {
    const settings: ServerSettings = { autoReadChannels: ['30'], autoReadVoiceChat: 'never' };
    const posted = { channelId: '30', author: { voiceChannelId: '30' } };
    expect(decided({ settings, posted })).toBe('in 30');
    expect(decided({ settings, posted, where: alone })).toBe('in 30');
    expect(decided({ settings, posted, where: { botChannelId: '31' } })).toBe('not-chosen');
    expect(decided({ settings, posted: { ...posted, channelId: '31' } })).toBe('not-chosen');
  });

  it('are those of the chat of the voice channel that the bot was brought to, unless admins want none read', () => {
    const where = { isJoinedChat: (id: string) => id === '30' };
    expect(decided({ where, posted: { channelId: '30' } })).toBe('in 30');
    expect(decided({ where, posted: { channelId: '31' } })).toBe('not-chosen');
    expect(decided({ where: { ...where, botChannelId: '31' }, posted: { channelId: '30' } })).toBe('not-chosen');
    expect(decided({ where: { ...alone, ...where }, posted: { channelId: '30' } })).toBe('not-chosen');
    const never = { autoReadVoiceChat: 'never' } as const;
    expect(decided({ settings: never, where, posted: { channelId: '30' } })).toBe('not-chosen');
  });

  it('are not those sent silently, nor those of before a long break', () => {
    expect(decided({ posted: { isSilent: true } })).toBe('silent');
    expect(decided({ where: { ageMs: 119_000 } })).toBe('in 30');
    expect(decided({ where: { ageMs: 121_000 } })).toBe('old');
  });

  it.each(['!play this', '-queue', '!!stop'])('are not orders to other bots: %s', (content) => {
    expect(decided({ posted: { content } })).toBe('command');
  });

  it.each(['?!', '...', '-5 degrees', '$5', ':) hi', '- a list'])('are those that only begin so: %s', (content) => {
    expect(decided({ posted: { content } })).toBe('in 30');
  });

  it('are of bots and webhooks only where admins chose that, whatever they begin with and whatever roles are asked for', () => {
    for (const kind of ['bot', 'webhook'] as const) {
      expect(decided({ posted: { author: { kind } } })).toBe('bot');
      const settings = { autoReadBots: true, allowedRoles: ['77'] };
      expect(decided({ settings, posted: { content: '!play this', author: { kind } } })).toBe('in 30');
      expect(decided({ settings: { ...settings, mutedMembers: ['1'] }, posted: { author: { kind } } })).toBe('muted');
    }
  });

  it('are of those only whom the rules let speak; the rules’ own makers are asked for nothing but silence', () => {
    expect(decided({ settings: { mutedMembers: [EVERYBODY] } })).toBe('muted');
    expect(decided({ settings: { mutedMembers: ['1'] }, posted: { author: { isAdmin: true } } })).toBe('muted');
    expect(decided({ settings: { blockedRoles: ['10'] } })).toBe('not-admitted');
    expect(decided({ settings: { blockedRoles: ['10'] }, posted: { author: { isAdmin: true } } })).toBe('in 30');
  });

  it('are of channels only in which the bot may be used; a thread counts as the channel above', () => {
    expect(decided({ settings: { allowedChannels: ['22'] } })).toBe('not-admitted');
    expect(decided({ settings: { allowedChannels: ['30'] } })).toBe('in 30');
    const posted = { channelId: '21', parentChannelId: '20' };
    expect(decided({ settings: { allowedChannels: ['20'] }, posted })).toBe('in 30');
  });

  it('are of members in the voice channel only, unless admins want all; bots and webhooks are in none', () => {
    const settings = { autoReadOnlyInVoice: undefined, autoReadBots: true };
    expect(decided({ settings })).toBe('not-in-voice');
    expect(decided({ settings, posted: { author: { voiceChannelId: '31' } } })).toBe('not-in-voice');
    expect(decided({ settings, posted: { author: { voiceChannelId: '30' } } })).toBe('in 30');
    expect(decided({ settings, posted: { author: { voiceChannelId: '31' } }, where: alone })).toBe('in 31');
    expect(decided({ settings, posted: { author: { kind: 'bot' } } })).toBe('in 30');
    expect(decided({ settings, posted: { author: { kind: 'webhook' } } })).toBe('in 30');
  });

  it('are spoken in the voice channels only in which the bot may speak, whoever is in which', () => {
    const settings = { allowedChannels: ['20', '31'] };
    expect(decided({ settings })).toBe('not-admitted');
    expect(decided({ settings, posted: { author: { voiceChannelId: '31' } } })).toBe('not-admitted');
    expect(decided({ settings, posted: { author: { isAdmin: true } } })).toBe('in 30');
    expect(decided({ settings, posted: { author: { voiceChannelId: '31' } }, where: alone })).toBe('in 31');
  });
});
